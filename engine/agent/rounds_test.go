package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	_ "waferpair/build/testseed/rapidseed"
	"waferpair/engine"
	"waferpair/engine/agent"
	"waferpair/engine/drivertest"
	"waferpair/engine/model"
)

func function(id, name, args string) model.Item {
	return model.Item{Kind: model.FunctionCall, CallID: id, Name: name, Input: args}
}

// ask runs a turn of a language model about the files.
func ask(t testing.TB, m *drivertest.Speaker, p model.Prompt, files map[string]string,
	with func(*engine.Turn)) *answer {
	m.Language = true
	a := &answer{p: drivertest.NewMemory(files)}
	if p.Items == nil {
		p.Items = []model.Item{model.User("go")}
	}
	run := engine.NewSession(a.p).Start(t.Context(), engine.Request{Driver: agent.New(m, agent.Tools()...), Prompt: p,
		OnItem: func(_ int, d model.Delta) {
			if err := a.kept.Take(d); err != nil {
				t.Error(err)
			}
		}})
	if with != nil {
		with(run)
	}
	for ev := range run.Events() {
		a.events = append(a.events, ev)
	}
	a.Outcome = run.Wait()
	return a
}

var small = map[string]string{"a": "one\ntwo\nthree\nfour\nfive\n", "dir/b.go": "package b\n"}

// TestEveryRoundOnlyAppends checks that each prompt of a turn begins with the bytes of the one
// before it, whatever the model calls, and that it has everything that was kept.
func TestEveryRoundOnlyAppends(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		n := 0
		item := func(rt *rapid.T) model.Item {
			n++
			id := fmt.Sprint("c", n)
			i := rapid.SampledFrom([]model.Item{
				{Kind: model.Reasoning},
				model.Assistant("I look.\n*** Begin Patch\n*** Update File: a\n@@\n-nowhere\n+x\n*** End Patch\n"),
				model.Assistant("a:1 is it.\n"),
				function(id, "read", `{"path":"a","from":2}`), function(id, "list", ``), function(id, "list", `{"path"`),
				function(id, "shell", `{}`), {Kind: model.CustomCall, CallID: id, Name: "apply_patch", Input: patch},
			}).Draw(rt, "item")
			if i.Kind.IsCall() {
				i.CallID = id
			}
			return i
		}
		answers := rapid.SliceOfN(rapid.SliceOfN(rapid.Custom(item), 0, 4), 1, 5).Draw(rt, "answers")
		m := &drivertest.Speaker{Answers: answers}
		a := ask(t, m, model.Prompt{}, small, nil)
		before := "["
		for at, p := range m.Prompts() {
			b, err := json.Marshal(p.Items)
			if err != nil {
				rt.Fatal(err)
			}
			now := strings.TrimSuffix(string(b), "]")
			if !strings.HasPrefix(now, before) {
				rt.Fatalf("prompt %d is\n%s\nafter\n%s", at+1, now, before)
			}
			before = now
		}
		if b, _ := json.Marshal(a.kept.Items()); !strings.HasPrefix(string(b), before) {
			rt.Fatalf("the last prompt is\n%s\nkept is\n%s", before, b)
		}
		open := map[string]bool{}
		for _, i := range a.kept.Items() {
			switch {
			case i.Kind.IsCall():
				open[i.CallID] = true
			case i.Kind.IsOutput() && !open[i.CallID]:
				rt.Fatalf("an output of no call: %+v", i)
			case i.Kind.IsOutput():
				delete(open, i.CallID)
			}
		}
		if len(open) > 0 || a.Status == engine.Failed && a.Said != "" {
			rt.Fatalf("calls without output: %v; %+v", open, a.Outcome)
		}
	})
}

// last returns the last output of a call in the last prompt.
func last(m *drivertest.Speaker) string {
	prompts := m.Prompts()
	items := prompts[len(prompts)-1].Items
	return items[len(items)-1].Text()
}

// TestWhatAModelReads checks the outputs of read and list.
func TestWhatAModelReads(t *testing.T) {
	files := map[string]string{"main.go": "package main\n", "sub/main_test.go": "package sub\r\nx", "empty": "",
		"wide": strings.Repeat("ä", 3000) + "\nb\n", "utf16.txt": "\xff\xfeh\x00i\x00\n\x00"}
	for n := range 1200 {
		files["long"] += fmt.Sprintln("line", n+1)
		files[fmt.Sprintf("many/%04d", n)] = "x"
	}
	for _, c := range []struct{ name, args, want string }{
		{"read", `{"path":"main.go"}`, "main.go, lines 1 to 1 of 1\n     1\tpackage main\n"},
		{"read", `{"path":"./sub/../main.go","from":1,"to":99}`, "main.go, lines 1 to 1 of 1\n"},
		{"read", `{"path":"/nowhere/main.go"}`, "main.go, lines 1 to 1 of 1\n"},
		{"read", `{"path":"sub/main_test.go"}`, "sub/main_test.go, lines 1 to 2 of 2\n     1\tpackage sub\n     2\tx\n"},
		{"read", `{"path":"utf16.txt"}`, "utf16.txt, lines 1 to 1 of 1\n     1\thi\n"},
		{"read", `{"path":"empty"}`, "empty is empty"},
		{"read", `{"path":"long","from":1100}`, "long, lines 1100 to 1200 of 1200\n  1100\tline 1100\n"},
		{"read", `{"path":"long"}`, "There is more: read it with from 501.\n"},
		{"read", `{"path":"long","from":7,"to":8}`, "  7\tline 7\n     8\tline 8\n"},
		{"read", `{"path":"long","from":1201}`, "read failed: long has 1200 lines, so none from 1201 on"},
		{"read", `{"path":"long","from":9,"to":8}`, "the last one is before the first"},
		{"read", `{"path":"wide"}`, "ä... (4000 more bytes in this line)\n     2\tb\n"},
		{"read", `{"path":"man.go"}`, "there is no file man.go that can be read; near it: main.go"},
		{"read", `{"path":"main_test.go"}`, "near it: sub/main_test.go"},
		{"read", `{"path":"quite/elsewhere.rs"}`, "it does not exist, is ignored, may hold secrets, or is no text"},
		{"read", `{"path":"sub"}`, "sub is a folder: use list"},
		{"read", `{"path":"../etc/passwd"}`, "../etc/passwd is outside the project"},
		{"read", `{"path":"/etc/passwd"}`, "/etc/passwd is outside the project"},
		{"read", `{"path":`, `the arguments are no JSON as this tool takes it`},
		{"read", `[]`, `an example: {"path":"main.go","from":1,"to":80}`},
		{"read", `{"file":"main.go"}`, `unknown field "file"`},
		{"list", ``, "empty\nlong\nmain.go\nmany/ (1200 files)\nsub/ (1 files)\nutf16.txt\nwide\n"},
		{"list", `{"path":"sub"}`, "sub/main_test.go\n"},
		{"list", `{"path":"**/*.go"}`, "main.go\nsub/main_test.go\n"},
		{"list", `{"path":"many"}`, "There are 800 more: name a folder or a narrower glob.\n"},
		{"list", `{"path":"[a"}`, "is no glob"},
		{"list", `{"path":"nothing"}`, "nothing to list at nothing"},
		{"shell", `{}`, `There is no tool "shell": there is apply_patch, read, list.`},
	} {
		m := &drivertest.Speaker{Answers: [][]model.Item{{function("c", c.name, c.args)}}}
		a := ask(t, m, model.Prompt{}, files, nil)
		if got := last(m); !strings.Contains(got, c.want) || len(got) > 64<<10 || a.Timing.Rounds != 2 {
			t.Errorf("%s %s: %.300q, want %q; %d rounds", c.name, c.args, got, c.want, a.Timing.Rounds)
		}
	}
}

// TestAReadSeesTheEditsBeforeIt checks it within one answer.
func TestAReadSeesTheEditsBeforeIt(t *testing.T) {
	m := &drivertest.Speaker{Answers: [][]model.Item{{call("apply_patch", patch), function("d", "read", `{"path":"a"}`)}}}
	ask(t, m, model.Prompt{}, small, nil)
	if got := last(m); !strings.Contains(got, "     2\tzwei\n") {
		t.Error(got)
	}
}

const misplaced = "*** Begin Patch\n*** Update File: a\n@@\n one\n-zwo\n+2\n three\n*** End Patch\n"

var placed = strings.Replace(misplaced, "-zwo", "-two", 1)

// TestAFailedEditGoesBackOnce checks, for calls and for texts, that the model gets the file's
// lines once, that its second try stands for the first, and that both are seen.
func TestAFailedEditGoesBackOnce(t *testing.T) {
	for _, c := range []struct {
		name           string
		first, second  model.Item
		status         engine.Status
		rounds, failed int
	}{
		{"call, placed", call("apply_patch", misplaced), call("apply_patch", placed), engine.Completed, 3, 1},
		{"call, misplaced again", call("apply_patch", misplaced), call("apply_patch", misplaced), engine.Conflict, 3, 2},
		{"call, given up", call("apply_patch", misplaced), model.Assistant("Never mind.\n"), engine.Conflict, 2, 1},
		{"text, placed", model.Assistant(misplaced), model.Assistant(placed), engine.Completed, 2, 1},
		{"text, misplaced again", model.Assistant(misplaced), model.Assistant(misplaced), engine.Conflict, 2, 2},
		{"text, given up", model.Assistant(misplaced), model.Assistant("Never mind.\n"), engine.Conflict, 2, 1},
		{"text, malformed", model.Assistant("*** Begin Patch\n*** Update File: a\n@@\n*** End Patch\n"),
			model.Assistant(placed), engine.Completed, 2, 2},
		{"another file", model.Assistant(strings.Replace(misplaced, "File: a", "File: b", 1)), model.Assistant(placed),
			engine.Completed, 2, 1},
	} {
		m := &drivertest.Speaker{Answers: [][]model.Item{{c.first}, {c.second}}}
		a := ask(t, m, model.Prompt{}, small, nil)
		failed, returned := 0, 0
		for _, ev := range a.events {
			switch ev := ev.(type) {
			case engine.HunkFailed:
				if failed++; failed != max(ev.Try, 1) && c.name != "text, malformed" {
					t.Errorf("%s: %+v is failure %d", c.name, ev, failed)
				}
			case engine.HunkReturned:
				returned++
			}
		}
		if a.Status != c.status || a.Timing.Rounds != c.rounds || failed != c.failed || returned != 1 {
			t.Errorf("%s: %+v, %d rounds, %d failed, %d returned\n%s", c.name, a.Outcome, a.Timing.Rounds, failed, returned,
				a.items())
		}
		back := m.Prompts()[1].Items
		if got := back[len(back)-1]; !strings.Contains(got.Text(), "once more") ||
			strings.HasSuffix(c.name, "placed") && !strings.Contains(got.Text(), "     2\ttwo\n") {
			t.Errorf("%s: went back as %+v", c.name, got)
		}
		if c.status == engine.Completed && a.p.Texts["a"].String() != "one\n2\nthree\nfour\nfive\n" {
			t.Errorf("%s: %q", c.name, a.p.Texts["a"])
		}
	}
}

// TestAQuestionEditsNothing checks texts and calls.
func TestAQuestionEditsNothing(t *testing.T) {
	words := "See a:1.\n" + placed
	m := &drivertest.Speaker{Answers: [][]model.Item{{model.Assistant(words), call("apply_patch", placed)},
		{model.Assistant("Done.")}}}
	a := ask(t, m, model.Prompt{ReadOnly: true}, small, nil)
	said := ""
	for _, ev := range a.events {
		if p, ok := ev.(engine.Prose); ok {
			said += p.Text
		}
	}
	if a.Status != engine.Completed || a.p.Texts["a"].String() != small["a"] || said != words+"Done." || a.Said != said ||
		len(a.Edits) > 0 {
		t.Errorf("%+v, said %q", a.Outcome, said)
	}
	if got := outputOf(a.kept.Items(), call("", "")).
		Text(); got != "The user asked a question: nothing is edited. Answer in words." {
		t.Error(got)
	}
	edits := &drivertest.Speaker{Answers: [][]model.Item{{model.Assistant("Done.")}}}
	ask(t, edits, model.Prompt{}, small, nil)
	if !reflect.DeepEqual(m.Prompts()[0].Tools, edits.Prompts()[0].Tools) {
		t.Error("a question has other tools than a request to edit, and so another prefix")
	}
}

// TestBoundsOfATurn checks a model that never ends, and one with ten thousand calls.
func TestBoundsOfATurn(t *testing.T) {
	read := function("c", "read", `{"path":"a"}`)
	endless := &drivertest.Speaker{}
	for range 300 {
		endless.Answers = append(endless.Answers, []model.Item{read})
	}
	if a := ask(t, endless, model.Prompt{}, small, nil); a.Status != engine.Failed || a.Timing.Rounds != 200 ||
		a.Code != engine.ContinueCode || !strings.HasPrefix(a.Message, "the model was asked 200 times") ||
		!strings.Contains(a.Message, "; continue") {
		t.Errorf("%+v, %d rounds", a.Outcome, a.Timing.Rounds)
	}
	var calls []model.Item
	for n := range 10_000 {
		calls = append(calls, function(fmt.Sprint(n), "read", `{"path":"a"}`))
	}
	crowd := &drivertest.Speaker{Answers: [][]model.Item{calls, {model.Assistant("Good.\n")}}}
	a := ask(t, crowd, model.Prompt{}, small, nil)
	if got := len(a.kept.Items()); !inWords(a.Outcome) || got != 1+100+100+1+1 {
		t.Errorf("%+v, %d items", a.Outcome, got)
	}
}

// flood is a language model that never ends.
type flood struct{ said int }

func (*flood) Info() model.Info { return model.Info{Name: "flood", Language: true} }
func (f *flood) Generate(_ context.Context, _ model.Prompt, yield func(model.Delta) error) (model.Result, error) {
	err := yield(model.Begin{Item: call("apply_patch", "")})
	for line := "+" + strings.Repeat("x", 1<<20) + "\n"; err == nil; f.said += len(line) {
		err = yield(model.Text{Text: line})
	}
	return model.Result{Stop: model.StopCut}, err
}

// TestAnAnswerWithoutEnd checks that it is cut, and kept as far as it may come.
func TestAnAnswerWithoutEnd(t *testing.T) {
	p, f := drivertest.NewMemory(small), &flood{}
	run := engine.NewSession(p).Start(t.Context(), engine.Request{Driver: agent.New(f, agent.Tools()...),
		Prompt: model.Prompt{Items: []model.Item{model.User("go")}}})
	for range run.Events() {
	}
	if o := run.Wait(); o.Status != engine.Failed || o.Code != engine.ContinueCode || f.said > 3<<20 ||
		!strings.HasPrefix(o.Message, "the answer is longer than 2 MB") {
		t.Errorf("%s %s %.200s, said %d", o.Status, o.Code, o.Message, f.said)
	}
}

// TestAnAnswerThatBreaksOff checks what is left of one that reaches its limit or fails: a partial
// message stays Incomplete, a partial call is complete with an output, and the turn can go on.
func TestAnAnswerThatBreaksOff(t *testing.T) {
	half := patch[:strings.Index(patch, "-five")]
	for _, c := range []struct {
		open model.Item
		stop model.Stop
		err  error
		want string
	}{
		{model.Assistant(half), model.StopLength, nil, fmt.Sprintf("message incomplete %q\n", half)},
		{call("apply_patch", half), model.StopLength, nil, fmt.Sprintf("custom_tool_call completed %q\n", half) +
			`custom_tool_call_output completed "cut at the limit of the answer's length after hunk 1; nothing more is in place"` + "\n"},
		{call("apply_patch", half), model.StopCut, errors.New("the line is dead"),
			fmt.Sprintf("custom_tool_call completed %q\n", half) +
				`custom_tool_call_output completed "cut by a failure after hunk 1; nothing more is in place"` + "\n"},
		{function("c", "read", `{"pa`), model.StopLength, nil, `function_call completed "{\"pa"` + "\n" +
			`function_call_output completed "cut at the limit of the answer's length before it was complete; nothing was done"` +
			"\n"},
	} {
		m := &drivertest.Speaker{Answers: [][]model.Item{{c.open}},
			Ends: func(int) (model.Stop, error) { return c.stop, c.err }}
		a := ask(t, m, model.Prompt{}, small, nil)
		if got := strings.TrimPrefix(a.items(), `message completed "go"`+"\n"); got != c.want {
			t.Errorf("%v %v: kept\n%swant\n%s", c.stop, c.err, got, c.want)
		}
		if a.Status != engine.Failed || a.Code != engine.ContinueCode || c.err != nil && a.Message != c.err.Error() ||
			a.Timing.Rounds != 1 {
			t.Errorf("%v %v: %+v", c.stop, c.err, a.Outcome)
		}
	}
}

// TestAModelThatWritesEverythingAgain sends a failed edit back to a model that then writes all of its
// answer again, as often as it is asked: what is in place is not made again, and the turn ends.
func TestAModelThatWritesEverythingAgain(t *testing.T) {
	const all = "*** Begin Patch\n*** Update File: a\n@@\n one\n+new\n@@\n-nowhere\n+x\n*** Delete File: dir/b.go\n*** End Patch\n"
	for _, calls := range []bool{false, true} {
		m := &drivertest.Speaker{}
		for n := range 6 {
			i := model.Assistant(all)
			if calls {
				i = call("apply_patch", all)
				i.CallID = fmt.Sprint("c", n)
			}
			m.Answers = append(m.Answers, []model.Item{i})
		}
		a := ask(t, m, model.Prompt{}, small, nil)
		if got := a.p.Texts["a"].String(); got != "one\nnew\ntwo\nthree\nfour\nfive\n" || a.Status != engine.Conflict {
			t.Errorf("calls %v: %s (%s) after %d rounds, the file is\n%s", calls, a.Status, a.Message, len(m.Prompts()), got)
		}
	}
}
