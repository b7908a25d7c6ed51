package golang

import (
	"context"
	"testing"

	"waferpair/engine/refactor"
)

// opCase is one operation on a txtar project. want holds the files that change;
// with declined set, nothing may change and the reason must contain it.
type opCase struct {
	name     string
	in       string
	op       refactor.Op
	target   refactor.Target
	want     string
	declined string
	note     string
}

func runCases(t *testing.T, cases []opCase) {
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			src := txtarSource(t, c.in)
			res, err := New().Run(context.Background(), src, c.target, c.op)
			if c.declined != "" {
				wantDeclined(t, err, c.declined)
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			want := txtarSource(t, c.want)
			for f, b := range src.files {
				if _, ok := want.files[f]; !ok || f == "go.mod" {
					want.files[f] = b
				}
			}
			equalFiles(t, src.apply(t, res), want)
			checkNote(t, res.Notes, c.note)
			if res.Summary == "" {
				t.Error("no summary")
			}
		})
	}
}

func TestRename(t *testing.T) {
	runCases(t, []opCase{
		{
			name: "func across packages, tests and aliases, with its doc comment",
			op:   op("rename", "symbol", "ParseConfig", "to", "LoadConfig"),
			in: `
-- conf/conf.go --
package conf

// ParseConfig reads it. ParseConfig is "ParseConfig".
func ParseConfig() string { return "ParseConfig" }
-- conf/conf_test.go --
package conf_test

import . "example.com/m/conf"

func ExampleParseConfig() { ParseConfig() }
-- main.go --
package main

import c "example.com/m/conf"

func main() {
	ParseConfig := c.ParseConfig // ParseConfig
	_ = ParseConfig()
	{
		c := struct{ ParseConfig int }{1}
		_ = c.ParseConfig
	}
}
`,
			want: `
-- conf/conf.go --
package conf

// LoadConfig reads it. ParseConfig is "ParseConfig".
func LoadConfig() string { return "ParseConfig" }
-- conf/conf_test.go --
package conf_test

import . "example.com/m/conf"

func ExampleLoadConfig() { LoadConfig() }
-- main.go --
package main

import c "example.com/m/conf"

func main() {
	ParseConfig := c.LoadConfig // ParseConfig
	_ = ParseConfig()
	{
		c := struct{ ParseConfig int }{1}
		_ = c.ParseConfig
	}
}
`},
		{
			name: "type with embedded field, composite literal, type switch, generics",
			op:   op("rename", "symbol", "Base", "to", "Core"),
			in: `
-- a/a.go --
package a

// A Base is embedded.
type Base[T any] struct{ V T }

func (b *Base[T]) Get() T { return b.V }

type Outer struct{ *Base[int] }

func F(x any) int {
	o := Outer{Base: &Base[int]{V: 1}}
	switch y := x.(type) {
	case *Base[int]:
		return y.V + o.Base.V
	}
	return 0
}
-- b/b.go --
package b

import "example.com/m/a"

func G(o a.Outer) int { return o.Base.Get() }
-- c/c.go --
package c

import "example.com/m/a"

func Base(o a.Outer) int { return o.Base.V }
`,
			want: `
-- a/a.go --
package a

// A Core is embedded.
type Core[T any] struct{ V T }

func (b *Core[T]) Get() T { return b.V }

type Outer struct{ *Core[int] }

func F(x any) int {
	o := Outer{Core: &Core[int]{V: 1}}
	switch y := x.(type) {
	case *Core[int]:
		return y.V + o.Core.V
	}
	return 0
}
-- b/b.go --
package b

import "example.com/m/a"

func G(o a.Outer) int { return o.Core.Get() }
-- c/c.go --
package c

import "example.com/m/a"

func Base(o a.Outer) int { return o.Core.V }
`,
			target: refactor.Target{File: "a/a.go"},
		},
		{
			name: "method with its interface and every implementer, mocks in tests too",
			op:   op("rename", "symbol", "Area", "to", "Surface"),
			in: `
-- s/s.go --
package s

type Shape interface {
	// Area is in square metres.
	Area() float64
}

type Sq struct{ A float64 }

// Area of the square.
func (s Sq) Area() float64 { return s.A * s.A }

type Named struct{ Sq }

func Sum(shapes ...Shape) (t float64) {
	for _, s := range shapes {
		t += s.Area()
	}
	return t
}

var _ = Sum(Named{}, Sq{})
var f = Sq.Area
-- s/s_test.go --
package s

type fake struct{}

func (fake) Area() float64 { return 1 }

var _ = Sum(fake{})
`,
			want: `
-- s/s.go --
package s

type Shape interface {
	// Surface is in square metres.
	Surface() float64
}

type Sq struct{ A float64 }

// Surface of the square.
func (s Sq) Surface() float64 { return s.A * s.A }

type Named struct{ Sq }

func Sum(shapes ...Shape) (t float64) {
	for _, s := range shapes {
		t += s.Surface()
	}
	return t
}

var _ = Sum(Named{}, Sq{})
var f = Sq.Surface
-- s/s_test.go --
package s

type fake struct{}

func (fake) Surface() float64 { return 1 }

var _ = Sum(fake{})
`},
		{
			name: "files for other systems", op: op("rename", "symbol", "open", "to", "openFile"),
			in:   "-- p/a.go --\npackage p\n\nvar _ = open()\n-- p/a_linux.go --\npackage p\n\nfunc open() int { return 1 }\n-- p/a_windows.go --\npackage p\n\nfunc open() int { return 2 }\n-- p/a_other.go --\n//go:build !linux && !windows\n\npackage p\n\nfunc open() int { return 3 }\n",
			want: "-- p/a.go --\npackage p\n\nvar _ = openFile()\n-- p/a_linux.go --\npackage p\n\nfunc openFile() int { return 1 }\n-- p/a_windows.go --\npackage p\n\nfunc openFile() int { return 2 }\n-- p/a_other.go --\n//go:build !linux && !windows\n\npackage p\n\nfunc openFile() int { return 3 }\n",
		},
		{
			name: "CRLF and BOM stay", op: op("rename", "symbol", "f", "to", "longer"),
			in:   "-- p/a.go --\n\ufeffpackage p\r\n\r\n// f is f.\r\n// f\r\nfunc f() {}\r\n\r\nvar _ = f\r\n",
			want: "-- p/a.go --\n\ufeffpackage p\r\n\r\n// longer is f.\r\n// f\r\nfunc longer() {}\r\n\r\nvar _ = longer\r\n",
		},
		{
			name: "label, local, parameter by function", op: op("rename", "symbol", "f.x", "to", "y"),
			in:   "-- p/a.go --\npackage p\n\nfunc f(x int) int {\n\tg := func(z int) int { return x + z }\n\treturn g(x)\n}\n\nfunc h(x int) int { return x }\n",
			want: "-- p/a.go --\npackage p\n\nfunc f(y int) int {\n\tg := func(z int) int { return y + z }\n\treturn g(y)\n}\n\nfunc h(x int) int { return x }\n",
		},
		{
			name: "label", op: op("rename", "symbol", "loop", "to", "again"),
			in:   "-- p/a.go --\npackage p\n\nfunc f() {\nloop:\n\tfor {\n\t\tbreak loop\n\t}\n}\n",
			want: "-- p/a.go --\npackage p\n\nfunc f() {\nagain:\n\tfor {\n\t\tbreak again\n\t}\n}\n",
		},
		{
			name: "field through a value of a dependency's making", op: op("rename", "symbol", "size", "to", "length"),
			in:   "-- p/a.go --\npackage p\n\nimport \"slices\"\n\ntype T struct{ size int }\n\nfunc f(ts []T) int {\n\tcmp := func(a, b T) int { return a.size - b.size }\n\treturn slices.MaxFunc(ts, cmp).size\n}\n",
			want: "-- p/a.go --\npackage p\n\nimport \"slices\"\n\ntype T struct{ length int }\n\nfunc f(ts []T) int {\n\tcmp := func(a, b T) int { return a.length - b.length }\n\treturn slices.MaxFunc(ts, cmp).length\n}\n",
		},
		{
			name: "linked structs convert", op: op("rename", "symbol", "A.X", "to", "Y"),
			in:       "-- p/a.go --\npackage p\n\ntype A struct{ X int }\n-- q/q.go --\npackage q\n\ntype B struct{ X int }\n-- r/r.go --\npackage r\n\nimport (\n\t\"example.com/m/p\"\n\t\"example.com/m/q\"\n)\n\nfunc F(a p.A) q.B { return q.B(a) }\n",
			declined: "cannot convert",
		},
		{name: "taken", op: op("rename", "symbol", "f", "to", "g"),
			in: "-- p/a.go --\npackage p\n\nfunc f() {}\nfunc g() {}\n", declined: "g is already declared at p/a.go:4"},
		{name: "captured", op: op("rename", "symbol", "f", "to", "g"),
			in:       "-- p/a.go --\npackage p\n\nfunc f() {}\n\nfunc h(g int) { f() }\n",
			declined: "the new name would mean the g declared at p/a.go:5"},
		{name: "captures", op: op("rename", "symbol", "h.x", "to", "f"),
			in: "-- p/a.go --\npackage p\n\nfunc f() {}\n\nfunc h(x int) { f() }\n", declined: "uses another f"},
		{name: "captures a builtin", op: op("rename", "symbol", "f", "to", "len"),
			in:       "-- p/a.go --\npackage p\n\nfunc f() {}\n-- p/b.go --\npackage p\n\nvar n = len(\"x\")\n",
			declined: "uses another len"},
		{name: "hides an import", op: op("rename", "symbol", "f", "to", "fmt"),
			in:       "-- p/a.go --\npackage p\n\nfunc f() {}\n-- p/b.go --\npackage p\n\nimport \"fmt\"\n\nvar _ = fmt.Sprint\n",
			declined: "fmt already declared"},
		{name: "meets a name through a dot import", op: op("rename", "symbol", "F", "to", "G"), in: "-- p/a.go --\npackage p\n\nfunc F() {}\n-- q/b.go --\npackage q\n\nimport . \"example.com/m/p\"\n\nvar _ = F\n-- q/c.go --\npackage q\n\nfunc G() {}\n", declined: "G"},
		{name: "private", op: op("rename", "symbol", "F", "to", "f"),
			in:       "-- p/a.go --\npackage p\n\nfunc F() {}\n-- q/b.go --\npackage q\n\nimport \"example.com/m/p\"\n\nvar _ = p.F\n",
			declined: "could not use the unexported f"},
		{name: "keyword", op: op("rename", "symbol", "f", "to", "func"), in: "-- p/a.go --\npackage p\n\nfunc f() {}\n",
			declined: "keyword"},
		{name: "not a name", op: op("rename", "symbol", "f", "to", "a-b"), in: "-- p/a.go --\npackage p\n\nfunc f() {}\n",
			declined: "not a name"},
		{name: "main", op: op("rename", "symbol", "main", "to", "start", "kind", "func"),
			in: "-- a.go --\npackage main\n\nfunc main() {}\n", declined: "runtime"},
		{name: "foreign interface", op: op("rename", "symbol", "T.String", "to", "Text"),
			in:       "-- p/a.go --\npackage p\n\nimport _ \"fmt\"\n\ntype T int\n\nfunc (T) String() string { return \"\" }\n",
			declined: "to satisfy fmt.Stringer"},
		{name: "error", op: op("rename", "symbol", "T.Error", "to", "Text"),
			in:       "-- p/a.go --\npackage p\n\ntype T int\n\nfunc (T) Error() string { return \"\" }\n",
			declined: "to satisfy error"},
		{name: "several", op: op("rename", "symbol", "f", "to", "g"),
			in: "-- p/a.go --\npackage p\n\nfunc f() {}\n-- q/a.go --\npackage q\n\nfunc f() {}\n", declined: "p/a.go:3"},
		{name: "all", op: op("rename", "symbol", "f", "to", "g", "all", "true"),
			in:   "-- p/a.go --\npackage p\n\nfunc f() {}\n-- q/a.go --\npackage q\n\nfunc f() {}\n",
			want: "-- p/a.go --\npackage p\n\nfunc g() {}\n-- q/a.go --\npackage q\n\nfunc g() {}\n"},
		{name: "by package", op: op("rename", "symbol", "q.f", "to", "g"),
			in:   "-- p/a.go --\npackage p\n\nfunc f() {}\n-- q/a.go --\npackage q\n\nfunc f() {}\n",
			want: "-- q/a.go --\npackage q\n\nfunc g() {}\n"},
		{name: "by file", op: op("rename", "symbol", "f", "to", "g"), target: refactor.Target{File: "q/a.go"},
			in:   "-- p/a.go --\npackage p\n\nfunc f() {}\n-- q/a.go --\npackage q\n\nfunc f() {}\n",
			want: "-- q/a.go --\npackage q\n\nfunc g() {}\n"},
		{name: "nearest", op: op("rename", "symbol", "parseConfg", "to", "g"),
			in: "-- p/a.go --\npackage p\n\nfunc parseConfig() {}\n", declined: "nearest: parseConfig"},
		{name: "linkname", op: op("rename", "symbol", "f", "to", "g"),
			in:       "-- p/a.go --\npackage p\n\nimport _ \"unsafe\"\n\n//go:linkname f runtime.f\nfunc f() {}\n",
			declined: "linker"},
		{name: "assembly", op: op("rename", "symbol", "f", "to", "g"),
			in: "-- p/a.go --\npackage p\n\nfunc f()\n-- p/a.s --\nTEXT ·f(SB),0,$0\n", declined: "assembly"},
		{name: "syntax error elsewhere in the package", op: op("rename", "symbol", "f", "to", "g"),
			in:       "-- p/a.go --\npackage p\n\nfunc f() {}\n-- p/b.go --\npackage p\n\nfunc h() { f( }\n",
			declined: "does not parse"},
		{
			name: "a field in a file for windows, through types of the standard library there",
			op:   op("rename", "symbol", "T.size", "to", "length"),
			in:   "-- p/a_windows.go --\npackage p\n\nimport (\n\t\"slices\"\n\t\"syscall\"\n)\n\ntype T struct {\n\tsize int\n\th    syscall.Handle\n}\n\nfunc f(ts []T) int { return slices.Clone(ts)[0].size }\n",
			want: "-- p/a_windows.go --\npackage p\n\nimport (\n\t\"slices\"\n\t\"syscall\"\n)\n\ntype T struct {\n\tlength int\n\th      syscall.Handle\n}\n\nfunc f(ts []T) int { return slices.Clone(ts)[0].length }\n",
		},
		{
			name: "generated file", op: op("rename", "symbol", "f", "to", "g"), note: "is generated",
			in:   "-- p/a.go --\n// Code generated by x; DO NOT EDIT.\n\npackage p\n\nfunc f() {}\n",
			want: "-- p/a.go --\n// Code generated by x; DO NOT EDIT.\n\npackage p\n\nfunc g() {}\n",
		},
		{
			name: "selection names the local", op: op("rename", "symbol", "x", "to", "y"),
			target: refactor.Target{File: "p/a.go", From: 6, To: 6},
			in:     "-- p/a.go --\npackage p\n\nvar x = 1\n\nfunc f() int {\n\tx := 2\n\treturn x\n}\n",
			want:   "-- p/a.go --\npackage p\n\nvar x = 1\n\nfunc f() int {\n\ty := 2\n\treturn y\n}\n",
		},
		{
			name: "json tags and strings stay", op: op("rename", "symbol", "T.Name", "to", "Title"),
			in:   "-- p/a.go --\npackage p\n\ntype T struct {\n\tName string `json:\"Name\"`\n}\n\nvar _ = T{Name: \"Name\"}\n",
			want: "-- p/a.go --\npackage p\n\ntype T struct {\n\tTitle string `json:\"Name\"`\n}\n\nvar _ = T{Title: \"Name\"}\n",
		},
		{
			name: "nested modules are told apart", op: op("rename", "symbol", "F", "to", "G"),
			target: refactor.Target{File: "p/a.go"},
			in:     "-- go.mod --\nmodule example.com/m\n\ngo 1.24\n-- p/a.go --\npackage p\n\nfunc F() {}\n-- sub/go.mod --\nmodule example.com/sub\n\nreplace example.com/m => ../\n-- sub/s.go --\npackage sub\n\nimport \"example.com/m/p\"\n\nvar _ = p.F\n-- other/go.mod --\nmodule example.com/other\n-- other/s.go --\npackage other\n\nimport \"example.com/m/p\"\n\nvar _ = p.F\n",
			want:   "-- go.mod --\nmodule example.com/m\n\ngo 1.24\n-- p/a.go --\npackage p\n\nfunc G() {}\n-- sub/s.go --\npackage sub\n\nimport \"example.com/m/p\"\n\nvar _ = p.G\n",
		},
	})
}

func TestDeclares(t *testing.T) {
	src := txtarSource(t, "-- p/a.go --\npackage p\n\nfunc parse() {}\n\ntype T struct{ parse int }\n-- p/b.go --\npackage p\n\nfunc other() {}\n")
	for _, c := range []struct {
		symbol string
		n      int
		near   string
	}{{"parse", 2, ""}, {"T.parse", 1, ""}, {"prase", 0, "parse"}, {"p.other", 1, ""}} {
		n, near, err := New().Declares(context.Background(), src, refactor.Target{},
			op("rename", "symbol", c.symbol, "to", "x"))
		if err != nil || n != c.n || c.near != "" && (len(near) == 0 || near[0] != c.near) {
			t.Errorf("%s: %d %v %v, want %d %s", c.symbol, n, near, err, c.n, c.near)
		}
	}
}
