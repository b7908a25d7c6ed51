package history

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"waferpair/workspace/text"
)

func someText() *rapid.Generator[string] {
	return rapid.StringOfN(rapid.RuneFrom([]rune("ab\n\n\nc")), 0, 60, -1)
}

func TestDiffLeadsFromOneToTheOther(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := someText().Draw(t, "a"), someText().Draw(t, "b")
		got, err := diffTexts([]byte(a), []byte(b)).Apply(text.OfString(a))
		if err != nil || got.String() != b {
			t.Fatalf("%q, want %q (%v)", got, b, err)
		}
	})
}

func TestDiffIsShortest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := splitLines([]byte(someText().Draw(t, "a"))), splitLines([]byte(someText().Draw(t, "b")))
		n := 0
		for _, p := range diffLines(a, b) {
			n += p.a1 - p.a0 + p.b1 - p.b0
		}
		if want := len(a) + len(b) - 2*common(a, b); n != want {
			t.Fatalf("%d lines differ, the least is %d", n, want)
		}
	})
}

// common is the length of the longest common subsequence, by the textbook table.
func common(a, b [][]byte) int {
	t := make([][]int, len(a)+1)
	t[0] = make([]int, len(b)+1)
	for i := range a {
		t[i+1] = make([]int, len(b)+1)
		for j := range b {
			t[i+1][j+1] = max(t[i][j+1], t[i+1][j])
			if string(a[i]) == string(b[j]) {
				t[i+1][j+1] = t[i][j] + 1
			}
		}
	}
	return t[len(a)][len(b)]
}

func TestMergeKeepsBothSides(t *testing.T) {
	base := "1\n2\n3\n4\n5\n6\n"
	for _, c := range []struct{ ours, theirs, want string }{
		{"one\n2\n3\n4\n5\n6\n", "1\n2\n3\n4\n5\nsix\n", "one\n2\n3\n4\n5\nsix\n"},
		{"1\n3\n4\n5\n6\n", "1\n2\n3\n4\n5\n6\n7\n", "1\n3\n4\n5\n6\n7\n"},
		{"1\nX\n3\n4\n5\n6\n", "1\nX\n3\n4\n5\n6\n", "1\nX\n3\n4\n5\n6\n"}, // the same on both sides
		{"1\nX\n3\n4\n5\n6\n", "1\nY\n3\n4\n5\n6\n", ""},                   // a conflict
		{"1\nX\n3\n4\n5\n6\n", "1\n2\nY\n4\n5\n6\n", ""},                   // touching: a conflict too
	} {
		cs, ok := merge3([]byte(base), []byte(c.ours), []byte(c.theirs))
		if ok != (c.want != "") {
			t.Errorf("%q and %q: merged is %v", c.ours, c.theirs, ok)
			continue
		}
		if got, _ := cs.Apply(text.OfString(c.ours)); ok && got.String() != c.want {
			t.Errorf("%q and %q give %q, want %q", c.ours, c.theirs, got, c.want)
		}
	}
}

func TestDeltaThereAndBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		before := text.OfString(someText().Draw(t, "before") + strings.Repeat("long\n", rapid.IntRange(0, 100).Draw(t, "more")))
		after := someText().Draw(t, "after")
		cs := diffTexts(before.Bytes(), []byte(after))
		d, err := decodeDelta(makeDelta(before, cs).encode())
		if err != nil {
			t.Fatal(err)
		}
		there, err := d.changes()
		if err != nil {
			t.Fatal(err)
		}
		back, err := d.inverse()
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
		if d, err := decodeDelta(b); err == nil {
			d.changes()
			d.inverse()
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
		a, r := countLines(before, makeDelta(before, diffTexts([]byte(c.before), []byte(c.after))))
		if a != c.added || r != c.removed {
			t.Errorf("%q -> %q: +%d -%d, want +%d -%d", c.before, c.after, a, r, c.added, c.removed)
		}
	}
	two := text.OfString("one two\n")
	cs, _ := text.NewChangeSet(two.Len(), text.Change{From: 0, To: 3, Insert: "1"}, text.Change{From: 4, To: 7, Insert: "2"})
	if a, r := countLines(two, makeDelta(two, cs)); a != 1 || r != 1 {
		t.Errorf("two changes in a line count +%d -%d", a, r)
	}
}
