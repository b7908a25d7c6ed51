package treesitter

import (
	"context"
	"slices"
	"testing"

	"waferpair/engine/refactor"
	"waferpair/engine/refactor/kit"
)

// TestBetween compares Between with the obvious version: the leaves that the source has between the
// two places, each once, without the names that assignments give their values to.
func TestBetween(t *testing.T) {
	for _, c := range []struct {
		lang       refactor.Language
		file, text string
	}{
		{Python(), "a.py", "def f(a, b):\n    x = a.n\n    y = b[1] * 2\n    return g(a.m(y), -b, k=[x, y, {a: x}])\n"},
		{Python(), "a.py", "def f(a, b):\n    x = a.n\n    if h(b, x) > 2 and b:\n        return x\n    return b == x\n"},
		{TypeScript(), "a.ts",
			"function f(a, b) {\n  const x = a.n;\n  const y = g(b, `${a}-${x}`);\n  return [y, !x, b[x] + x];\n}\n"},
		{Java(), "A.java",
			"class A { int f(A a, int b) {\n  int x = a.n;\n  int y = a.g(b, x) * (b - x);\n  return x;\n} }\n"},
	} {
		l := c.lang.(*language)
		j, err := l.start(context.Background(), memory{c.file: c.text}, refactor.Target{}, refactor.Op{Name: "inline"})
		if err != nil {
			t.Fatal(err)
		}
		f, err := syntax{j, map[string]*kit.File{}}.File(c.file)
		if err != nil {
			t.Fatal(err)
		}
		compareBetween(t, f)
	}
}

func compareBetween(t *testing.T, f *kit.File) {
	var stmt *kit.Node
	tried := 0
	f.Root().Walk(func(n *kit.Node) bool {
		if stmt == nil && n.Parent.Is(kit.Block) {
			stmt = n
		}
		if stmt == nil || n.From < stmt.To || f.Text(n) != "x" || n.Parent.Parent == nil {
			return true
		}
		before, _, ok := f.Between(stmt, n)
		if !ok {
			return true
		}
		tried++
		var got, want []int
		for _, b := range before {
			b.Walk(func(k *kit.Node) bool {
				return k.Field != "type" && leaf(k, func() { got = append(got, k.From) })
			})
		}
		f.Root().Walk(func(k *kit.Node) bool {
			if k.From >= stmt.To && k.To <= n.From && k.Field != "type" && !gets(k, n) {
				return leaf(k, func() { want = append(want, k.From) })
			}
			return k.Field != "type"
		})
		if !slices.Equal(got, want) {
			t.Errorf("%s: at %d: %v, want %v", f.Path, n.From, got, want)
		}
		return true
	})
	if tried < 2 {
		t.Errorf("%s: only %d uses tried", f.Path, tried)
	}
}

func leaf(n *kit.Node, found func()) bool {
	if len(n.Kids) == 0 {
		found()
	}
	return true
}

// gets reports whether n is the name that an assignment around the other node gives its value to.
func gets(n, other *kit.Node) bool {
	return (n.Field == "left" || n.Field == "name") && n.Kind == kit.Name && n.Parent.Covers(other.From, other.To) &&
		!n.Parent.Is(kit.Call, kit.Binary)
}
