package query

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	_ "waferpair/build/testseed/rapidseed"
	"waferpair/workspace/text"
)

func linesOf(s string) []string {
	out := strings.SplitAfter(s, "\n")
	if out[len(out)-1] == "" {
		out = out[:len(out)-1]
	}
	return out
}

// TestDiffHunksLeadFromOneTextToTheOther checks that replacing the lines that the hunks
// name turns the first text into the second.
func TestDiffHunksLeadFromOneTextToTheOther(t *testing.T) {
	gen := rapid.StringOfN(rapid.RuneFrom([]rune("ab\n\n\n")), 0, 40, -1)
	rapid.Check(t, func(t *rapid.T) {
		a, b := gen.Draw(t, "a"), gen.Draw(t, "b")
		if rapid.Bool().Draw(t, "near") {
			cut := rapid.IntRange(0, len(a)).Draw(t, "cut")
			b = a[:cut] + rapid.StringOfN(rapid.RuneFrom([]rune("ab\n")), 0, 4, -1).Draw(t, "more") + a[cut:]
		}
		from, to := linesOf(a), linesOf(b)
		var got []string
		at := 0
		for _, h := range diffHunks(text.OfString(a), text.OfString(b)) {
			if h.From-1 < at || h.From-1+h.Removed > len(from) || h.To-1+h.Inserted > len(to) || h.Removed+h.Inserted == 0 {
				t.Fatalf("%q to %q: hunk %+v is out of place", a, b, h)
			}
			got = append(got, from[at:h.From-1]...)
			got = append(got, to[h.To-1:h.To-1+h.Inserted]...)
			at = h.From - 1 + h.Removed
		}
		got = append(got, from[at:]...)
		if !slices.Equal(got, to) {
			t.Fatalf("%q to %q: got %q", a, b, got)
		}
	})
}
