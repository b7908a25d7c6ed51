package treesitter

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unsafe"

	sitter "github.com/tree-sitter/go-tree-sitter"
	java "github.com/tree-sitter/tree-sitter-java/bindings/go"
	python "github.com/tree-sitter/tree-sitter-python/bindings/go"
)

// TestFlatTreeAgreesWithLibrary walks the same files with the library's own Go
// interface, node by node: kinds, fields, places.
func TestFlatTreeAgreesWithLibrary(t *testing.T) {
	for _, f := range stdlib(t)[:5] {
		src, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		agrees(t, filepath.Base(f), pyGrammar, python.Language(), src)
	}
	src, err := os.ReadFile("testdata/Sample.java")
	if err != nil {
		t.Fatal(err)
	}
	agrees(t, "Sample.java", javaGrammar, java.Language(), src)
}

func agrees(t *testing.T, file string, g grammar, lang unsafe.Pointer, src []byte) {
	t.Helper()
	got, err := parse(g, src)
	if err != nil {
		t.Fatal(err)
	}
	p := sitter.NewParser()
	defer p.Close()
	if err := p.SetLanguage(sitter.NewLanguage(lang)); err != nil {
		t.Fatal(err)
	}
	want := p.Parse(src, nil)
	defer want.Close()
	same(t, file, got, want.RootNode(), "")
}

func same(t *testing.T, file string, got *node, want *sitter.Node, field string) {
	t.Helper()
	kind := want.Kind()
	if strings.HasSuffix(kind, "_comment") {
		kind = "comment"
	}
	if got.kind != kind || got.from != int(want.StartByte()) || got.to != int(want.EndByte()) ||
		got.named != want.IsNamed() || got.missing != want.IsMissing() || got.field != field && got.kind != "comment" {
		t.Fatalf("%s: %s %q %d-%d, library: %s %q %d-%d", file, got.kind, got.field, got.from, got.to, want.Kind(), field,
			want.StartByte(), want.EndByte())
	}
	c := got.first
	for i := range want.ChildCount() {
		if c == nil {
			t.Fatalf("%s: a child of %s is missing", file, got.kind)
		}
		same(t, file, c, want.Child(i), want.FieldNameForChild(uint32(i)))
		c = c.next
	}
	if c != nil {
		t.Fatalf("%s: %s has too many children", file, got.kind)
	}
}

// TestParseGivesUp: a megabyte in which every error makes the next one dearer takes
// minutes; the parser stops when its time is over, whatever it is doing.
func TestParseGivesUp(t *testing.T) {
	usual := patience
	patience = func(int) time.Duration { return 20 * time.Millisecond }
	defer func() { patience = usual }()
	src := []byte("x=" + strings.Repeat("a?b:", 1<<18))
	if _, err := parse(pyGrammar, src); err == nil || !strings.Contains(err.Error(), "gave up") {
		t.Fatalf("parsed, or failed otherwise: %v", err)
	}
	patience = usual
	if _, err := parse(pyGrammar, []byte("x = 1\n")); err != nil {
		t.Fatal("the next file: ", err)
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
