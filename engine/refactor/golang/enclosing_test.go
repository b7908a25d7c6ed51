package golang

import (
	"context"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"testing"

	"waferpair/engine/refactor"
)

// oneFile is a project of a single file.
type oneFile struct{ path, src string }

func (o oneFile) Files(context.Context) ([]string, error) { return []string{o.path}, nil }
func (o oneFile) Read(string) ([]byte, error)             { return []byte(o.src), nil }
func (o oneFile) Root() string                            { return "/nowhere" }

const enclosed = `package shape

// Unit is one.
const Unit = 1

var a, b = 1, 2

// Area is w by h.
func Area(w, h int) int {
	f := func() int {
		return w * h
	}
	return f()
}

type Box struct {
	// W is the width.
	W int
	H, D int
}

func (b *Box) Area() int {
	return b.W
}

type Shape interface {
	Area() int
}

func (p *Pair[K, V]) First() K {
	return p.k
}

const (
	One = iota
	Two
)
`

func TestEnclosing(t *testing.T) {
	for _, c := range []struct {
		from, to int
		kind     string
		want     string
	}{
		{4, 4, "", "const Unit"},
		{3, 3, "", "const Unit"}, // in its comment
		{2, 5, "", "const Unit"}, // covered, with blank lines
		{4, 4, "func", "nothing"},
		{6, 6, "", "declined"}, // two names
		{11, 11, "", "func Area"},
		{11, 11, "func", "func Area"},
		{9, 14, "", "func Area"},
		{8, 15, "", "func Area"},
		{16, 16, "type", "type Box"},
		{18, 18, "", "field Box.W"},
		{18, 18, "type", "type Box"},
		{19, 19, "", "declined"},
		{17, 19, "", "type Box"},
		{23, 23, "func", "method Box.Area"},
		{23, 23, "method", "method Box.Area"},
		{23, 23, "type", "nothing"},
		{12, 12, "method", "nothing"},
		{27, 27, "method", "method Shape.Area"},
		{31, 31, "func", "method Pair.First"},
		{35, 35, "", "const One"},
		{36, 36, "const", "const Two"},
		{34, 37, "", "declined"},
		{8, 24, "", "declined"},
		{8, 17, "", "declined"},      // one whole, and a part of the next
		{12, 22, "func", "declined"}, // parts of two
		{5, 10, "func", "nothing"},   // a part of one and what is above it
		{8, 20, "type", "type Box"},
		{5, 5, "", "nothing"},
		{400, 500, "", "nothing"},
	} {
		symbol, kind, ok, err := language{}.Enclosing(context.Background(), oneFile{"shape.go", enclosed},
			refactor.Target{File: "shape.go", From: c.from, To: c.to}, c.kind)
		got := kind + " " + symbol
		if _, isDeclined := err.(*refactor.Declined); isDeclined {
			got = "declined"
		} else if err != nil {
			t.Fatal(err)
		} else if !ok {
			got = "nothing"
		}
		if got != c.want {
			t.Errorf("%d-%d %q: %s, want %s (%v)", c.from, c.to, c.kind, got, c.want, err)
		}
	}
}

// TestEnclosingEveryFunction: on real code, any line of a function is in that function.
func TestEnclosingEveryFunction(t *testing.T) {
	if testing.Short() {
		t.Skip("it computes a lot: make test runs it without the race detector")
	}
	files, _ := filepath.Glob(filepath.Join(build.Default.GOROOT, "src/net/http/*.go"))
	tried := 0
	for i := 0; i < len(files); i += 3 {
		b, err := os.ReadFile(files[i])
		if err != nil {
			t.Fatal(err)
		}
		if len(b) > 20_000 {
			continue // every question parses the file again
		}
		fset := token.NewFileSet()
		tree, err := parser.ParseFile(fset, files[i], b, 0)
		if err != nil {
			t.Fatal(err)
		}
		src := oneFile{filepath.Base(files[i]), string(b)}
		for _, d := range tree.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok {
				continue
			}
			want := fn.Name.Name
			if fn.Recv != nil {
				want = receiverName(fn) + "." + want
			}
			from, to := fset.Position(fn.Pos()).Line, fset.Position(fn.End()).Line
			for _, at := range [][2]int{{from, to}, {from, from}, {to, to}, {(from + to) / 2, (from + to) / 2}} {
				symbol, _, ok, err := language{}.Enclosing(context.Background(), src,
					refactor.Target{File: src.path, From: at[0], To: at[1]}, "func")
				if !ok || err != nil || symbol != want {
					t.Errorf("%s:%d-%d: %s %v, want %s", files[i], at[0], at[1], symbol, err, want)
				}
				tried++
			}
		}
	}
	if tried < 200 {
		t.Errorf("only %d places in %d files", tried, len(files))
	}
}
