package script

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"waferpair/engine/model"
)

// play plays a script and returns its items.
func play(t *testing.T, lines string, asked ...string) ([]model.Item, model.Result, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "answer.jsonl")
	if err := os.WriteFile(path, []byte(lines), 0o600); err != nil {
		t.Fatal(err)
	}
	var p model.Prompt
	for _, a := range asked {
		p.Items = append(p.Items, model.User(a))
	}
	var out model.Output
	r, err := Model{path}.Generate(t.Context(), p, out.Take)
	return out.Items(), r, err
}

// TestItems plays text, reasoning and calls, also side by side; open items end at the end.
func TestItems(t *testing.T) {
	for name, c := range map[string]struct{ script, want string }{
		"text alone is a message": {`{"text":"a"}` + "\n" + `{"text":"b"}`,
			`[{"type":"message","status":"completed","role":"assistant","content":[{"type":"output_text","text":"ab"}]}]`},
		"one after the other": {`{"item":{"type":"reasoning"},"text":"hm"}
{"item":{"type":"message"},"text":"I will."}
{"item":{"type":"custom_tool_call","call_id":"c","name":"apply_patch"}}
{"text":"*** Begin"}
{"text":" Patch\n"}`,
			`[{"type":"reasoning","status":"completed","summary":[],"content":[{"type":"reasoning_text","text":"hm"}]},` +
				`{"type":"message","status":"completed","role":"assistant","content":[{"type":"output_text","text":"I will."}]},` +
				`{"type":"custom_tool_call","status":"completed","call_id":"c","name":"apply_patch","input":"*** Begin Patch\n"}]`},
		"side by side": {`{"item":{"type":"function_call","call_id":"a","name":"f"},"at":0}
{"item":{"type":"function_call","call_id":"b","name":"g"},"at":1}
{"text":"{","at":0}
{"text":"[]","at":1}
{"text":"}","at":0,"end":true}`,
			`[{"type":"function_call","status":"completed","call_id":"a","name":"f","arguments":"{}"},` +
				`{"type":"function_call","status":"completed","call_id":"b","name":"g","arguments":"[]"}]`},
	} {
		items, _, err := play(t, c.script, "go")
		b, _ := json.Marshal(items)
		if err != nil || string(b) != c.want {
			t.Errorf("%s: %v\n got %s\nwant %s", name, err, b, c.want)
		}
	}
}

// TestALineThatIsNone checks that the error for a malformed line is about the line.
func TestALineThatIsNone(t *testing.T) {
	for line, want := range map[string]string{
		`{"text": bad}`:      "line 2: not JSON: byte 10 is wrong; each line is",
		`{"text":"a`:         "line 2: not JSON: byte 11 is wrong; each line is",
		`["a"]`:              "line 2: a JSON array, not an object; each line is",
		`{"after_ms":"now"}`: `line 2: "after_ms" cannot be a string; each line is`,
		`{"text":12}`:        "line 2: the text: 12 is not a string",
	} {
		_, _, err := play(t, "{\"text\":\"a\"}\n"+line+"\n", "go")
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, not %s", line, err, want)
		}
	}
}

// TestWhatAScriptTook checks that a script states its usage or has an estimate, and that it
// waits for the outputs of its calls.
func TestWhatAScriptTook(t *testing.T) {
	_, r, err := play(t, `{"text":"12345"}`, "12345678")
	if err != nil || r.Stop != model.StopEnd || r.Usage != (model.Usage{Input: 2, Output: 2, Estimated: true}) {
		t.Errorf("%+v, %v", r, err)
	}
	_, r, err = play(t, `{"item":{"type":"function_call"},"text":"{}"}`+"\n"+
		`{"usage":{"input_tokens":7,"output_tokens":3}}`, "go")
	if err != nil || r.Stop != model.StopTools || r.Usage != (model.Usage{Input: 7, Output: 3}) {
		t.Errorf("%+v, %v", r, err)
	}
	_, r, err = play(t, `{"text":"12345"}`+"\n"+`{"error":"gone"}`, "go")
	if err == nil || r.Stop != model.StopCut || r.Usage.Output != 2 {
		t.Errorf("%+v, %v", r, err)
	}
}

// TestSteeredParts checks that the number of steers since the turn began selects the part.
func TestSteeredParts(t *testing.T) {
	const parts = `{"text":"one"}` + "\n" + `{"steer":true}` + "\n" + `{"text":"two"}`
	items, _, _ := play(t, parts, "go", "again")
	if len(items) != 1 || items[0].Text() != "two" {
		t.Errorf("%+v", items)
	}
}

// TestWhatCannotBePlayed checks that the error names the line.
func TestWhatCannotBePlayed(t *testing.T) {
	for script, want := range map[string]string{
		`{"text":"a"}` + "\nx": "line 2",
		`{"item":{}}`:          `needs a "type"`,
		`{"text":"a","at":3}`:  "item 3 is not open",
		`{"end":true}`:         "no item is open",
		`{"item":{"type":[]}}`: "line 1",
		`{"item":{"type":"message"},"at":1}` + "\n" + `{"item":{"type":"message"},"at":1}`: "began twice",
	} {
		if _, _, err := play(t, script, "go"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", script, err, want)
		}
	}
	if _, err := (Model{"/nowhere"}).Generate(t.Context(), model.Prompt{}, nil); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
}
