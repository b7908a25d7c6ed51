package agent_test

import (
	"testing"

	"waferpair/engine/drivertest"
	"waferpair/engine/model"
)

// TestEachRoundIsMeasured checks that a turn has the figures of each of its rounds.
func TestEachRoundIsMeasured(t *testing.T) {
	m := &drivertest.Speaker{Answers: [][]model.Item{{function("c1", "list", `{"path":"dir"}`)},
		{model.Assistant("It is a.")}}}
	each := ask(t, m, model.Prompt{ReadOnly: true}, small, nil).Outcome.Timing.Each
	if len(each) != 2 || each[0].TTFT <= 0 || each[1].TTFT <= 0 {
		t.Errorf("%+v", each)
	}
}
