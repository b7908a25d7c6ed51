package golang

import "testing"

// Two tests that cannot be in one program do not tie each other's methods to an interface.
func TestRenameUnlinkedTests(t *testing.T) {
	const in = `
-- a/a.go --
package a

type Named interface{ Name() string }

func Show(n Named) string { return n.Name() }
-- b/b_test.go --
package b

type mine struct{}

func (mine) Name() string { return "" }

func use() string { return mine{}.Name() }
-- c/c_test.go --
package c

import (
	"testing"

	"example.com/m/a"
)

type log struct{ testing.TB }

func show(t *testing.T) { a.Show(log{t}) }
`
	runCases(t, []opCase{
		{
			name: "apart",
			op:   op("rename", "symbol", "mine.Name", "to", "Title"),
			in:   in,
			want: `
-- a/a.go --
package a

type Named interface{ Name() string }

func Show(n Named) string { return n.Name() }
-- b/b_test.go --
package b

type mine struct{}

func (mine) Title() string { return "" }

func use() string { return mine{}.Title() }
-- c/c_test.go --
package c

import (
	"testing"

	"example.com/m/a"
)

type log struct{ testing.TB }

func show(t *testing.T) { a.Show(log{t}) }
`,
		},
		{
			name: "together",
			op:   op("rename", "symbol", "mine.Name", "to", "Title"),
			in: in + `
-- b/more_test.go --
package b

import "example.com/m/a"

var _ = a.Show
`,
			declined: "c/c_test.go:11",
		},
	})
}

// A file that does not parse matters where it can reach what is renamed.
func TestRenameBesideBrokenFile(t *testing.T) {
	const in = `
-- a/a.go --
package a

type T struct{ Field int }

func New() T { return T{Field: 1} }
-- broken/broken.go --
package broken

func f(x struct{ Field int }) { return x.Field +  }
`
	runCases(t, []opCase{
		{
			name: "it imports nothing",
			op:   op("rename", "symbol", "T.Field", "to", "Member"),
			in:   in,
			want: `
-- a/a.go --
package a

type T struct{ Member int }

func New() T { return T{Member: 1} }
-- broken/broken.go --
package broken

func f(x struct{ Field int }) { return x.Field +  }
`,
		},
		{
			name: "it imports what imports the type",
			op:   op("rename", "symbol", "T.Field", "to", "Member"),
			in: in + `
-- b/b.go --
package b

import "example.com/m/a"

var V = a.New()
-- broken/more.go --
package broken

import "example.com/m/b"

func g() int { return b.V.Field + }
`,
			declined: "does not parse",
		},
	})
}
