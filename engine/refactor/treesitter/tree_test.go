package treesitter

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	sitter "github.com/smacker/go-tree-sitter"
	"github.com/smacker/go-tree-sitter/python"
)

// TestFlatTreeAgreesWithLibrary walks the same files with the library's own Go
// interface, node by node: kinds, fields, places.
func TestFlatTreeAgreesWithLibrary(t *testing.T) {
	for _, f := range stdlib(t)[:5] {
		src, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		got, err := parse(pyGrammar, src)
		if err != nil {
			t.Fatal(err)
		}
		p := sitter.NewParser()
		p.SetLanguage(python.GetLanguage())
		want, err := p.ParseCtx(context.Background(), nil, src)
		if err != nil {
			t.Fatal(err)
		}
		same(t, filepath.Base(f), got, want.RootNode(), "")
	}
}

func same(t *testing.T, file string, got *node, want *sitter.Node, field string) {
	if got.kind != want.Type() || got.from != int(want.StartByte()) || got.to != int(want.EndByte()) ||
		got.named != want.IsNamed() || got.missing != want.IsMissing() || got.field != field && got.kind != "comment" {
		t.Fatalf("%s: %s %q %d-%d, library: %s %q %d-%d", file, got.kind, got.field, got.from, got.to, want.Type(), field,
			want.StartByte(), want.EndByte())
	}
	c := got.first
	for i := range int(want.ChildCount()) {
		if c == nil {
			t.Fatalf("%s: a child of %s is missing", file, got.kind)
		}
		same(t, file, c, want.Child(i), want.FieldNameForChild(i))
		c = c.next
	}
	if c != nil {
		t.Fatalf("%s: %s has too many children", file, got.kind)
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte("def f(x): return f'{x}'"), 0)
	f.Add([]byte("const {a} = b"), 1)
	f.Fuzz(func(t *testing.T, src []byte, g int) {
		if g < 0 || g > 3 {
			return
		}
		file := []string{"a.py", "a.js", "a.ts", "a.tsx"}[g]
		var d dialect = ecma{}
		if g == 0 {
			d = pythonDialect{}
		}
		(&cache{}).get(d, file, src)
	})
}
