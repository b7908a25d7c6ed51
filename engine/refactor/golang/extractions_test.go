package golang

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"waferpair/engine/refactor"
)

func TestHandleError(t *testing.T) {
	runCases(t, []opCase{
		{
			name: "all forms", op: op("handle-error", "func", "save"),
			in: `
-- p/a.go --
package p

import (
	"os"
	"time"
)

type T struct{ A int }

func save(name string) (int, *T, T, time.Time, error) {
	os.Remove(name)
	_ = os.WriteFile(name, nil, 0o600)
	f, _ := os.Open(name)
	defer f.Close()
	n, _ := f.Write(nil)
	n, _ = f.Read(nil)
	_, _ = f.Read(nil)
	return n, nil, T{}, time.Time{}, nil
}
`,
			want: `
-- p/a.go --
package p

import (
	"fmt"
	"os"
	"time"
)

type T struct{ A int }

func save(name string) (int, *T, T, time.Time, error) {
	if err := os.Remove(name); err != nil {
		return 0, nil, T{}, time.Time{}, fmt.Errorf("remove os: %w", err)
	}
	if err := os.WriteFile(name, nil, 0o600); err != nil {
		return 0, nil, T{}, time.Time{}, fmt.Errorf("write file: %w", err)
	}
	f, err := os.Open(name)
	if err != nil {
		return 0, nil, T{}, time.Time{}, fmt.Errorf("open os: %w", err)
	}
	defer f.Close()
	n, err := f.Write(nil)
	if err != nil {
		return 0, nil, T{}, time.Time{}, fmt.Errorf("write f: %w", err)
	}
	n, err = f.Read(nil)
	if err != nil {
		return 0, nil, T{}, time.Time{}, fmt.Errorf("read f: %w", err)
	}
	if _, err := f.Read(nil); err != nil {
		return 0, nil, T{}, time.Time{}, fmt.Errorf("read f: %w", err)
	}
	return n, nil, T{}, time.Time{}, nil
}
`},
		{
			name: "selection, CRLF, function literal", op: op("handle-error"),
			target: refactor.Target{File: "p/a.go", From: 7, To: 7},
			in:     "-- p/a.go --\npackage p\r\n\r\nfunc g() error { return nil }\r\n\r\nfunc f() {\r\n\th := func() error {\r\n\t\tg()\r\n\t\treturn nil\r\n\t}\r\n\th()\r\n}\r\n",
			want:   "-- p/a.go --\npackage p\r\n\r\nimport \"fmt\"\r\n\r\nfunc g() error { return nil }\r\n\r\nfunc f() {\r\n\th := func() error {\r\n\t\tif err := g(); err != nil {\r\n\t\t\treturn fmt.Errorf(\"g: %w\", err)\r\n\t\t}\r\n\t\treturn nil\r\n\t}\r\n\th()\r\n}\r\n",
		},
		{name: "no error to return", op: op("handle-error", "func", "f"),
			in:       "-- p/a.go --\npackage p\n\nfunc g() error { return nil }\n\nfunc f() {\n\tg()\n}\n",
			declined: "returns no error"},
		{
			name: "handler of HTTP", op: op("handle-error", "func", "serve"),
			in:   "-- p/a.go --\npackage p\n\nimport \"net/http\"\n\nfunc g() error { return nil }\n\nfunc serve(w http.ResponseWriter, r *http.Request) {\n\tg()\n}\n",
			want: "-- p/a.go --\npackage p\n\nimport \"net/http\"\n\nfunc g() error { return nil }\n\nfunc serve(w http.ResponseWriter, r *http.Request) {\n\tif err := g(); err != nil {\n\t\thttp.Error(w, err.Error(), http.StatusInternalServerError)\n\t\treturn\n\t}\n}\n",
		},
		{
			name: "main", op: op("handle-error", "func", "main"),
			in:   "-- a.go --\npackage main\n\nfunc g() error { return nil }\n\nfunc main() {\n\tg()\n}\n",
			want: "-- a.go --\npackage main\n\nimport \"log\"\n\nfunc g() error { return nil }\n\nfunc main() {\n\tif err := g(); err != nil {\n\t\tlog.Fatal(err)\n\t}\n}\n",
		},
		{
			name: "main that logs", op: op("handle-error", "func", "main"),
			in:   "-- a.go --\npackage main\n\nimport \"log\"\n\nfunc g() error { return nil }\n\nfunc main() {\n\tlog.Print()\n\tg()\n}\n",
			want: "-- a.go --\npackage main\n\nimport \"log\"\n\nfunc g() error { return nil }\n\nfunc main() {\n\tlog.Print()\n\tif err := g(); err != nil {\n\t\tlog.Fatal(err)\n\t}\n}\n",
		},
		{
			name: "of one call", op: op("handle-error", "func", "f", "call", "h"),
			in:   "-- p/a.go --\npackage p\n\nimport \"fmt\"\n\nfunc g() error { return nil }\n\nfunc h() error { return nil }\n\nfunc f() error {\n\tg()\n\th()\n\treturn fmt.Errorf(\"\")\n}\n",
			want: "-- p/a.go --\npackage p\n\nimport \"fmt\"\n\nfunc g() error { return nil }\n\nfunc h() error { return nil }\n\nfunc f() error {\n\tg()\n\tif err := h(); err != nil {\n\t\treturn fmt.Errorf(\"h: %w\", err)\n\t}\n\treturn fmt.Errorf(\"\")\n}\n",
		},
		{
			name: "the returned error, not the ignored one", op: op("handle-error", "func", "f", "mode", "wrap"),
			in:   twoErrors,
			want: "-- p/a.go --\npackage p\n\nimport (\n\t\"fmt\"\n\t\"os\"\n)\n\nfunc f(p string) ([]byte, error) {\n\tb, err := os.ReadFile(p)\n\tif err != nil {\n\t\treturn nil, fmt.Errorf(\"read file: %w\", err)\n\t}\n\tos.Remove(p)\n\treturn b, nil\n}\n",
		},
		{name: "returned already", op: op("handle-error", "func", "f", "mode", "return"), in: twoErrors,
			declined: "nearest: handle the ignored error in f"},
		{name: "of a call that is not there", op: op("handle-error", "func", "f", "mode", "wrap", "call", "os.Open"),
			in: twoErrors, declined: "no error of os.Open is returned"},
		{name: "several returned", op: op("handle-error", "func", "f", "mode", "wrap"), in: returnsTwice,
			declined: "nearest: wrap every error in f, wrap the error on line 7 of p/a.go, wrap the error on line 10 of p/a.go"},
		{
			name: "all that are returned", op: op("handle-error", "func", "f", "mode", "wrap-all"), in: returnsTwice,
			want: "-- p/a.go --\npackage p\n\nimport \"fmt\"\n\nfunc g() error { return nil }\n\nfunc f() error {\n\tif err := g(); err != nil {\n\t\treturn fmt.Errorf(\"g: %w\", err)\n\t}\n\terr := g()\n\tif err != nil {\n\t\treturn fmt.Errorf(\"g: %w\", err)\n\t}\n\treturn nil\n}\n",
		},
		{name: "nothing ignored", op: op("handle-error", "func", "f"),
			in:       "-- p/a.go --\npackage p\n\nimport \"fmt\"\n\nfunc f() error {\n\tfmt.Println()\n\treturn nil\n}\n",
			declined: "no error is ignored"},
		{name: "err is taken", op: op("handle-error", "func", "f"),
			in:       "-- p/a.go --\npackage p\n\nfunc g() error { return nil }\n\nfunc f(err int) error {\n\tg()\n\treturn nil\n}\n",
			declined: "err is something else"},
	})
}

const twoErrors = "-- p/a.go --\npackage p\n\nimport \"os\"\n\nfunc f(p string) ([]byte, error) {\n\tb, err := os.ReadFile(p)\n\tif err != nil {\n\t\treturn nil, err\n\t}\n\tos.Remove(p)\n\treturn b, nil\n}\n"

const returnsTwice = "-- p/a.go --\npackage p\n\nfunc g() error { return nil }\n\nfunc f() error {\n\tif err := g(); err != nil {\n\t\treturn err\n\t}\n\terr := g()\n\treturn err\n}\n"

func TestExtractVariable(t *testing.T) {
	runCases(t, []opCase{
		{
			name: "argument", op: op("extract-variable", "name", "total", "expr", "a.Price*a.Count", "func", "f"),
			in:   "-- p/a.go --\npackage p\n\ntype A struct{ Price, Count int }\n\nfunc f(a A) int {\n\tif a.Price * a.Count > 3 {\n\t\treturn 1\n\t}\n\treturn 0\n}\n",
			want: "-- p/a.go --\npackage p\n\ntype A struct{ Price, Count int }\n\nfunc f(a A) int {\n\ttotal := a.Price * a.Count\n\tif total > 3 {\n\t\treturn 1\n\t}\n\treturn 0\n}\n",
		},
		{
			name: "in a case body, CRLF", op: op("extract-variable", "name", "n", "expr", "g()"), target: file("p/a.go"),
			in:   "-- p/a.go --\npackage p\r\n\r\nfunc g() int { return 1 }\r\n\r\nfunc f(a int) int {\r\n\tswitch a {\r\n\tcase 1:\r\n\t\treturn g() + a\r\n\t}\r\n\treturn 0\r\n}\r\n",
			want: "-- p/a.go --\npackage p\r\n\r\nfunc g() int { return 1 }\r\n\r\nfunc f(a int) int {\r\n\tswitch a {\r\n\tcase 1:\r\n\t\tn := g()\r\n\t\treturn n + a\r\n\t}\r\n\treturn 0\r\n}\r\n",
		},
		{name: "short circuit", op: op("extract-variable", "name", "x", "expr", "p.n", "func", "f"),
			in:       "-- p/a.go --\npackage p\n\ntype T struct{ n int }\n\nfunc f(p *T) bool {\n\treturn p != nil && p.n > 1\n}\n",
			declined: "only if what stands left of &&"},
		{name: "loop", op: op("extract-variable", "name", "x", "expr", "len(s)", "func", "f"),
			in:       "-- p/a.go --\npackage p\n\nfunc f(s []int) {\n\tfor i := 0; i < len(s); i++ {\n\t\ts = s[1:]\n\t}\n}\n",
			declined: "each time around the loop"},
		{name: "if with init", op: op("extract-variable", "name", "x", "expr", "y+1", "func", "f"),
			in:       "-- p/a.go --\npackage p\n\nfunc f() int {\n\tif y := 1; y+1 > 2 {\n\t\treturn 1\n\t}\n\treturn 0\n}\n",
			declined: "after the first part"},
		{name: "after a call", op: op("extract-variable", "name", "x", "expr", "n+1", "func", "f"), in: "-- p/a.go --\npackage p\n\nvar n int\n\nfunc g() int { n++; return n }\n\nfunc f() int {\n\treturn g() + (n+1)\n}\n",
			declined: "g() happens before"},
		{
			name: "every occurrence", op: op("extract-variable", "name", "x", "expr", "n+1", "func", "f"),
			in:   "-- p/a.go --\npackage p\n\nfunc f(n int) int {\n\ta := n+1\n\tif a > 0 {\n\t\treturn a * (n + 1)\n\t}\n\treturn n + 1\n}\n",
			want: "-- p/a.go --\npackage p\n\nfunc f(n int) int {\n\tx := n+1\n\ta := x\n\tif a > 0 {\n\t\treturn a * (x)\n\t}\n\treturn x\n}\n",
		},
		{
			name: "every occurrence of a field", op: op("extract-variable", "name", "x", "expr", "t.n", "func", "f"),
			in:   "-- p/a.go --\npackage p\n\ntype T struct{ n int }\n\nfunc f(t *T) int {\n\ta := t.n\n\treturn a + t.n\n}\n",
			want: "-- p/a.go --\npackage p\n\ntype T struct{ n int }\n\nfunc f(t *T) int {\n\tx := t.n\n\ta := x\n\treturn a + x\n}\n",
		},
		{name: "a variable that changes", op: op("extract-variable", "name", "x", "expr", "n+1", "func", "f"),
			in:       "-- p/a.go --\npackage p\n\nfunc f(n int) int {\n\ta := n + 1\n\tn++\n\treturn a + (n + 1)\n}\n",
			declined: "nearest: extract variable x from `n+1` on line 4 of p/a.go, extract variable x from `n+1` on line 6 of p/a.go"},
		{name: "a variable that a literal changes", op: op("extract-variable", "name", "x", "expr", "n+1", "func", "f"),
			in:       "-- p/a.go --\npackage p\n\nfunc f(n int) int {\n\tg := func() { n++ }\n\ta := n + 1\n\tg()\n\treturn a + (n + 1)\n}\n",
			declined: "is written in 2 places"},
		{name: "a field that a call may change", op: op("extract-variable", "name", "x", "expr", "t.n", "func", "f"),
			in:       "-- p/a.go --\npackage p\n\ntype T struct{ n int }\n\nfunc (t *T) inc() { t.n++ }\n\nfunc f(t *T) int {\n\ta := t.n\n\tt.inc()\n\treturn a + t.n\n}\n",
			declined: "is written in 2 places"},
		{name: "shadowed in a literal", op: op("extract-variable", "name", "x", "expr", "n*2", "func", "f"),
			in:       "-- p/a.go --\npackage p\n\nfunc g(func(int) int) int { return 0 }\n\nfunc f(n int) int {\n\ta := n * 2\n\treturn a + g(func(n int) int { return n * 2 })\n}\n",
			declined: "is written in 2 places"},
		{name: "in a literal that runs later", op: op("extract-variable", "name", "x", "expr", "n*2", "func", "f"),
			in:       "-- p/a.go --\npackage p\n\nfunc f(n int) int {\n\ta := n * 2\n\tdefer func() { println(n * 2) }()\n\tn = 7\n\treturn a + n\n}\n",
			declined: "is written in 2 places"},
		{name: "conversions to slices", op: op("extract-variable", "name", "x", "expr", "[]byte(s)", "func", "f"),
			in:       "-- p/a.go --\npackage p\n\nfunc f(s string) []byte {\n\ta := []byte(s)\n\ta[0] = 'x'\n\treturn append(a, []byte(s)...)\n}\n",
			declined: "is written in 2 places"},
		{name: "each occurrence makes a new one", op: op("extract-variable", "name", "x", "expr", "[]int{n}", "func", "f"),
			in:       "-- p/a.go --\npackage p\n\nfunc f(n int) [][]int {\n\treturn [][]int{[]int{n}, []int{n}}\n}\n",
			declined: "is written in 2 places"},
		{name: "in two blocks", op: op("extract-variable", "name", "x", "expr", "n+1", "func", "f"),
			in:       "-- p/a.go --\npackage p\n\nfunc f(n int) int {\n\tif n > 0 {\n\t\treturn n + 1\n\t}\n\treturn n + 1\n}\n",
			declined: "is written in 2 places"},
		{name: "in two functions", op: op("extract-variable", "name", "x", "expr", "n+1"), target: file("p/a.go"),
			in:       "-- p/a.go --\npackage p\n\ntype T int\n\nfunc (t *T) f(n int) int {\n\treturn n + 1\n}\n\nfunc g(n int) int {\n\treturn n + 1\n}\n",
			declined: "nearest: extract variable x from `n+1` in T.f, extract variable x from `n+1` in g, extract variable x from `n+1` on line 6"},
		{name: "pointer method", op: op("extract-variable", "name", "x", "expr", "t.c", "func", "f"), in: "-- p/a.go --\npackage p\n\ntype C int\n\nfunc (c *C) Inc() {}\n\ntype T struct{ c C }\n\nfunc f(t T) {\n\tt.c.Inc()\n}\n",
			declined: "would be a copy"},
		{name: "name in use", op: op("extract-variable", "name", "m", "expr", "n+1", "func", "f"),
			in:       "-- p/a.go --\npackage p\n\nvar m = 2\n\nfunc f(n int) int {\n\treturn (n+1) * m\n}\n",
			declined: "would mean something else"},
		{name: "not there", op: op("extract-variable", "name", "m", "expr", "n+2", "func", "f"),
			in: "-- p/a.go --\npackage p\n\nfunc f(n int) int {\n\treturn n + 1\n}\n", declined: "does not occur"},
		{name: "typed by its place", op: op("extract-variable", "name", "m", "expr", "2", "func", "f"),
			in: "-- p/a.go --\npackage p\n\nfunc f(n float64) float64 {\n\treturn n * 2\n}\n", declined: "extract a constant"},
	})
}

func TestExtractConstant(t *testing.T) {
	runCases(t, []opCase{
		{
			name: "every occurrence", op: op("extract-constant", "name", "limit", "expr", "5", "func", "f"),
			in:   "-- p/a.go --\npackage p\n\nfunc f(n int) int {\n\tif n > 5 {\n\t\treturn 5\n\t}\n\treturn n\n}\n\nfunc g() int { return 5 }\n",
			want: "-- p/a.go --\npackage p\n\nconst limit = 5\n\nfunc f(n int) int {\n\tif n > limit {\n\t\treturn limit\n\t}\n\treturn n\n}\n\nfunc g() int { return 5 }\n",
		},
		{
			name: "literal", op: op("extract-constant", "name", "maxRetries", "expr", "5"), target: file("p/a.go"),
			in:   "-- p/a.go --\npackage p\n\nimport \"fmt\"\n\nfunc f(n float64) {\n\tfmt.Print(n * 5)\n}\n",
			want: "-- p/a.go --\npackage p\n\nimport \"fmt\"\n\nconst maxRetries = 5\n\nfunc f(n float64) {\n\tfmt.Print(n * maxRetries)\n}\n",
		},
		{name: "taken", op: op("extract-constant", "name", "f", "expr", "5"), target: file("p/a.go"),
			in: "-- p/a.go --\npackage p\n\nfunc f() int { return 5 }\n", declined: "f"},
		{name: "several", op: op("extract-constant", "name", "x", "expr", "5"), target: file("p/a.go"),
			in: "-- p/a.go --\npackage p\n\nfunc f() int { return 5 + 5 }\n", declined: "2 places"},
		{name: "not in tags or imports", op: op("extract-constant", "name", "x", "expr", `"fmt"`), target: file("p/a.go"),
			in:       "-- p/a.go --\npackage p\n\nimport \"fmt\"\n\ntype T struct {\n\tA int \"fmt\"\n}\n\nvar _ = fmt.Sprint\n",
			declined: "does not occur"},
	})
}

func TestAddTest(t *testing.T) {
	if testing.Short() {
		t.Skip("it computes a lot: make test runs it without the race detector")
	}
	const in = `
-- p/a.go --
package p

import (
	"io"
	"sync"
)

type Config struct{ A map[string]int }

func ParseConfig(path string, r io.Reader, more ...int) (*Config, error) { return nil, nil }

func (c Config) Len() int { return len(c.A) }

func run(mu *sync.Mutex) {}

func sum[T int | string](a T) T { return a }
-- q/q.go --
package q

import "example.com/m/p"

// F makes one.
func F(c p.Config) (p.Config, func(), bool) { return c, nil, true }
-- q/q_test.go --
package q_test
`
	src := txtarSource(t, in)
	for _, sym := range []string{"ParseConfig", "Config.Len", "run", "F"} {
		res, err := New().Run(context.Background(), src, refactor.Target{}, op("add-test", "func", sym))
		if err != nil {
			t.Fatal(err)
		}
		src = src.apply(t, res)
	}
	for f, b := range src.files {
		p := filepath.Join(src.root, f)
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, b, 0o600); err != nil {
			t.Fatal(err)
		}
		if out, ok := gofmt(b); isGo(f) && (!ok || string(out) != string(b)) {
			t.Errorf("%s is not formatted:\n%s", f, b)
		}
	}
	for _, args := range [][]string{{"vet", "./..."}, {"test", "./..."}} {
		cmd := exec.Command("go", args...)
		cmd.Dir = src.root
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("go %v: %v\n%s\n%s", args, err, out, src.files["p/a_test.go"])
		}
	}
	_, err := New().Run(context.Background(), src, refactor.Target{}, op("add-test", "func", "F"))
	wantDeclined(t, err, "TestF exists already")
	_, err = New().Run(context.Background(), src, refactor.Target{}, op("add-test", "func", "sum"))
	wantDeclined(t, err, "generic")
}
