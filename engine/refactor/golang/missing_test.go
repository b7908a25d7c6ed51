package golang

import (
	"testing"

	"waferpair/engine/refactor"
)

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

// A field of an unexported type in one package cannot be what a package that
// does not import it reads from a dependency which is not there.
func TestMissingDependencyFarAway(t *testing.T) {
	const in = `
-- go.mod --
module example.com/m

go 1.24

require missing.example/dep v1.2.3
-- near/near.go --
package near

type Span struct{ Start, End int }

func New() Span { return Span{Start: 1} }
-- uses/uses.go --
package uses

import "example.com/m/near"

var First = near.New().Start
-- far/far.go --
package far

import "missing.example/dep"

var Start = dep.Parse().Start
-- both/both.go --
package both
`
	runCases(t, []opCase{
		{
			name: "far",
			op:   op("rename", "symbol", "Span.Start", "to", "Begin"),
			in:   in,
			want: `
-- near/near.go --
package near

type Span struct{ Begin, End int }

func New() Span { return Span{Begin: 1} }
-- uses/uses.go --
package uses

import "example.com/m/near"

var First = near.New().Begin
-- far/far.go --
package far

import "missing.example/dep"

var Start = dep.Parse().Start
-- both/both.go --
package both
`,
		},
		{
			name: "near",
			op:   op("rename", "symbol", "Span.Start", "to", "Begin"),
			in: in + `
import (
	"example.com/m/near"
	"missing.example/dep"
)

var _ = near.New

var Start = dep.Parse().Start
`,
			declined: "both/both.go:10",
		},
	})
}

// Modules may need each other: then a value of the project's type can come out
// of a dependency where no import leads to the type's package.
func TestDependencyComesBack(t *testing.T) {
	dep := t.TempDir()
	write := memSource{dep, map[string][]byte{
		"go.mod": []byte("module cycle.example/dep\n\ngo 1.24\n\nrequire example.com/m v1.0.0\n"),
		"dep.go": []byte("package dep\n\nimport \"example.com/m/near\"\n\nfunc Parse() near.Span { return near.New() }\n"),
	}}
	write.write(t)
	src := txtarSource(t, `
-- go.mod --
module example.com/m

go 1.24

require cycle.example/dep v1.0.0

replace cycle.example/dep => `+dep+`
-- near/near.go --
package near

type Span struct{ Start, End int }

func New() Span { return Span{Start: 1} }
-- far/far.go --
package far

import "cycle.example/dep"

var Start = dep.Parse().Start
`)
	src.write(t)
	_, err := New().Run(t.Context(), src, refactor.Target{}, op("rename", "symbol", "Span.Start", "to", "Begin"))
	wantDeclined(t, err, "a dependency imports this project")
}
