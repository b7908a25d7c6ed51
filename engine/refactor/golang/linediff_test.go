package golang

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	_ "waferpair/build/testseed/rapidseed"
)

// The diff applied gives b, and it keeps as many lines as the longest common
// subsequence, computed the slow way.
func TestLineDiff(t *testing.T) {
	lines := rapid.SliceOfN(rapid.SampledFrom([]string{"a\n", "b\n", "c\n", "\n"}), 0, 12)
	rapid.Check(t, func(t *rapid.T) {
		x, y := lines.Draw(t, "x"), lines.Draw(t, "y")
		a, b := strings.Join(x, ""), strings.Join(y, "")
		if rapid.Bool().Draw(t, "no final newline") {
			b = strings.TrimSuffix(b, "\n")
			if n := len(y); n > 0 {
				y[n-1] = strings.TrimSuffix(y[n-1], "\n")
			}
		}
		cs := lineDiff([]byte(a), []byte(b))
		if got := string(applyChanges([]byte(a), cs)); got != b {
			t.Fatalf("%q -> %q, want %q (%v)", a, got, b, cs)
		}
		removed := 0
		for _, c := range cs {
			removed += strings.Count(a[c.From:c.To], "\n")
		}
		if kept := len(x) - removed; kept != lcs(x, y) {
			t.Fatalf("kept %d lines of %q -> %q, could keep %d", kept, a, b, lcs(x, y))
		}
	})
}

func lcs(x, y []string) int {
	if len(x) == 0 || len(y) == 0 {
		return 0
	}
	t := make([][]int, len(x)+1)
	for i := range t {
		t[i] = make([]int, len(y)+1)
	}
	for i := range x {
		for j := range y {
			t[i+1][j+1] = max(t[i][j+1], t[i+1][j])
			if x[i] == y[j] {
				t[i+1][j+1] = t[i][j] + 1
			}
		}
	}
	return t[len(x)][len(y)]
}
