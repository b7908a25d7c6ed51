package golang

import "testing"

// A module whose dependencies are not all there: the go command answers no
// question that touches a missing one.
const missingDependency = `
-- go.mod --
module example.com/m

go 1.24

require missing.example/dep v1.2.3
-- names.go --
package m

import (
	"sort"
	"strings"
)

type Names []string

func (n Names) Len() int           { return len(n) }
func (n Names) Swap(i, j int)      { n[i], n[j] = n[j], n[i] }
func (n Names) Less(i, j int) bool { return n[i] < n[j] }

func Sorted(s string) Names {
	n := Names(strings.Fields(s))
	sort.Sort(n)
	return n
}

type Box struct{}

func (Box) Open() string { return strings.ToUpper("a") }

func open() string { return Box{}.Open() }
-- other.go --
package m

import "missing.example/dep"

var other = dep.New()
`

func TestMissingDependency(t *testing.T) {
	runCases(t, []opCase{
		{
			name:     "the standard library's interfaces are known all the same",
			op:       op("rename", "symbol", "Names.Len", "to", "Count"),
			in:       missingDependency,
			declined: "satisfy sort.Interface",
		},
		{
			name: "a method that the missing one does not meet",
			op:   op("rename", "symbol", "Box.Open", "to", "Unpack"),
			in:   missingDependency,
			want: `
-- names.go --
package m

import (
	"sort"
	"strings"
)

type Names []string

func (n Names) Len() int           { return len(n) }
func (n Names) Swap(i, j int)      { n[i], n[j] = n[j], n[i] }
func (n Names) Less(i, j int) bool { return n[i] < n[j] }

func Sorted(s string) Names {
	n := Names(strings.Fields(s))
	sort.Sort(n)
	return n
}

type Box struct{}

func (Box) Unpack() string { return strings.ToUpper("a") }

func open() string { return Box{}.Unpack() }
-- other.go --
package m

import "missing.example/dep"

var other = dep.New()
`,
			note: "missing.example/dep",
		},
		{
			name: "a method whose type a file hands to the missing one",
			op:   op("rename", "symbol", "Box.Open", "to", "Unpack"),
			in: missingDependency + `
-- hand.go --
package m

import "missing.example/dep"

func hand() { dep.Register(Box{}) }
`,
			declined: "hand.go",
		},
	})
}
