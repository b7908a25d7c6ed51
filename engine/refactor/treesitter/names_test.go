package treesitter

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"waferpair/engine/refactor"
	"waferpair/engine/refactor/kit"
)

// TestNames: each name of a file stands for what its scopes say.
func TestNames(t *testing.T) {
	for _, c := range []struct {
		lang            *language
		file, src, want string
	}{
		{Python().(*language), "a.py", `import os
def add(n, *, m=1):
    total = 0
    for i, _ in enumerate(n):
        total += i
    def inner():
        nonlocal total
        total = len(os.argv)
    with open(n) as f:
        return f
`, `
func add in file 1: 2, declared 2, written 
func inner in function 2: 6, declared 6, written 
import os in file 1: 1,8, declared 1, written 
outside enumerate 4
outside len 8
outside open 9
param m in function 2: 2, declared 2, written 
param n in function 2: 2,4,9, declared 2, written 
var _ in function 2: 4, declared 4, written 4
var f in function 2: 9,10, declared 9, written 9
var i in function 2: 4,5, declared 4, written 4
var total in function 2: 3,5,7,8, declared 3,5,8, written 3,5,8`},
		{TypeScript().(*language), "a.ts", `import { a as b } from "./x"
export function add(n: number): T {
  let sum = 0
  for (const [i, x] of b(n)) {
    sum += i
    sum++
  }
  return { sum, n: x }
}
`, `
func add in file 1: 2, declared 2, written 
import b in file 1: 1,4, declared 1, written 
outside T 2
outside x 8
param n in function 2: 2,4, declared 2, written 
var i in loop 4: 4,5, declared 4, written 4
var sum in block 2: 3,5,6,8, declared 3, written 3,5,6
var x in loop 4: 4, declared 4, written 4`},
	} {
		j, err := c.lang.start(context.Background(), memory{c.file: c.src}, refactor.Target{}, refactor.Op{Name: "todo"})
		if err != nil {
			t.Fatal(err)
		}
		s := syntax{j, map[string]*kit.File{}}
		f, err := s.File(c.file)
		if err != nil {
			t.Fatal(err)
		}
		names, err := s.Names(f)
		if err != nil {
			t.Fatal(err)
		}
		lines := func(ns []*kit.Node) string {
			var out []string
			for _, n := range ns {
				out = append(out, fmt.Sprint(f.LineOf(n.From)))
			}
			return strings.Join(out, ",")
		}
		got := []string{""}
		for _, v := range names.Vars(0, len(f.Src)) {
			line := "outside " + v.Name + " " + lines(v.Refs)
			if v.Kind != "outside" {
				line = fmt.Sprintf("%s %s in %s %d: %s, declared %s, written %s", v.Kind, v.Name, v.Scope.Kind,
					f.LineOf(v.Scope.From), lines(v.Refs), lines(v.Decls), lines(v.Writes))
			}
			got = append(got, line)
		}
		slices.Sort(got)
		if diff := cmp.Diff(strings.Split(c.want, "\n"), got); diff != "" {
			t.Errorf("%s: -want +got:\n%s", c.file, diff)
		}
	}
}

// TestUses: a symbol's uses are found through imports, and what may be one is refused.
func TestUses(t *testing.T) {
	for _, c := range []struct {
		lang         refactor.Language
		files        memory
		symbol, want string
	}{
		{Python(), memory{"a.py": "def load(n): pass\n", "b.py": "from a import load as l\nl(1)\nx = l\n",
			"c.py": "import a\na.load(2)\n"}, "load", "b.py:2 l(1), b.py:3, c.py:2 a.load(2)"},
		{Python(), memory{"a.py": "class A:\n    def load(self): pass\nA().load()\n", "b.py": "def f(x):\n    x.load()\n"},
			"A.load", "it is not certain whether A.load is what is used at b.py:2"},
		{TypeScript(), memory{"a.ts": "export const LIMIT = 3\nf(LIMIT)\n",
			"b.ts": "import { LIMIT } from './a'\nlet x = LIMIT\n"}, "LIMIT", "a.ts:2, b.ts:2"},
	} {
		j, err := c.lang.(*language).start(context.Background(), c.files, refactor.Target{},
			refactor.Op{Name: "todo", Args: map[string]string{"symbol": c.symbol}})
		if err != nil {
			t.Fatal(err)
		}
		s := syntax{j, map[string]*kit.File{}}
		ds, err := s.Subject("symbol")
		if err != nil {
			t.Fatal(err)
		}
		uses, err := s.Uses(ds)
		var got []string
		for _, u := range uses {
			got = append(got, strings.TrimSpace(u.Place()+" "+u.File.Text(u.Call)))
		}
		if err != nil {
			got = []string{err.(*refactor.Declined).Reason}
		}
		if g := strings.Join(got, ", "); g != c.want {
			t.Errorf("%s: %s\nwant %s", c.symbol, g, c.want)
		}
	}
}
