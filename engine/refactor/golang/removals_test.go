package golang

import (
	"context"
	"testing"

	"waferpair/engine/refactor"
)

func TestRemovePrints(t *testing.T) {
	runCases(t, []opCase{
		{
			name: "file", op: op("remove-debug-prints"), target: file("p/a.go"),
			note: "p/a.go:9: kept, because its arguments do something",
			in:   "-- p/a.go --\npackage p\n\nimport (\n\t\"fmt\"\n\t\"os\"\n)\n\nfunc f(xs []int) {\n\tfmt.Println(len(os.Args), g()) // x\n\tfmt.Println(\"here\", xs[0]) // here\n\tprintln(\n\t\t\"a\",\n\t)\n\t_ = fmt.Sprint()\n}\n\nvar n int\n\nfunc g() int { n++; return n }\n",
			want: "-- p/a.go --\npackage p\n\nimport (\n\t\"fmt\"\n\t\"os\"\n)\n\nfunc f(xs []int) {\n\tfmt.Println(len(os.Args), g()) // x\n\t_ = fmt.Sprint()\n}\n\nvar n int\n\nfunc g() int { n++; return n }\n",
		},
		{
			name: "import goes", op: op("remove-debug-prints", "func", "f"),
			in:   "-- a.go --\npackage main\n\nimport \"fmt\"\n\nfunc f() {\n\tfmt.Println(\"DEBUG\", 1)\n}\n\nfunc main() { f() }\n",
			want: "-- a.go --\npackage main\n\nfunc f() {\n}\n\nfunc main() { f() }\n",
		},
		{
			name: "last use of a variable", op: op("remove-debug-prints", "func", "f"), note: "nothing else uses x",
			in:   "-- p/a.go --\npackage p\n\nfunc f() {\n\tx := 1\n\tprintln(x)\n\tprintln()\n}\n",
			want: "-- p/a.go --\npackage p\n\nfunc f() {\n\tx := 1\n\tprintln(x)\n}\n",
		},
		{name: "main", op: op("remove-debug-prints"), target: file("a.go"),
			in: "-- a.go --\npackage main\n\nfunc main() { println() }\n", declined: "no debug prints"},
		{
			name: "the program's own messages stay", op: op("remove-debug-prints", "func", "f"),
			note: "a.go:11: kept, because nothing shows",
			in:   ownMessages,
			want: `
-- a.go --
package main

import (
	"fmt"
	"os"
)

func f(x []int, err error) {
	fmt.Printf("Total: %d\n", x[0])
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	if len(x) > 2 {
		fmt.Println("x", x)
		return
	}
	fmt.Println("done")
}

func main() { f(nil, nil) }
`},
		{name: "without evidence it asks", op: op("remove-debug-prints", "func", "f"),
			in:       "-- a.go --\npackage main\n\nimport \"fmt\"\n\nfunc f(err error) {\n\tfmt.Println(err)\n\tfmt.Println(\"done\")\n}\n\nfunc main() { f(nil) }\n",
			declined: "nearest: remove the debug prints on line 6 of a.go, remove the debug prints on line 7 of a.go, remove all print statements from f"},
		{
			name: "the one line that is named", op: op("remove-debug-prints"),
			target: refactor.Target{File: "p/a.go", From: 6, To: 6},
			in:     "-- p/a.go --\npackage p\n\nimport \"fmt\"\n\nfunc f(err error) {\n\tfmt.Println(err)\n\tfmt.Println(\"done\")\n}\n",
			want:   "-- p/a.go --\npackage p\n\nimport \"fmt\"\n\nfunc f(err error) {\n\tfmt.Println(\"done\")\n}\n",
		},
		{
			name: "all of them are named", op: op("remove-debug-prints", "func", "f", "which", "all"),
			in:   "-- p/a.go --\npackage p\n\nimport \"fmt\"\n\nfunc f(err error) {\n\tfmt.Println(err)\n\tfmt.Println(\"done\")\n}\n",
			want: "-- p/a.go --\npackage p\n\nfunc f(err error) {\n}\n",
		},
		{name: "other fmt", op: op("remove-debug-prints"), target: file("p/a.go"),
			in:       "-- p/a.go --\npackage p\n\ntype T struct{}\n\nfunc (T) Println() {}\n\nfunc f(fmt T) {\n\tfmt.Println()\n}\n",
			declined: "no debug prints"},
	})
}

const ownMessages = `
-- a.go --
package main

import (
	"fmt"
	"os"
)

func f(x []int, err error) {
	fmt.Println(">>> f")
	fmt.Printf("x=%v len(x)=%d\n", x, len(x))
	fmt.Printf("Total: %d\n", x[0])
	fmt.Printf("%+v\n", x)
	fmt.Println("x:", x)
	fmt.Println(x) // debug
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	if len(x) > 2 {
		fmt.Println("x", x)
		return
	}
	fmt.Println("done")
}

func main() { f(nil, nil) }
`

func TestReplaceCall(t *testing.T) {
	runCases(t, []opCase{
		{
			name: "ioutil", op: op("replace-call", "from", "ioutil.ReadFile", "to", "os.ReadFile"),
			in:   "-- p/a.go --\npackage p\n\nimport (\n\t\"fmt\"\n\t\"io/ioutil\"\n)\n\nfunc f() { b, _ := ioutil.ReadFile(\"x\"); fmt.Println(b) }\n",
			want: "-- p/a.go --\npackage p\n\nimport (\n\t\"fmt\"\n\t\"os\"\n)\n\nfunc f() { b, _ := os.ReadFile(\"x\"); fmt.Println(b) }\n",
		},
		{
			name: "own functions", op: op("replace-call", "from", "old", "to", "fresh"), note: "fresh itself still calls old",
			in:   "-- p/a.go --\npackage p\n\nfunc old(int) {}\n\nfunc fresh(n int) { old(n) }\n\nfunc g() { old(1); (old)(2) }\n",
			want: "-- p/a.go --\npackage p\n\nfunc old(int) {}\n\nfunc fresh(n int) { old(n) }\n\nfunc g() { fresh(1); (fresh)(2) }\n",
		},
		{
			name: "across packages", op: op("replace-call", "from", "p.Old", "to", "q.New"),
			in:   "-- p/a.go --\npackage p\n\nfunc Old() {}\n-- q/q.go --\npackage q\n\nfunc New() {}\n-- r/r.go --\npackage r\n\nimport \"example.com/m/p\"\n\nfunc f() { p.Old() }\n",
			want: "-- r/r.go --\npackage r\n\nimport (\n\t\"example.com/m/q\"\n)\n\nfunc f() { q.New() }\n",
		},
		{name: "does not fit", op: op("replace-call", "from", "a", "to", "b"),
			in:       "-- p/a.go --\npackage p\n\nfunc a(int) {}\n\nfunc b(string) {}\n\nfunc g() { a(1) }\n",
			declined: "cannot use 1"},
		{name: "no calls", op: op("replace-call", "from", "strings.Title", "to", "b"), in: "-- p/a.go --\npackage p\n",
			declined: "no calls of strings.Title"},
		{name: "no target", op: op("replace-call", "from", "a", "to", "fressh"),
			in: "-- p/a.go --\npackage p\n\nfunc a() {}\n\nfunc fresh() {}\n\nfunc g() { a() }\n", declined: "nearest: fresh"},
		{name: "shadowed", op: op("replace-call", "from", "ioutil.ReadAll", "to", "io.ReadAll"), in: "-- p/a.go --\npackage p\n\nimport (\n\t\"io\"\n\t\"io/ioutil\"\n)\n\nvar x io.Reader\n\nfunc f(io int) { ioutil.ReadAll(x) }\n",
			declined: "io means something else"},
	})
	src := txtarSource(t, "-- p/a.go --\npackage p\n\nimport \"io/ioutil\"\n\nfunc f() { ioutil.ReadFile(\"x\") }\n")
	if n, _, err := New().Declares(context.Background(), src, refactor.Target{},
		op("replace-call", "from", "ioutil.ReadFile", "to", "os.ReadFile")); n != 1 || err != nil {
		t.Errorf("Declares: %d, %v", n, err)
	}
}
