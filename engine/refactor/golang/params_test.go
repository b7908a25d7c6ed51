package golang

import (
	"strings"
	"testing"

	"waferpair/engine/refactor"
)

func TestAddParam(t *testing.T) {
	runCases(t, []opCase{
		{
			name: "with value and imports in other packages",
			op:   op("add-param", "func", "Fetch", "name", "timeout", "type", "time.Duration", "value", "5*time.Second"),
			in: `
-- p/a.go --
package p

// Fetch gets.
func Fetch(url string, tries int) error { return nil }

func again() error { return Fetch("x", 1) }
-- q/q.go --
package q

import "example.com/m/p"

func G() {
	_ = p.Fetch(
		"url",
		2,
	)
}
`,
			want: `
-- p/a.go --
package p

import "time"

// Fetch gets.
func Fetch(url string, tries int, timeout time.Duration) error { return nil }

func again() error { return Fetch("x", 1, 5*time.Second) }
-- q/q.go --
package q

import (
	"time"

	"example.com/m/p"
)

func G() {
	_ = p.Fetch(
		"url",
		2,
		5*time.Second,
	)
}
`},
		{
			name: "zero values, first, method, generic",
			op:   op("add-param", "func", "T.Do", "name", "o", "type", "Opts", "position", "first"),
			in:   "-- p/a.go --\npackage p\n\ntype Opts struct{ A int }\n\ntype T[X any] struct{}\n\nfunc (t *T[X]) Do(x ...X) {}\n-- q/q.go --\npackage q\n\nimport pp \"example.com/m/p\"\n\nvar t pp.T[int]\n\nfunc F() { t.Do(); (&t).Do(1, 2) }\n",
			want: "-- p/a.go --\npackage p\n\ntype Opts struct{ A int }\n\ntype T[X any] struct{}\n\nfunc (t *T[X]) Do(o Opts, x ...X) {}\n-- q/q.go --\npackage q\n\nimport pp \"example.com/m/p\"\n\nvar t pp.T[int]\n\nfunc F() { t.Do(pp.Opts{}); (&t).Do(pp.Opts{}, 1, 2) }\n",
		},
		{
			name: "in the middle of a group, variadic stays last",
			op:   op("add-param", "func", "f", "name", "x", "type", "string", "position", "2", "value", `"v"`),
			in:   "-- p/a.go --\npackage p\n\nfunc f(a, b int, c ...int) {}\n\nfunc g() { f(1, 2); f(1, 2, 3) }\n",
			want: "-- p/a.go --\npackage p\n\nfunc f(a int, x string, b int, c ...int) {}\n\nfunc g() { f(1, \"v\", 2); f(1, \"v\", 2, 3) }\n",
		},
		{
			name: "context",
			op:   op("add-param", "func", "f", "name", "ctx", "type", "context.Context", "position", "first"),
			in:   "-- p/a.go --\npackage p\n\nfunc f(int) {}\n\nfunc g() { f(1) }\n",
			want: "-- p/a.go --\npackage p\n\nimport \"context\"\n\nfunc f(ctx context.Context, _ int) {}\n\nfunc g() { f(context.TODO(), 1) }\n",
		},
		{
			name: "a value of the function's package",
			op:   op("add-param", "func", "F", "name", "n", "type", "int", "value", "Default+1"),
			in:   "-- p/a.go --\npackage p\n\nconst Default = 1\n\nfunc F() {}\n-- q/q.go --\npackage q\n\nimport \"example.com/m/p\"\n\nfunc G() { p.F() }\n",
			want: "-- p/a.go --\npackage p\n\nconst Default = 1\n\nfunc F(n int) {}\n-- q/q.go --\npackage q\n\nimport \"example.com/m/p\"\n\nfunc G() { p.F(p.Default + 1) }\n",
		},
		{name: "value use", op: op("add-param", "func", "f", "name", "n", "type", "int"),
			in: "-- p/a.go --\npackage p\n\nfunc f() {}\n\nvar v = f\n", declined: "p/a.go:5 uses f as a value"},
		{name: "interface", op: op("add-param", "func", "T.M", "name", "n", "type", "int"),
			in: "-- p/a.go --\npackage p\n\ntype I interface{ M() }\ntype T int\n\nfunc (T) M() {}\n", declined: "interface"},
		{name: "foreign interface", op: op("add-param", "func", "T.Write", "name", "n", "type", "int"), in: "-- p/a.go --\npackage p\n\nimport _ \"io\"\n\ntype T int\n\nfunc (T) Write(p []byte) (int, error) { return 0, nil }\n",
			declined: "io.Writer"},
		{name: "hides", op: op("add-param", "func", "f", "name", "fmt", "type", "int"),
			in: "-- p/a.go --\npackage p\n\nimport \"fmt\"\n\nfunc f() { fmt.Print() }\n", declined: "would hide"},
		{name: "taken", op: op("add-param", "func", "f", "name", "a", "type", "int"),
			in: "-- p/a.go --\npackage p\n\nfunc f(a int) {}\n", declined: "already"},
		{name: "no type", op: op("add-param", "func", "f", "name", "a", "type", "Nope"),
			in: "-- p/a.go --\npackage p\n\nfunc f() {}\n\nfunc g() { f() }\n", declined: "no type Nope"},
		{name: "wrong value", op: op("add-param", "func", "f", "name", "a", "type", "int", "value", `"x"`),
			in: "-- p/a.go --\npackage p\n\nfunc f() {}\n\nfunc g() { f() }\n", declined: "cannot use"},
		{name: "spread", op: op("add-param", "func", "f", "name", "a", "type", "int"), in: "-- p/a.go --\npackage p\n\nfunc f(a0, b int) {}\n\nfunc two() (int, int) { return 1, 2 }\n\nfunc g() { f(two()) }\n",
			declined: "results of another call"},
	})
}

func TestRemoveParam(t *testing.T) {
	runCases(t, []opCase{
		{
			name: "from a group and from calls on several lines", op: op("remove-param", "func", "F", "name", "b"),
			in:   "-- p/a.go --\npackage p\n\nfunc F(a, b int, c string) int { return a + len(c) }\n-- q/q.go --\npackage q\n\nimport \"example.com/m/p\"\n\nvar x = p.F(1, 2, \"\") + p.F(\n\t1,\n\t2,\n\t\"\",\n)\n",
			want: "-- p/a.go --\npackage p\n\nfunc F(a int, c string) int { return a + len(c) }\n-- q/q.go --\npackage q\n\nimport \"example.com/m/p\"\n\nvar x = p.F(1, \"\") + p.F(\n\t1,\n\t\"\",\n)\n",
		},
		{
			name: "the only one", op: op("remove-param", "func", "f", "name", "a"),
			in:   "-- p/a.go --\npackage p\n\nfunc f(a int) {}\n\nfunc g() { f(1) }\n",
			want: "-- p/a.go --\npackage p\n\nfunc f() {}\n\nfunc g() { f() }\n",
		},
		{
			name: "variadic", op: op("remove-param", "func", "f", "name", "v"),
			in:   "-- p/a.go --\npackage p\n\nfunc f(a int, v ...int) {}\n\nfunc g(x []int) { f(1); f(1, 2, 3); f(1, x...) }\n",
			want: "-- p/a.go --\npackage p\n\nfunc f(a int) {}\n\nfunc g(x []int) { f(1); f(1); f(1) }\n",
		},
		{name: "used", op: op("remove-param", "func", "f", "name", "a"),
			in: "-- p/a.go --\npackage p\n\nfunc f(a int) { _ = a }\n", declined: "uses a at line 3"},
		{name: "side effect", op: op("remove-param", "func", "f", "name", "a"),
			in:       "-- p/a.go --\npackage p\n\nfunc f(a int) {}\n\nfunc h() int { return 1 }\n\nfunc g() { f(h()) }\n",
			declined: "does something"},
		{name: "leaves a variable", op: op("remove-param", "func", "f", "name", "a"),
			in:       "-- p/a.go --\npackage p\n\nfunc f(a int) {}\n\nfunc g() {\n\tx := 1\n\tf(x)\n}\n",
			declined: "declared and not used: x"},
		{name: "no such", op: op("remove-param", "func", "f", "name", "x"),
			in: "-- p/a.go --\npackage p\n\nfunc f(a int) {}\n", declined: "nearest: a"},
	})
}

// TestMissingGoIsNamed: without the go command nobody can tell which types there are.
func TestMissingGoIsNamed(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	src := txtarSource(t, "-- a.go --\npackage p\n\nfunc f() {}\n")
	_, err := New().Run(t.Context(), src, refactor.Target{},
		op("add-param", "func", "f", "name", "ctx", "type", "context.Context"))
	if err == nil || !strings.Contains(err.Error(), "the go command is not installed") {
		t.Error(err)
	}
}
