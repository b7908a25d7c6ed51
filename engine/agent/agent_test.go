package agent_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"waferpair/build/testseed"
	"waferpair/engine"
	"waferpair/engine/agent"
	"waferpair/engine/drivertest"
	"waferpair/engine/editstream"
	"waferpair/engine/model"
	"waferpair/engine/script"
	"waferpair/workspace/text"
)

// scripted returns a script with these lines.
func scripted(t *testing.T, lines string) model.Model {
	t.Helper()
	path := filepath.Join(t.TempDir(), "answer.jsonl")
	if err := os.WriteFile(path, []byte(lines), 0o600); err != nil {
		t.Fatal(err)
	}
	return script.Model{Path: path}
}

// answer is the outcome of a turn and the items that it recorded.
type answer struct {
	engine.Outcome
	p      *drivertest.Memory
	kept   model.Output
	events []engine.Event
}

// turn has a model answer "go" about a file a of five lines.
func turn(t *testing.T, m model.Model, with func(*engine.Turn)) *answer {
	t.Helper()
	a := &answer{p: drivertest.NewMemory(map[string]string{"a": "one\ntwo\nthree\nfour\nfive\n"})}
	run := engine.NewSession(a.p).Start(t.Context(), engine.Request{
		Driver: agent.New(m, agent.ApplyPatch),
		Prompt: model.Prompt{Items: []model.Item{model.User("go")}},
		OnItem: func(_ int, d model.Delta) {
			if err := a.kept.Take(d); err != nil {
				t.Error(err)
			}
		},
	})
	if with != nil {
		with(run)
	}
	for ev := range run.Events() {
		a.events = append(a.events, ev)
	}
	a.Outcome = run.Wait()
	return a
}

// TestADeltaThatPanicsFailsItsTurn: not the process, and not as the model's fault; what the
// turn made is kept.
func TestADeltaThatPanicsFailsItsTurn(t *testing.T) {
	p := drivertest.NewMemory(map[string]string{"a": "one\ntwo\nthree\nfour\nfive\n"})
	m := &drivertest.Speaker{Answers: [][]model.Item{{call("apply_patch", patch), model.Assistant("Now?")}}}
	run := engine.NewSession(p).Start(t.Context(), engine.Request{
		Driver: agent.New(m, agent.ApplyPatch),
		Prompt: model.Prompt{Items: []model.Item{model.User("go")}},
		OnItem: func(_ int, d model.Delta) {
			if d, is := d.(model.Text); is && d.Text == "?" {
				panic("here")
			}
		},
	})
	for range run.Events() {
	}
	out := run.Wait()
	if out.Status != engine.Failed || !strings.HasPrefix(out.Message, "the turn crashed: here; ") ||
		len(out.Edits) != 2 {
		t.Errorf("%+v", out)
	}
}

// items returns a short form of the recorded items.
func (a *answer) items() string {
	var b strings.Builder
	for _, i := range a.kept.Items() {
		fmt.Fprintf(&b, "%s %s %q\n", i.Kind, i.Status, i.Text())
	}
	return b.String()
}

func call(name, input string) model.Item {
	return model.Item{Kind: model.CustomCall, CallID: "c", Name: name, Input: input}
}

const patch = "*** Begin Patch\n*** Update File: a\n@@\n one\n-two\n+zwei\n three\n@@\n-five\n+fünf\n+sechs\n*** End Patch\n"

// TestAPatchOfAToolIsMadeAsItArrives also checks the output of the call.
func TestAPatchOfAToolIsMadeAsItArrives(t *testing.T) {
	m := &drivertest.Speaker{Answers: [][]model.Item{{
		{Kind: model.Reasoning, Parts: []model.Part{{Kind: model.ReasoningText, Text: "*** Begin Patch\n"}}},
		model.Assistant("I will."), call("apply_patch", patch),
	}}}
	a := turn(t, m, nil)
	if a.Status != engine.Completed || a.p.Texts["a"].String() != "one\nzwei\nthree\nfour\nfünf\nsechs\n" ||
		len(a.Edits) != 2 {
		t.Errorf("%+v, %q", a.Outcome, a.p.Texts["a"])
	}
	want := `message completed "go"
reasoning completed "*** Begin Patch\n"
message completed "I will."
custom_tool_call completed ` + fmt.Sprintf("%q", patch) + `
custom_tool_call_output completed "Done.\nhunk 1: a, line 2, +1 -1\nhunk 2: a, lines 5 to 6, +2 -1"
`
	if got := a.items(); got != want {
		t.Errorf("kept\n%swant\n%s", got, want)
	}
}

// TestWhatAToolIsTold checks the outputs for edits without a place and for unknown tools.
func TestWhatAToolIsTold(t *testing.T) {
	for _, c := range []struct {
		call model.Item
		want string
	}{
		{call("apply_patch", strings.Replace(patch, "-five", "-six", 1)),
			"1 of 2 edits were made.\nhunk 1: a, line 2, +1 -1\nhunk 2 was not made: Failed to find"},
		{call("apply_patch", "hello"), "Nothing was changed: there was no edit in it."},
		{call("apply_patch", "*** Begin Patch\n*** Delete File: a\n*** End Patch\n"), "Done.\na was deleted"},
		{call("apply_patch", "*** Begin Patch\n*** Add File: b\n+x\n*** End Patch\n"),
			"Done.\nb was created\nhunk 1: b, line 1, +1 -0"},
		{call("shell", "ls"), `There is no tool "shell": there is apply_patch.`},
		{model.Item{Kind: model.FunctionCall, CallID: "c", Name: "f", Input: "{}"},
			`There is no tool "f": there is apply_patch.`},
	} {
		items := turn(t, &drivertest.Speaker{Answers: [][]model.Item{{c.call}}}, nil).kept.Items()
		out := items[len(items)-1]
		if !out.Kind.IsOutput() || out.CallID != "c" || !strings.HasPrefix(out.Text(), c.want) ||
			(out.Kind == model.CustomOutput) != (c.call.Kind == model.CustomCall) {
			t.Errorf("%s: %+v, want %s", c.call.Name, out, c.want)
		}
	}
}

// TestCallsSideBySide checks that patches are read one after the other, however their texts
// interleave, and that each call has its output.
func TestCallsSideBySide(t *testing.T) {
	var lines strings.Builder
	add := func(line string) { lines.WriteString(line + "\n") }
	texts := []string{"*** Begin Patch\n*** Update File: a\n@@\n-one\n+1\n*** End Patch\n",
		"*** Begin Patch\n*** Update File: a\n@@\n-two\n+2\n*** End Patch\n"}
	for at := range texts {
		add(fmt.Sprintf(`{"item":{"type":"custom_tool_call","call_id":"c%d","name":"apply_patch"},"at":%d}`, at, at))
	}
	for n := range len(texts[0]) {
		for _, at := range []int{1, 0} {
			b, _ := json.Marshal(texts[at][n : n+1])
			add(fmt.Sprintf(`{"text":%s,"at":%d}`, b, at))
		}
	}
	add(`{"end":true,"at":1}`)
	a := turn(t, scripted(t, lines.String()), nil)
	if a.Status != engine.Completed || !strings.HasPrefix(a.p.Texts["a"].String(), "1\n2\nthree\n") {
		t.Errorf("%+v, %q", a.Outcome, a.p.Texts["a"])
	}
	if got := a.items(); strings.Count(got, `custom_tool_call_output completed "Done.`) != 2 {
		t.Error(got)
	}
}

// TestCutAtEveryToken cuts a model at every token, by a stop or by a steer after which it
// goes on. The deltas that took effect must be recorded, and be the next prompt; the lines
// that the output of a call names must be in the file; and the file must be the result of
// the complete lines of the patches.
func TestCutAtEveryToken(t *testing.T) {
	seed := testseed.New(t)
	for at := 1; ; at++ {
		r := rand.New(rand.NewPCG(seed, 1))
		steer := r.IntN(2) == 0
		m := &drivertest.Speaker{At: at, Rand: r, Stubborn: r.IntN(2) == 0, Answers: [][]model.Item{
			{{Kind: model.Reasoning},
				model.Assistant("Sure.\n*** Begin Patch\n*** Update File: a\n@@\n three\n-four\n+vier\n*** End Patch\n"),
				call("apply_patch", patch), model.Item{Kind: model.FunctionCall, CallID: "d", Name: "f", Input: `{"a":1}`}},
			{model.Assistant("So be it.\n")},
		}}
		reached := make(chan struct{})
		m.Reached = func() { close(reached) }
		a := turn(t, m, func(run *engine.Turn) {
			go func() {
				select {
				case <-reached:
				case <-t.Context().Done():
					return
				}
				if steer {
					run.Steer("instead")
				} else {
					run.Stop()
				}
			}()
		})
		if m.Tokens() < at {
			return // the model finished before the cut
		}
		if check(t, m, a, steer); t.Failed() {
			t.Fatalf("seed %d, cut after token %d, steer %v; kept\n%s", seed, at, steer, a.items())
		}
	}
}

// check compares the recorded items with the deltas that took effect, with the next prompt,
// and with the file.
func check(t *testing.T, m *drivertest.Speaker, a *answer, steer bool) {
	t.Helper()
	var said []string
	kept := a.kept.Items()
	for _, i := range kept {
		if i.Role != model.RoleUser && !i.Kind.IsOutput() {
			said = append(said, i.Text())
		}
		if i.Status == model.InProgress || i.Kind.IsCall() && i.Status != model.Complete {
			t.Errorf("%+v", i)
		}
	}
	var happened []string
	for _, i := range m.Happened() {
		happened = append(happened, i.Text())
	}
	if strings.Join(said, "|") != strings.Join(happened, "|") {
		t.Errorf("kept %q, happened %q", said, happened)
	}
	if a.Status != engine.Completed && (steer || a.Status != engine.Stopped) {
		t.Errorf("%+v", a.Outcome)
	}
	if got, want := a.p.Texts["a"].String(), replayed(kept); got != want {
		t.Errorf("the file is %q, want %q", got, want)
	}
	if steer && len(m.Prompts()) > 1 { // a stubborn model may have ended first
		asked := m.Prompts()[1].Items
		got, _ := json.Marshal(asked)
		want, _ := json.Marshal(kept[:len(asked)])
		if string(got) != string(want) || m.Prompts()[1].Request() != "instead" {
			t.Errorf("asked %s, kept %s", got, want)
		}
	}
	for _, i := range kept {
		inPlace(t, a, kept, i)
	}
}

var named = regexp.MustCompile(`^cut by the user .*; lines? (\d+)(?: to (\d+))? of a (?:is|are) in place`)

// inPlace checks that the lines that the output of a cut call names are those of its patch.
func inPlace(t *testing.T, a *answer, kept []model.Item, out model.Item) {
	t.Helper()
	m := named.FindStringSubmatch(out.Text())
	if m == nil {
		return
	}
	from, _ := strconv.Atoi(m[1])
	until := from
	if m[2] != "" {
		until, _ = strconv.Atoi(m[2])
	}
	input := ""
	for _, i := range kept {
		if i.CallID == out.CallID && i.Kind.IsCall() {
			input = i.Input
		}
	}
	hunk := input[strings.LastIndex(input, "@@\n"):]
	last := ""
	for line := range strings.Lines(hunk) {
		if strings.HasPrefix(line, "+") && strings.HasSuffix(line, "\n") {
			last = line[1:]
		}
	}
	lines := strings.SplitAfter(a.p.Texts["a"].String(), "\n")
	if from < 1 || until < from || until > len(lines) || last == "" || lines[until-1] != last {
		t.Errorf("%s: the last line is %q; the file is %q", out.Text(), last, lines)
	}
}

// replayed returns the file after editstream alone has applied the texts of items.
func replayed(kept []model.Item) string {
	now := text.OfString("one\ntwo\nthree\nfour\nfive\n")
	for n, i := range kept {
		parser, cut := editstream.NewAuto(), i.Status == model.Incomplete
		if i.Kind == model.CustomCall {
			parser = editstream.NewV4A()
			cut = strings.HasPrefix(outputOf(kept[n:], i).Text(), "cut ")
		} else if i.Role != model.RoleAssistant {
			continue
		}
		placer := editstream.NewPlacer(one{&now}, editstream.Options{})
		make := func(ed editstream.Edit) {
			if c, ok := ed.(editstream.Changed); ok {
				now, _ = c.Changes.Apply(now)
			}
		}
		place := func(ev editstream.Event) { placer.Handle(ev, make) }
		if parser.Push([]byte(i.Text()), place); !cut {
			parser.Close(place)
		}
		placer.Cut(make)
	}
	return now.String()
}

// outputOf returns the output of a call.
func outputOf(kept []model.Item, call model.Item) model.Item {
	for _, i := range kept {
		if i.Kind.IsOutput() && i.CallID == call.CallID {
			return i
		}
	}
	return model.Item{}
}

// one is a project of one file.
type one struct{ now *text.Text }

func (o one) Open(string) (editstream.Doc, error) { return editstream.Doc{Text: *o.now}, nil }
