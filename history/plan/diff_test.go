package plan

import (
	"testing"

	"pgregory.net/rapid"

	_ "waferpair/build/testseed/rapidseed"
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

// common returns the length of the longest common subsequence, by the textbook table.
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
