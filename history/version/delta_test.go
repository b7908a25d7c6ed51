package version

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	_ "waferpair/build/testseed/rapidseed"
	"waferpair/workspace/text"
)

func aText() *rapid.Generator[string] {
	return rapid.StringOfN(rapid.RuneFrom([]rune("ab\n\n\nc")), 0, 60, -1)
}

func TestDeltaThereAndBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		before := text.OfString(aText().Draw(t, "before") + strings.Repeat("long\n", rapid.IntRange(0, 100).Draw(t, "more")))
		after := aText().Draw(t, "after")
		cs := text.Diff(before, text.OfString(after))
		d, err := DecodeDelta(MakeDelta(before, cs).Encode())
		if err != nil {
			t.Fatal(err)
		}
		there, err := d.Changes()
		if err != nil {
			t.Fatal(err)
		}
		back, err := d.Inverse()
		if err != nil {
			t.Fatal(err)
		}
		got, _ := there.Apply(before)
		again, _ := back.Apply(got)
		if got.String() != after || !again.Equal(before) {
			t.Fatalf("%q and %q", got, again)
		}
	})
}

func FuzzDecodeDelta(f *testing.F) {
	f.Add([]byte{0, 4, 0, 3, 3, 'o', 'l', 'd', 'n', 'e', 'w'})
	f.Add([]byte{1, 2, 3})
	f.Fuzz(func(t *testing.T, b []byte) {
		if d, err := DecodeDelta(b); err == nil {
			d.Changes()
			d.Inverse()
		}
	})
}

func TestLineCounts(t *testing.T) {
	for _, c := range []struct {
		before, after  string
		added, removed int
	}{
		{"a\nb\n", "a\nx\nb\n", 1, 0},
		{"a\nb\n", "b\n", 0, 1},
		{"a\nb\n", "a\nB\n", 1, 1},
		{"a\nb\n", "a\nb1\nb2\n", 2, 1},
		{"", "a\n", 1, 0},
	} {
		before := text.OfString(c.before)
		a, r := MakeDelta(before, text.Diff(before, text.OfString(c.after))).Lines(before)
		if a != c.added || r != c.removed {
			t.Errorf("%q -> %q: +%d -%d, want +%d -%d", c.before, c.after, a, r, c.added, c.removed)
		}
	}
	two := text.OfString("one two\n")
	cs, _ := text.NewChangeSet(two.Len(), text.Change{From: 0, To: 3, Insert: "1"},
		text.Change{From: 4, To: 7, Insert: "2"})
	if a, r := MakeDelta(two, cs).Lines(two); a != 1 || r != 1 {
		t.Errorf("two changes in a line count +%d -%d", a, r)
	}
}
