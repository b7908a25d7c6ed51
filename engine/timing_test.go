package engine_test

import (
	"testing"
	"time"

	"waferpair/engine"
	"waferpair/engine/model"
)

// TestASpeedNeedsTimeToMeasureItIn checks the rate of language models: an answer that came in one packet has none.
func TestASpeedNeedsTimeToMeasureItIn(t *testing.T) {
	for _, c := range []struct {
		writing time.Duration
		want    float64
	}{{0, 0}, {3 * time.Millisecond, 0}, {100 * time.Millisecond, 4000}} {
		got := engine.Timing{Rounds: 1, Tokens: 420, Usage: model.Usage{Output: 420, Reasoning: 20},
			Writing: c.writing}.TokensPerSecond()
		if got != c.want {
			t.Errorf("over %v: %.0f tokens a second, want %.0f", c.writing, got, c.want)
		}
	}
}
