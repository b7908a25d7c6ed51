package agent_test

import (
	"testing"

	"waferpair/engine"
	"waferpair/engine/agent"
	"waferpair/engine/drivertest"
	"waferpair/engine/model"
)

// TestEachLostEditIsWrittenAgain checks that a turn that goes on is complete only when all edits that were
// taken back are there, each of its own or together.
func TestEachLostEditIsWrittenAgain(t *testing.T) {
	const head, end = "*** Begin Patch\n*** Update File: a\n", "*** End Patch\n"
	const first, second = "@@\n one\n+ONE\n", "@@\n four\n+FOUR\n"
	lost := []engine.Lost{{Path: "a", Hunks: 2, Lines: []string{"ONE", "FOUR"}}}
	landed := head + "@@\n-two\n+TWO\n" + end
	for _, c := range []struct {
		name, answer string
		of           engine.Broken
		complete     bool
	}{
		{"one of two", head + first + end, engine.Broken{Lost: lost}, false},
		{"both", head + first + second + end, engine.Broken{Lost: lost}, true},
		{"both as one", head + "@@\n one\n+ONE\n two\n three\n four\n+FOUR\n" + end, engine.Broken{Lost: lost}, true},
		{"one of one", head + first + end, engine.Broken{Lost: []engine.Lost{{Path: "a", Hunks: 1}}}, true},
		{"another file", "*** Begin Patch\n*** Add File: b\n+x\n" + end, engine.Broken{Lost: lost}, false},
		{"words after a header", "Done.\n", engine.Broken{Begun: true}, false},
		{"an edit after a header", landed, engine.Broken{Begun: true}, true},
	} {
		m := &drivertest.Speaker{Language: true, Answers: [][]model.Item{{model.Assistant(c.answer)}}}
		turn := engine.NewSession(drivertest.NewMemory(small)).Start(t.Context(), engine.Request{Driver: agent.New(m),
			Prompt: model.Prompt{Items: []model.Item{model.User("go")}}, Broken: &c.of})
		for range turn.Events() {
		}
		o := turn.Wait()
		if want := map[bool]engine.Status{true: engine.Completed, false: engine.Failed}[c.complete]; o.Status != want ||
			!c.complete && o.Code != engine.ContinueCode {
			t.Errorf("%s: %s, %s (%s)", c.name, o.Status, o.Message, o.Code)
		}
	}
}
