package cli

import (
	"testing"
	"time"

	"waferpair/engine"
	"waferpair/engine/model"
)

// TestClosingLine checks the figures of language models, and that others have times only.
func TestClosingLine(t *testing.T) {
	cost, whole := 0.00412, 2.5
	spark := engine.Timing{TTFT: 20 * time.Millisecond, Total: 36 * time.Millisecond}
	remote := engine.Timing{Context: 100 * time.Millisecond, TTFT: 300 * time.Millisecond, Decode: 2 * time.Second,
		Writing: time.Second, Tokens: 1540, Rounds: 3, Usage: model.Usage{Input: 10_600, Cached: 9000,
			Output: 1540, Reasoning: 300}, Cost: &cost}
	dear := engine.Timing{Rounds: 1, Usage: model.Usage{Input: 900, Estimated: true}, Cost: &whole}
	for _, c := range []struct {
		o    engine.Outcome
		asks bool
		want string
	}{
		{engine.Outcome{Model: "spark", Timing: spark}, false, "no edits · spark"},
		{engine.Outcome{Model: "spark", Edits: []int64{7}, Files: []engine.FileCount{{Path: "a", Added: 2, Removed: 1}},
			Timing: spark}, false, "edit 7 · 1 file, +2 -1 · spark · first edit text after 20 ms, 36 ms in all"},
		{engine.Outcome{Model: "o/m", Edits: []int64{7, 8}, Files: []engine.FileCount{{Path: "a", Added: 2, Removed: 1}},
			Timing: remote}, false, "edit 7-8 · 1 file, +2 -1 · o/m · 3 rounds · 1,240 tok/s · 0.4 s to first token · " +
			"12k tokens, 9.0k cached · $0.0041"},
		{engine.Outcome{Model: "o/m", Status: engine.Completed, Timing: dear}, true,
			"answered · o/m · about 900 tokens · $2.50"},
	} {
		if got := closingLine(c.o, c.asks); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}
