package text

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
	"unicode/utf16"
	"unicode/utf8"

	"pgregory.net/rapid"
)

// smallLeaves makes trees of a few dozen bytes deep, for the rest of the test.
func smallLeaves(t testing.TB) {
	oldMax, oldMin := maxLeaf, minLeaf
	maxLeaf, minLeaf = 16, 4
	t.Cleanup(func() { maxLeaf, minLeaf = oldMax, oldMin })
}

// flat is the slow, obvious Text: the bytes, searched from the start.
type flat []byte

func (f flat) replace(from, to int, ins string) flat {
	return slices.Concat(f[:from], flat(ins), f[to:])
}

func (f flat) units() int { return len(utf16.Encode([]rune(string(f)))) }

func (f flat) toUTF16(at int) int {
	n := 0
	for b := f; ; {
		_, size := utf8.DecodeRune(b)
		if size == 0 || size > at {
			return n
		}
		n += b[:size].units()
		b, at = b[size:], at-size
	}
}

func (f flat) lineStart(line int) int {
	at := 0
	for ; line > 0; line-- {
		i := bytes.IndexByte(f[at:], '\n')
		if i < 0 {
			return len(f)
		}
		at += i + 1
	}
	return at
}

// check compares all methods of a text with the flat one.
func (f flat) check(t rapid.TB, x Text) {
	t.Helper()
	checkTree(t, x.root, true)
	if got := x.Bytes(); !bytes.Equal(got, f) {
		t.Fatalf("holds %q, want %q", got, f)
	}
	if x.Lines() != bytes.Count(f, []byte("\n"))+1 || int(x.UTF16Len()) != f.units() {
		t.Fatalf("%q: %d lines, %d units", f, x.Lines(), x.UTF16Len())
	}
	for at := range len(f) + 1 {
		f.checkAt(t, x, Byte(at))
	}
	for line := range x.Lines() + 2 {
		if got := int(x.LineStart(line)); got != f.lineStart(line) {
			t.Fatalf("%q: line %d starts at %d", f, line, got)
		}
	}
}

func (f flat) checkAt(t rapid.TB, x Text, at Byte) {
	t.Helper()
	u := x.ToUTF16(at)
	if int(u) != f.toUTF16(int(at)) {
		t.Fatalf("%q: byte %d is unit %d", f, at, u)
	}
	back, err := x.FromUTF16(u)
	if err != nil || back != at-Byte(cutBefore(f, int(at))) {
		t.Fatalf("%q: byte %d is unit %d, and that is byte %d (%v)", f, at, u, back, err)
	}
	if want := bytes.Count(f[:at], []byte("\n")); x.LineAt(at) != want {
		t.Fatalf("%q: byte %d in line %d, want %d", f, at, x.LineAt(at), want)
	}
	if off, err := x.Offset(x.LineCol(at)); err != nil || off != at {
		t.Fatalf("%q: byte %d is %v, and that is byte %d (%v)", f, at, x.LineCol(at), off, err)
	}
}

// checkTree checks the invariants of node.
func checkTree(t rapid.TB, n *node, whole bool) {
	t.Helper()
	switch {
	case n == nil:
		if !whole {
			t.Fatal("nil inside a tree")
		}
	case n.height == 0:
		if len(n.leaf) == 0 || len(n.leaf) > maxLeaf || !whole && len(n.leaf) < minLeaf || int(n.size) != len(n.leaf) {
			t.Fatalf("leaf of %d bytes, said to be %d", len(n.leaf), n.size)
		}
	default:
		checkTree(t, n.left, false)
		checkTree(t, n.right, false)
		l, r := n.left, n.right
		if n.height != 1+max(l.height, r.height) || max(l.height, r.height)-min(l.height, r.height) > 1 {
			t.Fatalf("node of height %d over %d and %d", n.height, l.height, r.height)
		}
		if n.size != l.size+r.size || n.units != l.units+r.units || n.breaks != l.breaks+r.breaks {
			t.Fatal("sums are wrong")
		}
		if straddles(l.lastLeaf(), r.firstLeaf()) {
			t.Fatalf("a character lies across leaves %q and %q", l.lastLeaf(), r.firstLeaf())
		}
	}
}

func testRopeAgainstFlat(t *rapid.T) {
	f := flat(genText().Draw(t, "start"))
	x := Of(f)
	f.check(t, x)
	for range rapid.IntRange(1, 8).Draw(t, "steps") {
		from := rapid.IntRange(0, len(f)).Draw(t, "from")
		to := rapid.IntRange(from, len(f)).Draw(t, "to")
		before, old := slices.Clone(f), x
		switch rapid.IntRange(0, 3).Draw(t, "what") {
		case 0:
			f, x = f[from:to:to], x.Slice(Byte(from), Byte(to))
		case 1:
			f, x = slices.Concat(f[from:], f[:to]), x.Slice(Byte(from), x.Len()).Concat(x.Slice(0, Byte(to)))
		default:
			ins := genText().Draw(t, "ins")
			f, x = f.replace(from, to, ins), x.Replace(Byte(from), Byte(to), ins)
		}
		f.check(t, x)
		if !bytes.Equal(old.Bytes(), before) {
			t.Fatal("an older text changed")
		}
	}
}

func TestRopeAgainstFlat(t *testing.T) {
	if testing.Short() {
		t.Skip("it computes a lot: make test runs it without the race detector")
	}
	rapid.Check(t, testRopeAgainstFlat)
	smallLeaves(t)
	rapid.Check(t, testRopeAgainstFlat)
}

// TestCharactersComeTogether: the halves of a character arrive one by one, in any order.
func TestCharactersComeTogether(t *testing.T) {
	if testing.Short() {
		t.Skip("it computes a lot: make test runs it without the race detector")
	}
	smallLeaves(t)
	rapid.Check(t, func(t *rapid.T) {
		var f flat
		var x Text
		for range rapid.IntRange(1, 60).Draw(t, "n") {
			at := rapid.IntRange(0, len(f)).Draw(t, "at")
			b := rapid.SampledFrom([]string{"\xf0", "\x9f", "\x98", "\x80", "\xc3", "\xe2\x82", "a", "\n", "€€€€€"}).Draw(t, "b")
			f, x = f.replace(at, at, b), x.Replace(Byte(at), Byte(at), b)
		}
		f.check(t, x)
	})
}

func TestReadingAgainstFlat(t *testing.T) {
	smallLeaves(t)
	rapid.Check(t, func(t *rapid.T) {
		f := flat(genText().Draw(t, "text"))
		x := Of(f)
		if got, err := io.ReadAll(x.Reader()); err != nil || !bytes.Equal(got, f) {
			t.Fatalf("read %q (%v)", got, err)
		}
		var w bytes.Buffer
		if n, err := x.WriteTo(&w); err != nil || int(n) != len(f) || !bytes.Equal(w.Bytes(), f) {
			t.Fatalf("wrote %q (%v)", w.Bytes(), err)
		}
		from := rapid.IntRange(0, len(f)).Draw(t, "from")
		to := rapid.IntRange(from, len(f)).Draw(t, "to")
		got, err := io.ReadAll(io.NewSectionReader(x, int64(from), int64(to-from)))
		if err != nil || !bytes.Equal(got, f[from:to]) {
			t.Fatalf("section %q (%v)", got, err)
		}
		sep := rapid.SampledFrom([]string{string(f[from:to]), "", "\n", "b\n", "line of text\nline"}).Draw(t, "sep")
		want := bytes.Index(f[from:], []byte(sep))
		if want >= 0 {
			want += from
		}
		if got := x.Index(sep, Byte(from)); int(got) != want {
			t.Fatalf("%q from %d in %q: at %d, want %d", sep, from, f, got, want)
		}
		other := genText().Draw(t, "other")
		if x.Equal(OfString(other)) != (other == string(f)) || !x.Equal(x.Slice(0, Byte(from)).Concat(Of(f[from:]))) {
			t.Fatalf("Equal of %q and %q", f, other)
		}
	})
}

// TestRopeOnRealFiles edits Go's own source at random for long enough that the tree is
// rebuilt many times, with leaves of the real size.
func TestRopeOnRealFiles(t *testing.T) {
	if testing.Short() {
		t.Skip("it computes a lot: make test runs it without the race detector")
	}
	x := readText(t, filepath.Join(goroot(t), "src/net/http/server.go"))
	f := flat(x.Bytes())
	r := rand.New(rand.NewPCG(3, 4))
	for i := range 3000 {
		from := r.IntN(len(f) + 1)
		to := min(len(f), from+r.IntN(40))
		ins := string(f[from:min(len(f), from+r.IntN(41))])
		if i%300 == 0 { // a large move
			to, ins = min(len(f), from+5000), string(f[len(f)/2:min(len(f), len(f)/2+6000)])
		}
		f, x = f.replace(from, to, ins), x.Replace(Byte(from), Byte(to), ins)
		if i%100 == 0 { // the reference is slow
			f.checkAt(t, x, Byte(r.IntN(len(f)+1)))
		}
	}
	checkTree(t, x.root, true)
	if !bytes.Equal(x.Bytes(), f) {
		t.Fatal("wrong contents")
	}
}

// TestMemoryStaysFlat: the memory stays in proportion to the text, whether it was typed
// byte by byte, appended by the token, or cut down.
func TestMemoryStaysFlat(t *testing.T) {
	if testing.Short() {
		t.Skip("it computes a lot: make test runs it without the race detector")
	}
	typed, appended := Text{}, Text{}
	for i := range 50_000 {
		at := Byte(i / 2)
		typed = typed.Replace(at, at, "x")
		appended = appended.Concat(OfString("tok "))
	}
	cut := OfString(source(1 << 20))
	for cut.Len() > 400_000 {
		at := cut.Len() / 3
		cut = cut.Replace(at, at+7, "")
	}
	for name, x := range map[string]Text{"typed": typed, "appended": appended, "cut down": cut} {
		leaves, held := 0, 0
		for leaf := range x.Chunks {
			leaves++
			held += cap(leaf)
		}
		if mean := int(x.Len()) / leaves; mean < maxLeaf/4 || held > 2*int(x.Len()) {
			t.Errorf("%s: %d leaves of %d bytes in the mean, %d bytes held for %d", name, leaves, mean, held, x.Len())
		}
	}
}

// TestEditsShare: an edit of a large text allocates a leaf or two and a path, not a copy.
func TestEditsShare(t *testing.T) {
	x := OfString(source(1 << 20))
	r := rand.New(rand.NewPCG(5, 6))
	var before, after runtime.MemStats
	const edits = 2000
	runtime.ReadMemStats(&before)
	for range edits {
		at := Byte(r.IntN(1 << 19))
		x = x.Replace(at, at+3, "four")
	}
	runtime.ReadMemStats(&after)
	if each := (after.TotalAlloc - before.TotalAlloc) / edits; each > 8<<10 {
		t.Errorf("an edit of %d bytes allocates %d", x.Len(), each)
	}
}

func TestOutOfRangePanics(t *testing.T) {
	x := OfString("a😀\nb")
	for name, f := range map[string]func(){
		"Slice":   func() { x.Slice(0, x.Len()+1) },
		"Slice 2": func() { x.Slice(2, 1) },
		"Slice 3": func() { x.Slice(-1, 1) },
		"Replace": func() { x.Replace(x.Len()+1, x.Len()+1, "") },
		"ToUTF16": func() { x.ToUTF16(x.Len() + 1) },
		"LineAt":  func() { x.LineAt(-1) },
		"Index":   func() { x.Index("a", x.Len()+1) },
		"MapPos":  func() { Retain(3).MapPos(4, 1) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			f()
		}()
	}
	for _, p := range []LineCol{{-1, 0}, {0, -1}, {0, 6}, {1, 2}, {2, 0}} {
		if at, err := x.Offset(p); !errors.Is(err, ErrPosition) {
			t.Errorf("Offset(%v) = %d, %v", p, at, err)
		}
	}
	for _, u := range []UTF16{-1, 2, 6} {
		if at, err := x.FromUTF16(u); !errors.Is(err, ErrPosition) {
			t.Errorf("FromUTF16(%d) = %d, %v", u, at, err)
		}
	}
	if _, err := x.FromUTF16(5); err != nil {
		t.Error(err)
	}
	if n, err := x.ReadAt(make([]byte, 9), 0); n != int(x.Len()) || err != io.EOF {
		t.Errorf("ReadAt beyond the end: %d, %v", n, err)
	}
	if _, err := x.ReadAt(make([]byte, 1), int64(x.Len())); err != io.EOF {
		t.Errorf("ReadAt at the end: %v", err)
	}
	if _, err := x.ReadAt(make([]byte, 1), -1); err == nil || err == io.EOF {
		t.Errorf("ReadAt before the start: %v", err)
	}
}
