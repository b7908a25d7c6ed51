package providers

import (
	"testing"

	"waferpair/engine/model"
)

// TestUsageThatCannotBe checks what is believed of a provider's count.
func TestUsageThatCannotBe(t *testing.T) {
	estimate := model.Usage{Input: 100, Output: 10, Estimated: true}
	for _, c := range []struct{ said, want model.Usage }{
		{model.Usage{Input: 90, Cached: 80, Output: 9, Reasoning: 5},
			model.Usage{Input: 90, Cached: 80, Output: 9, Reasoning: 5}},
		{model.Usage{Input: 90, Cached: 1000, Output: 9, Reasoning: -1}, model.Usage{Input: 90, Cached: 90, Output: 9}},
		{model.Usage{}, estimate}, {model.Usage{Input: -5, Output: -7}, estimate},
		{model.Usage{Input: 1 << 50, Output: 9}, estimate}, {model.Usage{Input: 90, Output: 1 << 50}, estimate},
	} {
		got := progress{bytes: 40, answered: true, sent: true}.usage(model.Result{Usage: c.said}, nil, 100, false)
		if got != c.want {
			t.Errorf("%+v: %+v", c.said, got)
		}
	}
}
