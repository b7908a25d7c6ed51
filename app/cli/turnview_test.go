package cli

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"waferpair/engine"
	"waferpair/engine/model"
)

// TestTurnAsJSONLines checks what `edit --json` prints, to the byte: it is a contract with
// scripts.
func TestTurnAsJSONLines(t *testing.T) {
	var out bytes.Buffer
	v := newTurnView(&env{out: &out, json: true}, 0)
	for _, ev := range []engine.Event{
		engine.Started{Turn: 3, Model: "spark"},
		engine.Prose{Text: "said"},
		engine.HunkOpened{Hunk: 1, Path: "a.go", Line: 3},
		engine.HunkChanged{Hunk: 1, Path: "a.go", Line: 3, Removed: "x", Inserted: "y"},
		engine.HunkClosed{Hunk: 1, Path: "a.go", Added: 1, Removed: 1},
		engine.EditAcked{ID: 7, Path: `a <b> & "ü"` + "\u2028.go"},
		engine.HunkFailed{Hunk: 2, Path: "b.go", Reason: "missing", Message: "Failed to find:\n\tif a < b && c > d {"},
		engine.FileCreated{Path: "c.go"}, engine.FileDeleted{Path: "d.go"}, engine.FileMoved{Path: "e.go", To: "f.go"},
		engine.Steered{Text: "on", State: engine.SteerQueued},
		engine.Note{Text: "a <note>"},
	} {
		v.show(ev)
	}
	_ = v.end(engine.Outcome{Status: engine.Held, Model: "spark", Message: "b.go: held", Said: "said",
		Outside: []string{"b.go"}, Files: []engine.FileCount{{Path: "a.go", Added: 1, Removed: 1}}, Edits: []int64{7},
		Refusal: &model.Refusal{}, Timing: engine.Timing{Context: 1234567, TTFT: 5 * time.Millisecond, Decode: time.Second,
			Apply: 40 * time.Microsecond, Total: 2 * time.Second, Tokens: 5000}, Turn: 3}, false)
	v = newTurnView(&env{out: &out, json: true}, 0)
	_ = v.end(engine.Outcome{Status: engine.Declined, Model: "spark", Message: "no <changes>"}, false)
	want := `{"event":"turn.started","turn":3,"model":"spark"}
{"event":"edit.acked","id":7,"path":"a <b> & \"ü\"\u2028.go"}
{"event":"hunk.failed","path":"b.go","reason":"missing","message":"Failed to find:\n\tif a < b && c > d {"}
{"event":"note","text":"a <note>"}
{"event":"prose","text":"said"}
{"event":"turn.done","status":"held","model":"spark","files":[{"path":"a.go","added":1,"removed":1}],` +
		`"edits":[7],"message":"b.go: held","timing":{"context_ms":1.23,"ttft_ms":5,"decode_ms":1000,"apply_ms":0.04,` +
		`"total_ms":2000,"tokens":5000,"tokens_per_s":4999.8},"turn":3}
{"event":"turn.done","status":"declined","model":"spark","files":[],"edits":[],"message":"no <changes>",` +
		`"timing":{"context_ms":0,"ttft_ms":0,"decode_ms":0,"apply_ms":0,"total_ms":0,"tokens":0,"tokens_per_s":0},"turn":0}
`
	if got := out.String(); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

// TestAStoppedAnswerCanBeContinued checks what a stopped turn says: only a language model goes on.
func TestAStoppedAnswerCanBeContinued(t *testing.T) {
	for rounds, want := range []bool{false, true} {
		var out, err bytes.Buffer
		v := newTurnView(&env{out: &out, err: &err}, 3)
		_ = v.end(engine.Outcome{Status: engine.Stopped, Message: "stopped", Timing: engine.Timing{Rounds: rounds}}, false)
		if got := strings.Contains(err.String(), "  to go on: waferpair edit --continue\n"); got != want {
			t.Errorf("after %d rounds: %s", rounds, err.String())
		}
	}
}
