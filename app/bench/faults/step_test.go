//go:build linux

package faults

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"waferpair/build/testseed"
)

// TestCutOffHunks: what a streamed patch may leave in a file in the middle of a hunk lacks one
// run of letters of the content after the hunk. It is no content that the patch ends with, and
// a patch that is applied at once leaves none.
func TestCutOffHunks(t *testing.T) {
	r := rand.New(rand.NewPCG(testseed.New(t), 0))
	now := seedFiles()
	for n := range 200 {
		if s := newPatch(r, now, n, false); len(slices.Concat(cutIn(s)...)) > 0 {
			t.Fatalf("applied at once, and cut off: %q", s.cut)
		}
		s := newPatch(r, now, n, true)
		for name, cut := range s.cut {
			if len(cut) == 0 || len(cut) != len(s.parts[name]) {
				t.Fatalf("%s: %d edits, %d of them may be cut off", name, len(s.parts[name]), len(cut))
			}
			for i, after := range s.parts[name] {
				for _, c := range cut[i] {
					if c == after || !lacksOneRun(c, after) {
						t.Fatalf("%s: %q cannot be in the middle of %q", name, c, after)
					}
				}
			}
		}
	}
}

func cutIn(s step) (out [][]string) {
	for _, cut := range s.cut {
		out = append(out, slices.Concat(cut...))
	}
	return out
}

// lacksOneRun reports whether a text is another one without some consecutive letters.
func lacksOneRun(part, whole string) bool {
	i := 0
	for i < min(len(part), len(whole)) && part[i] == whole[i] {
		i++
	}
	return len(part) < len(whole) && strings.HasSuffix(whole, part[i:])
}
