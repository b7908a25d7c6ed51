package text

import (
	"testing"

	"pgregory.net/rapid"
)

// genText draws short documents over few letters, so that random edits meet.
func genText() *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		parts := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "\n", "\r\n", "é", "€", "😀", "\xff", "line of text\n", " "}), 0, 12).Draw(t, "parts")
		s := ""
		for _, p := range parts {
			s += p
		}
		return s
	})
}

// genInsert draws what a change inserts, often nothing.
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
