package agent_test

import (
	"fmt"
	"strings"
	"testing"

	"waferpair/engine"
	"waferpair/engine/agent"
	"waferpair/engine/drivertest"
	"waferpair/engine/editstream"
	"waferpair/engine/model"
)

// inWords reports whether a turn that should edit ended with words.
func inWords(o engine.Outcome) bool {
	return o.Status == engine.Declined && o.Code == engine.NoEditCode
}

// TestAnswersWithoutAnEdit checks that words are said to be no edit, and that nothing at all failed.
func TestAnswersWithoutAnEdit(t *testing.T) {
	read := function("c", "read", `{"path":"a"}`)
	for _, c := range []struct {
		name    string
		answers [][]model.Item
		ask     bool
		want    engine.Status
		code    model.Code
	}{
		{"words", [][]model.Item{{model.Assistant("Done!")}}, false, engine.Declined, engine.NoEditCode},
		{"words after a call", [][]model.Item{{read}, {model.Assistant("Which one?")}}, false, engine.Declined,
			engine.NoEditCode},
		{"an answer", [][]model.Item{{model.Assistant("Done!")}}, true, engine.Completed, ""},
		{"nothing", [][]model.Item{{}}, false, engine.Failed, ""},
		{"white space", [][]model.Item{{model.Assistant(" \n")}}, false, engine.Failed, ""},
		{"nothing, asked", [][]model.Item{{model.Assistant("\n")}}, true, engine.Failed, ""},
		{"nothing after a call", [][]model.Item{{read}, {}}, false, engine.Failed, ""},
		{"an edit and no word", [][]model.Item{{call("apply_patch", placed)}, {}}, false, engine.Completed, ""},
		{"a call without an edit", [][]model.Item{{call("apply_patch", "hello")}, {model.Assistant("So.")}}, false,
			engine.Declined, engine.NoEditCode},
	} {
		a := ask(t, &drivertest.Speaker{Answers: c.answers}, model.Prompt{ReadOnly: c.ask}, small, nil)
		if a.Status != c.want || a.Code != c.code || a.Message == "" {
			t.Errorf("%s: %+v", c.name, a.Outcome)
		}
	}
}

// TestThoughtIsNotRead checks that a patch in the thought of an answer is not made, and that thought is
// not shown as the answer to a question.
func TestThoughtIsNotRead(t *testing.T) {
	thought := "<think>\n" + strings.ReplaceAll(placed, "+", "+wrong ") + "</think>\n"
	a := ask(t, &drivertest.Speaker{Answers: [][]model.Item{{model.Assistant(thought + placed)}}}, model.Prompt{}, small,
		nil)
	if text := a.p.Texts["a"].String(); a.Status != engine.Completed || text != "one\n2\nthree\nfour\nfive\n" {
		t.Errorf("%+v, %q", a.Outcome, text)
	}
	a = ask(t, &drivertest.Speaker{Answers: [][]model.Item{{model.Assistant("<think>hm</think>\n\nSo <b")}}},
		model.Prompt{ReadOnly: true}, small, nil)
	if a.Said != "So <b" {
		t.Errorf("said %q", a.Said)
	}
}

// TestTheSamePatchTwice checks that an edit lands once, however often the model writes it, and that
// the same lines can be inserted at another place.
func TestTheSamePatchTwice(t *testing.T) {
	insert := "*** Begin Patch\n*** Update File: a\n@@\n two\n+more\n*** End Patch\n"
	other := "*** Begin Patch\n*** Update File: a\n@@\n four\n+more\n*** End Patch\n"
	block := "a.go\n<<<<<<< SEARCH\none\n=======\none\nx\n>>>>>>> REPLACE\n"
	for _, c := range []struct {
		name    string
		answers [][]model.Item
		want    string
		skipped int
	}{
		{"text and call", [][]model.Item{{model.Assistant(insert), call("apply_patch", insert)}, {model.Assistant("So.")}},
			"one\ntwo\nmore\nthree\nfour\nfive\n", 1},
		{"two rounds", [][]model.Item{{call("apply_patch", insert)}, {call("apply_patch", insert)}, {}},
			"one\ntwo\nmore\nthree\nfour\nfive\n", 1},
		{"a replacement", [][]model.Item{{call("apply_patch", placed)}, {call("apply_patch", placed)}, {}},
			"one\n2\nthree\nfour\nfive\n", 1},
		{"another place", [][]model.Item{{call("apply_patch", insert)}, {call("apply_patch", other)}, {}},
			"one\ntwo\nmore\nthree\nfour\nmore\nfive\n", 0},
		{"a block", [][]model.Item{{model.Assistant(strings.Repeat(strings.ReplaceAll(block, "a.go", "dir/c.go"), 2))}}, "",
			1},
		{"at the end", [][]model.Item{{call("apply_patch", strings.ReplaceAll(insert, " two\n", ""))},
			{call("apply_patch", strings.ReplaceAll(insert, " two\n", ""))}, {}}, "one\ntwo\nthree\nfour\nfive\nmore\n", 1},
	} {
		files := map[string]string{"a": small["a"], "dir/c.go": "one\ntwo\n"}
		a := ask(t, &drivertest.Speaker{Answers: c.answers}, model.Prompt{}, files, nil)
		skipped := 0
		for _, ev := range a.events {
			if n, is := ev.(engine.Note); is && strings.Contains(n.Text, "skipped") {
				skipped++
			}
		}
		got, want := a.p.Texts["a"].String(), c.want
		if want == "" {
			got, want = a.p.Texts["dir/c.go"].String(), "one\nx\ntwo\n"
		}
		if a.Status != engine.Completed || got != want || skipped != c.skipped {
			t.Errorf("%s: %q, %d skipped; %+v", c.name, got, skipped, a.Outcome)
		}
	}
}

// barredFiles has files that may not be edited.
type barredFiles struct{ *drivertest.Memory }

func (b barredFiles) Open(path string) (editstream.Doc, error) {
	if strings.HasPrefix(path, "../") {
		return editstream.Doc{}, fmt.Errorf("%s is outside of the project", path)
	}
	if path == ".env" {
		return editstream.Doc{}, &engine.HeldError{Paths: []string{path}, Reason: "it may hold secrets",
			Next: "edit it yourself"}
	}
	return b.Memory.Open(path)
}

// TestFilesThatNobodyMayEdit checks that such an edit is refused once, does not go back to be written
// again, and is not said to be held.
func TestFilesThatNobodyMayEdit(t *testing.T) {
	for _, c := range []struct {
		path string
		want engine.Status
	}{{"../x", engine.Failed}, {".env", engine.Declined}} {
		text := strings.ReplaceAll(placed, "File: a", "File: "+c.path)
		for name, answers := range map[string][][]model.Item{
			"text": {{model.Assistant(text)}}, "call": {{call("apply_patch", text)}, {model.Assistant("I cannot.")}},
		} {
			p := drivertest.NewMemory(small)
			m := &drivertest.Speaker{Language: true, Answers: answers}
			run := engine.NewSession(barredFiles{p}).Start(t.Context(), engine.Request{Driver: agent.New(m, agent.Tools()...),
				Prompt: model.Prompt{Items: []model.Item{model.User("go")}}})
			var reasons []string
			for ev := range run.Events() {
				switch ev := ev.(type) {
				case engine.HunkFailed:
					reasons = append(reasons, ev.Reason)
				case engine.HunkReturned:
					reasons = append(reasons, "returned")
				}
			}
			o := run.Wait()
			if o.Status != c.want || len(m.Prompts()) != len(answers) || strings.Join(reasons, " ") != "barred" ||
				strings.Contains(o.Message, "held") {
				t.Errorf("%s, %s: %v after %d prompts; %+v", c.path, name, reasons, len(m.Prompts()), o)
			}
			if told := last(m); name == "call" && !strings.Contains(told, "do not try it again") {
				t.Errorf("%s: the model was told %s", c.path, told)
			}
		}
	}
}

// TestCallsAreShown checks the events of calls, also of bad ones.
func TestCallsAreShown(t *testing.T) {
	m := &drivertest.Speaker{Answers: [][]model.Item{{
		function("1", "read", `{"path":"a","from":1,"to":3}`), function("2", "read", `{"pa`), function("3", "shell", `{}`),
		function("4", "list", ``), function("5", "read", `{"path":"`+strings.Repeat("x", 5000)+`"}`),
	}, {model.Assistant("So.")}}}
	a := ask(t, m, model.Prompt{}, small, nil)
	var got []string
	for _, ev := range a.events {
		if c, is := ev.(engine.Called); is {
			if len(c.About) > 300 || len(c.Tool) > 300 {
				t.Errorf("%d bytes are shown", len(c.About))
			}
			got = append(got, fmt.Sprintf("%s %.12s %v", c.Tool, c.About, c.Failed != ""))
		}
	}
	want := "read a lines 1-3 false|read  true|shell  true|list  false|read xxxxxxxxxxxx true"
	if s := strings.Join(got, "|"); s != want {
		t.Errorf("%s, want %s", s, want)
	}
}
