package text

import (
	"errors"
	"slices"
	"testing"

	"pgregory.net/rapid"

	_ "waferpair/build/testseed/rapidseed"
)

// genText draws short documents over few letters, so that random edits meet.
func genText() *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		parts := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "\n", "\r\n", "é", "€", "😀", "\xff",
			"line of text\n", " "}), 0, 12).Draw(t, "parts")
		s := ""
		for _, p := range parts {
			s += p
		}
		return s
	})
}

// genInsert draws the inserted text of a change, often empty.
var genInsert = rapid.SampledFrom([]string{"", "", "", "x", "yz", "\n", "𝄞", "\xf0", "a\r\nb"})

// genChange draws a change set for a document of n bytes, with insertions and
// deletions side by side in any order.
func genChange(n int) *rapid.Generator[ChangeSet] {
	return rapid.Custom(func(t *rapid.T) ChangeSet {
		var b builder
		for left := n; ; {
			b.replace(0, genInsert.Draw(t, "insert"))
			if left == 0 {
				return b.done()
			}
			k := rapid.IntRange(1, left).Draw(t, "len")
			left -= k
			if rapid.Bool().Draw(t, "keep") {
				b.keep(Byte(k))
			} else {
				b.replace(Byte(k), genInsert.Draw(t, "instead"))
			}
		}
	})
}

func must[T any](t rapid.TB, v T, err error) T {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func apply(t rapid.TB, c ChangeSet, doc Text) Text {
	t.Helper()
	v, err := c.Apply(doc)
	return must(t, v, err)
}

func TestComposeIsApplyAfterApply(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		doc := OfString(genText().Draw(t, "doc"))
		a := genChange(int(doc.Len())).Draw(t, "a")
		mid := apply(t, a, doc)
		b := genChange(int(mid.Len())).Draw(t, "b")
		ab, err := a.Compose(b)
		must(t, ab, err)
		if got, want := apply(t, ab, doc), apply(t, b, mid); !got.Equal(want) {
			t.Fatalf("composed gives %q, want %q", got, want)
		}
	})
}

func TestMapDiamond(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		doc := OfString(genText().Draw(t, "doc"))
		a := genChange(int(doc.Len())).Draw(t, "a")
		b := genChange(int(doc.Len())).Draw(t, "b")
		b2, err := b.Map(a, false)
		must(t, b2, err)
		a2, err := a.Map(b, true)
		must(t, a2, err)
		if x, y := apply(t, b2, apply(t, a, doc)), apply(t, a2, apply(t, b, doc)); !x.Equal(y) {
			t.Fatalf("a then b: %q; b then a: %q", x, y)
		}
	})
}

func TestInvertUndoes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		doc := OfString(genText().Draw(t, "doc"))
		c := genChange(int(doc.Len())).Draw(t, "c")
		inv, err := c.Invert(doc)
		must(t, inv, err)
		changed := apply(t, c, doc)
		if got := apply(t, inv, changed); !got.Equal(doc) {
			t.Fatalf("undone gives %q, want %q", got, doc)
		}
		again, err := inv.Invert(changed)
		if must(t, again, err); !again.Equal(c) {
			t.Fatalf("inverted twice gives %v, want %v", again, c)
		}
	})
}

// TestMapPos: mapped positions keep their order, and their kept neighbours.
func TestMapPos(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		doc := OfString(genText().Draw(t, "doc"))
		a := genChange(int(doc.Len())).Draw(t, "a")
		last := Byte(0)
		for pos := range doc.Len() + 1 {
			before, gone := a.MapPosTracked(pos, -1)
			after, gone2 := a.MapPosTracked(pos, 1)
			if before > after || before < last || after > a.NewLen() || gone != gone2 || before != a.MapPos(pos, -1) {
				t.Fatalf("%v maps %d to %d..%d", a, pos, before, after)
			}
			last = before
			checkNeighbours(t, a, doc, pos)
		}
	})
}

// checkNeighbours checks that a kept byte is still beside a position that was
// beside it.
func checkNeighbours(t *rapid.T, c ChangeSet, doc Text, pos Byte) {
	out := apply(t, c, doc)
	at := Byte(0)
	for _, s := range c.secs {
		if s.keep && at <= pos && pos < at+s.old {
			if got := out.Slice(c.MapPos(pos, 1), out.Len()); got.Bytes()[0] != doc.Bytes()[pos] {
				t.Fatalf("%v: byte %d is not after its position", c, pos)
			}
		}
		if s.keep && at < pos && pos <= at+s.old {
			if got := out.Slice(0, c.MapPos(pos, -1)); got.Bytes()[got.Len()-1] != doc.Bytes()[pos-1] {
				t.Fatalf("%v: byte %d is not before its position", c, pos-1)
			}
		}
		at += s.old
	}
}

// conflictsSlowly is the obvious test for a conflict: mark every byte that one deletes, and
// every place between two bytes that it deletes with one change.
func conflictsSlowly(a, b ChangeSet) bool {
	type marks struct{ bytes, places, inserts map[Byte]bool }
	mark := func(c ChangeSet) marks {
		m := marks{map[Byte]bool{}, map[Byte]bool{}, map[Byte]bool{}}
		for ch := range c.Changes {
			for i := ch.From; i < ch.To; i++ {
				m.bytes[i] = true
				m.places[i] = i > ch.From
			}
			m.inserts[ch.From] = ch.From == ch.To
		}
		return m
	}
	x, y := mark(a), mark(b)
	for i := range a.Len() + 1 {
		if x.bytes[i] && y.bytes[i] || x.inserts[i] && y.places[i] || y.inserts[i] && x.places[i] {
			return true
		}
	}
	return false
}

func TestConflicts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 12).Draw(t, "n")
		a, b := genChange(n).Draw(t, "a"), genChange(n).Draw(t, "b")
		if got, want := a.Overlaps(b), conflictsSlowly(a, b); got != want {
			t.Fatalf("%v and %v: %v, want %v", a, b, a.Conflicts(b), want)
		}
		at := Range{}
		for _, r := range a.Conflicts(b) {
			if r.From < at.To || r.To < r.From || r.To > Byte(n) {
				t.Fatalf("%v and %v: %v", a, b, a.Conflicts(b))
			}
			at = r
		}
		if !slices.Equal(a.Conflicts(b), b.Conflicts(a)) {
			t.Fatal("not symmetric")
		}
	})
}

func TestConflictExamples(t *testing.T) {
	at := func(changes ...Change) ChangeSet {
		c, err := NewChangeSet(20, changes...)
		return must(t, c, err)
	}
	for _, c := range []struct {
		name string
		a, b ChangeSet
		want []Range
	}{
		{"insertions at the same place", at(Change{5, 5, "x"}), at(Change{5, 5, "y"}), nil},
		{"deletions that touch", at(Change{5, 8, ""}), at(Change{8, 10, ""}), nil},
		{"insertion at the edge", at(Change{5, 8, "x"}), at(Change{5, 5, "y"}, Change{8, 8, "z"}), nil},
		{"insertion inside", at(Change{5, 8, ""}), at(Change{6, 6, "y"}), []Range{{6, 6}}},
		{"deletions that overlap", at(Change{5, 8, ""}, Change{10, 20, ""}), at(Change{7, 12, ""}),
			[]Range{{7, 8}, {10, 12}}},
		{"the same deletion", at(Change{5, 8, ""}), at(Change{5, 8, ""}), []Range{{5, 8}}},
		{"nothing", Retain(20), at(Change{0, 20, ""}), nil},
	} {
		if got := c.a.Conflicts(c.b); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

func TestPiecesAndTouched(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		doc := OfString(genText().Draw(t, "doc"))
		c := genChange(int(doc.Len())).Draw(t, "c")
		again, err := NewChangeSet(c.Len(), slices.Collect(c.Pieces)...)
		if must(t, again, err); !again.Equal(c) {
			t.Fatalf("%v from its pieces is %v", c, again)
		}
		joined, err := NewChangeSet(c.Len(), slices.Collect(c.Changes)...)
		if must(t, joined, err); !apply(t, joined, doc).Equal(apply(t, c, doc)) {
			t.Fatalf("%v from its changes is %v", c, joined)
		}
		from, to := c.Touched()
		changes := slices.Collect(c.Changes)
		if c.Empty() != (len(changes) == 0) || !c.Empty() && (from != changes[0].From || to != changes[len(changes)-1].To) {
			t.Fatalf("%v touches %d-%d", c, from, to)
		}
		if c.Empty() && !c.Equal(Retain(doc.Len())) {
			t.Fatalf("%v is empty, but not the identity", c)
		}
	})
}

func TestNewChangeSetRefuses(t *testing.T) {
	for _, changes := range [][]Change{
		{{-1, 0, ""}}, {{0, 6, ""}}, {{3, 2, ""}}, {{6, 6, "x"}},
		{{0, 3, ""}, {2, 4, ""}}, {{0, 3, ""}, {1, 1, "x"}},
	} {
		if c, err := NewChangeSet(5, changes...); err == nil {
			t.Errorf("%v: made %v", changes, c)
		}
	}
}

// TestWrongLengthIsRefused: every operation refuses a change set for another length.
func TestWrongLengthIsRefused(t *testing.T) {
	c, other := Retain(5), OfString("four")
	insert, err := NewChangeSet(4, Change{0, 0, "x"})
	must(t, insert, err)
	_, applyErr := c.Apply(other)
	_, invertErr := c.Invert(other)
	_, composeErr := c.Compose(Retain(4))
	_, mapErr := c.Map(insert, false)
	_, marshalErr := c.MarshalCM(other)
	for i, err := range []error{applyErr, invertErr, composeErr, mapErr, marshalErr} {
		if !errors.Is(err, ErrLength) {
			t.Errorf("operation %d: %v", i, err)
		}
	}
}
