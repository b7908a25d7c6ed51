package server

import (
	"encoding/json"
	"testing"
	"time"

	"waferpair/engine"
	"waferpair/history"
)

// TestASpeedIsTheMedianOfRounds checks that one slow round of a turn with many says nothing about the others.
func TestASpeedIsTheMedianOfRounds(t *testing.T) {
	quick := engine.Generation{TTFT: 200 * time.Millisecond, Writing: time.Second, Tokens: 100}
	slow := engine.Generation{TTFT: 9 * time.Second, Writing: 50 * time.Second, Tokens: 100}
	atOnce := engine.Generation{TTFT: 200 * time.Millisecond, Writing: time.Millisecond, Tokens: 30}
	raw, err := json.Marshal(engine.Timing{Context: time.Second, TTFT: 9 * time.Second, Rounds: 4, Tokens: 330,
		Each: []engine.Generation{slow, quick, quick, atOnce}})
	if err != nil {
		t.Fatal(err)
	}
	old := json.RawMessage(`{"context_ms":1000,"ttft_ms":220,"total_ms":5000,"tokens":90,"tokens_per_s":90,"rounds":1}`)
	mixed := json.RawMessage(`{"ttft_ms":210,"total_ms":5000,"tokens":90,"tokens_per_s":2,"rounds":7}`)
	for _, c := range []struct {
		turns       []json.RawMessage
		first, rate float64
	}{
		{[]json.RawMessage{raw}, 200, 100},
		{[]json.RawMessage{old, nil}, 220, 90},
		{[]json.RawMessage{mixed}, 210, 0},
		{[]json.RawMessage{raw, old, mixed}, 210, 100},
	} {
		var turns []history.TurnTiming
		for _, one := range c.turns {
			turns = append(turns, history.TurnTiming{Model: "m", Timing: one})
		}
		s := speedsOf(turns)["m"]
		if s.ttft() != c.first || s.perSecond() != c.rate {
			t.Errorf("%s: %v ms, %v tokens a second; want %v and %v", c.turns, s.ttft(), s.perSecond(), c.first, c.rate)
		}
	}
}
