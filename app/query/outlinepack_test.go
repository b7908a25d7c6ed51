package query

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"io"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"waferpair/app/fuzzy"
	"waferpair/history"
)

// unpackedAs opens and unpacks an outline.
func unpackedAs(h history.Hash, name string, data []byte) ([]Symbol, bool) {
	if !intact(h, data) {
		return nil, false
	}
	k, ok := opened(name, string(data[outlineHead:]))
	if !ok {
		return nil, false
	}
	f := rowed{k.text, make([]row, k.n)}
	if !k.unpack(f.rows) {
		return nil, false
	}
	return f.symbols(name), true
}

func (f *rowed) symbols(name string) []Symbol {
	out := make([]Symbol, len(f.rows))
	for i := range out {
		out[i] = f.symbol(name, i)
	}
	return out
}

// plainly unpacks an outline in the simplest way: symbol by symbol, with a string for each
// word.
func plainly(name string, data []byte) (out []Symbol) {
	r := bytes.NewReader(data[outlineHead:])
	number := func() int { n, _ := binary.ReadUvarint(r); return int(n) }
	word := func(n int) string {
		b := make([]byte, n)
		_, _ = io.ReadFull(r, b)
		return string(b)
	}
	word(number()) // the language
	text := bytes.NewBufferString(word(number()))
	for range number() {
		s := Symbol{Path: name, Kind: outlineKinds[number()]}
		var last Symbol
		if len(out) > 0 {
			last = out[len(out)-1]
		}
		line, _ := binary.ReadVarint(r)
		s.Line = last.Line + int(line)
		s.EndLine = s.Line + number()
		switch n := number(); n {
		case 0:
		case 1:
			s.Container = last.Container
		default:
			s.Container = string(text.Next(n - 2))
		}
		s.Name = string(text.Next(number()))
		s.params = string(text.Next(number()))
		out = append(out, s)
	}
	return out
}

// TestRows checks that the symbols of a file, and the names to search, are the same whether
// the file was just parsed, its stored outline is unpacked, or that is unpacked plainly.
func TestRows(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list := drawSymbols(t, "a.go")
		h := history.Hash{}
		data, _ := packed(h, "a.go", list)
		kept, ok := unpackedAs(h, "a.go", data)
		if plain := plainly("a.go", data); !ok || !slices.Equal(plain, list) || !slices.Equal(kept, plain) {
			t.Fatalf("%+v, plainly %+v, not %+v", kept, plain, list)
		}
		read := rowsOf(list)
		if got := read.symbols("a.go"); !slices.Equal(got, list) {
			t.Fatalf("%+v, not %+v", got, list)
		}
		names := make([]fuzzy.Name, len(list))
		read.name(names)
		for i, s := range list {
			whole, last := s.Name, 0
			if s.Container != "" {
				whole, last = s.Container+"."+s.Name, len(s.Container)+1
			}
			if want := fuzzy.Late(whole, last); names[i] != want {
				t.Fatalf("%+v, not %+v", names[i], want)
			}
		}
	})
}

func drawSymbols(t *rapid.T, name string) []Symbol {
	words := rapid.SampledFrom([]string{"a", "Serve", "größe", "数", "Type.method", "a heading of words", ""})
	var out []Symbol
	for range rapid.IntRange(0, 20).Draw(t, "n") {
		line := rapid.IntRange(1, 100_000).Draw(t, "line")
		out = append(out, Symbol{Name: words.Draw(t, "name"), Kind: rapid.SampledFrom(outlineKinds).Draw(t, "kind"),
			Container: words.Draw(t, "container"), Path: name, Line: line,
			EndLine: line + rapid.IntRange(0, 300).Draw(t, "below"),
			params:  rapid.SampledFrom([]string{"", "a", "ctx,größe"}).Draw(t, "params")})
	}
	return out
}

// TestPackedOutlines checks that outlines unpack to what was packed, and that any change of
// their bytes is detected.
func TestPackedOutlines(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := history.HashBytes([]byte(rapid.String().Draw(t, "content")))
		list := drawSymbols(t, "a/b.go")
		data, ok := packed(h, "a/b.go", list)
		if !ok {
			t.Fatal("not packed")
		}
		for _, name := range []string{"a/b.go", "c/other.go"} {
			for i := range list {
				list[i].Path = name
			}
			if got, ok := unpackedAs(h, name, data); !ok || !slices.Equal(got, list) {
				t.Fatalf("%+v, %v, not %+v", got, ok, list)
			}
		}
		if _, ok := unpackedAs(h, "a/b.py", data); ok {
			t.Fatal("a file of another language has it")
		}
		if _, ok := unpackedAs(history.Hash{1}, "a/b.go", data); ok {
			t.Fatal("another content has it")
		}
		bad := slices.Clone(data)
		bad[rapid.IntRange(0, len(bad)-1).Draw(t, "at")] ^= byte(rapid.IntRange(1, 255).Draw(t, "bits"))
		if _, ok := unpackedAs(h, "a/b.go", bad); ok {
			t.Fatalf("%x passes for %x", bad, data)
		}
		if _, ok := unpackedAs(h, "a/b.go", data[:rapid.IntRange(0, len(data)-1).Draw(t, "cut")]); ok {
			t.Fatal("a part passes for all")
		}
	})
}

// TestHostileOutlines checks that bytes that no program packed, with the right checksum,
// are refused or unpack to some outline, but never panic.
func TestHostileOutlines(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := history.Hash{}
		data, _ := packed(h, "a.go", drawSymbols(t, "a.go"))
		for range rapid.IntRange(1, 3).Draw(t, "times") {
			data[rapid.IntRange(4, len(data)-1).Draw(t, "at")] = rapid.Byte().Draw(t, "byte")
		}
		sum := outlineSum(h, data[4:])
		data[0], data[1], data[2], data[3] = byte(sum), byte(sum>>8), byte(sum>>16), byte(sum>>24)
		unpackedAs(h, "a.go", data)
	})
}

// TestOutlineFormat fails if the same files have another outline, or the same outline other
// bytes, than when outlineFormat was last increased: the outlines in users' histories would
// be wrong. In that case increase it, and change the sum here.
func TestOutlineFormat(t *testing.T) {
	const format, want = 2, "dc54b3c5e72b408a"
	all := sha256.New()
	for _, f := range []struct{ name, src string }{
		{"a.go", "package a\n\nimport \"io\"\n\nconst (\n\tOne = iota\n\tTwo\n)\n\nvar x, Y = 1, 2\n\ntype T[P any] struct {\n\tio.Reader\n\tA, b int\n\tin struct{ C int }\n}\n\ntype I interface {\n\tM(int) error\n}\n\ntype A = T[int]\n\nfunc (t *T[P]) Do() { func() {}() }\n\nfunc main() {\n\tlocal := 1\n\t_ = local\n}\n"},
		{"broken.go", "package a\n\nfunc f() {\n\nfunc g( {}\n"},
		{"a.py", "import os\n\nLIMIT = 3\na, b = 1, 2\n\nclass C(Base):\n    field: int = 1\n    other = 2\n\n    @property\n    def size(self):\n        def inner():\n            pass\n        self.kept = 1\n        return 1\n\nasync def go():\n    x = 1\n\nif True:\n    def maybe(): pass\n"},
		{"a.ts", "export const limit = 3\nlet a = 1, b = 2\nexport class C<T> extends B {\n  #hidden = 1\n  static s = 2\n  constructor(private x: number) {}\n  get size(): number { return 1 }\n  run = () => { const inner = 1 }\n}\ninterface I { m(): void; p: number }\ntype A = { q: number }\nenum E { One, Two }\nnamespace N { export function f() {} }\nexport default function main() {}\n"},
		{"a.tsx", "export const View = () => <div id='x'>{1}</div>\nfunction Other() { return <View/> }\n"},
		{"a.js", "const x = require('x')\nfunction f() {}\nmodule.exports = { f, g() {} }\n"},
		{"a.md", "# One\ntext\n## Two #\n"},
		{"a.rs", "pub struct S;\nimpl S { fn m() {} }\nmacro_rules! m { }\n"},
		{"a.c", "#define LIMIT 5\nint read_all(int fd)\n{\n}\nstruct node {\n};\n"},
		{"Makefile", "all: build\nbuild:\n\tgo build\n"},
	} {
		list, err := outline(f.name, []byte(f.src))
		data, ok := packed(history.Hash{}, f.name, list)
		if err != nil || !ok || len(list) == 0 {
			t.Fatalf("%s: %v, %v, %v", f.name, list, err, ok)
		}
		fmt.Fprintf(all, "%s %+v %x\n", f.name, list, data)
	}
	if got := fmt.Sprintf("%x", all.Sum(nil)[:8]); got != want || outlineFormat != format {
		t.Errorf("format %d gives %s; it was %d with %s", outlineFormat, got, format, want)
	}
}
