package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"waferpair/build/testseed"
	"waferpair/engine"
	"waferpair/engine/agent"
	"waferpair/engine/drivertest"
	"waferpair/engine/model"
)

// TestALanguageModelCutAtEveryToken cuts a model that calls tools, by a stop or a steer, at every
// token of several rounds. What took effect is what is kept and in the files; each prompt is the one
// before it and more items; each call has one output, after the items of its answer; no delta of a cut
// generation lands afterwards.
func TestALanguageModelCutAtEveryToken(t *testing.T) {
	seed := testseed.New(t)
	for at := 1; ; at++ {
		r := rand.New(rand.NewPCG(seed, uint64(at)))
		steer := r.IntN(3) > 0
		m := &drivertest.Speaker{At: at, Rand: r, Stubborn: r.IntN(2) == 0, Answers: [][]model.Item{
			{{Kind: model.Reasoning}, function("r1", "read", `{"path":"a"}`), function("l1", "list", `{}`)},
			{model.Assistant("Sure.\n*** Begin Patch\n*** Update File: a\n@@\n three\n-four\n+vier\n*** End Patch\n"),
				call("apply_patch", patch), function("r2", "read", `{"path":"a"}`)},
			{model.Assistant("So be it.\n")}, {model.Assistant("Good.\n")}, {model.Assistant("Yes.\n")},
		}}
		reached := make(chan struct{})
		m.Reached = func() { close(reached) }
		a := ask(t, m, model.Prompt{}, map[string]string{"a": small["a"]}, func(run *engine.Turn) {
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
		if checkRounds(t, m, a, steer); t.Failed() {
			t.Fatalf("seed %d, cut after token %d, steer %v; kept\n%s", seed, at, steer, a.items())
		}
	}
}

func checkRounds(t *testing.T, m *drivertest.Speaker, a *answer, steer bool) {
	t.Helper()
	kept := a.kept.Items()
	var said, happened []string
	outputs := map[string]int{}
	for _, i := range kept {
		if i.Kind.IsOutput() {
			outputs[i.CallID]++
		} else if i.Role != model.RoleUser && i.Role != model.RoleDeveloper {
			said = append(said, i.Text())
		}
		if i.Status == model.InProgress || i.Kind.IsCall() && i.Status != model.Complete {
			t.Errorf("%+v", i)
		}
	}
	for _, i := range m.Happened() {
		happened = append(happened, i.Text())
		if n := outputs[i.CallID]; i.Kind.IsCall() && n != 1 {
			t.Errorf("%s has %d outputs", i.CallID, n)
		}
	}
	if strings.Join(said, "|") != strings.Join(happened, "|") {
		t.Errorf("kept %q, happened %q", said, happened)
	}
	if got, want := a.p.Texts["a"].String(), replayed(kept); got != want {
		t.Errorf("the file is %q, want %q", got, want)
	}
	before := "["
	for at, p := range m.Prompts() {
		b, _ := json.Marshal(p.Items)
		now := strings.TrimSuffix(string(b), "]")
		if !strings.HasPrefix(now, before) {
			t.Errorf("prompt %d is\n%s\nafter\n%s", at+1, now, before)
		}
		before = now
	}
	asked := 0
	for _, p := range m.Prompts() {
		if p.Request() == "instead" {
			asked++
		}
	}
	if steer && asked == 0 && (a.Status == engine.Completed || inWords(a.Outcome)) {
		for _, ev := range a.events { // the model was quicker: the words go back
			if s, ok := ev.(engine.Steered); ok && s.State == engine.SteerApplied {
				t.Errorf("%+v, and no prompt has it", s)
			}
		}
	}
	if a.Status != engine.Completed && !inWords(a.Outcome) && (steer || a.Status != engine.Stopped) {
		t.Errorf("%+v", a.Outcome)
	}
}

// silent is a language model that says nothing until it is cut, as often as there are words for it; then
// it answers.
type silent struct {
	asked chan struct{}
	cut   chan error
	quiet int
	n     int
	last  model.Prompt
}

func (*silent) Info() model.Info { return model.Info{Name: "silent", Language: true} }
func (s *silent) Generate(ctx context.Context, p model.Prompt, yield func(model.Delta) error) (model.Result, error) {
	s.last = p
	if s.n++; s.n <= s.quiet {
		s.asked <- struct{}{}
		<-ctx.Done()
		s.cut <- yield(model.Begin{Item: model.Item{Kind: model.Message, Role: model.RoleAssistant}})
		return model.Result{Stop: model.StopCut}, ctx.Err()
	}
	return model.Result{Stop: model.StopEnd}, model.Say(yield, "Then so.\n", 1)
}

// TestASteerBeforeTheFirstToken checks that the model is cut at once, that nothing of the cut
// generations lands, and that the next prompt has the instructions: those that were cut before the
// model answered, too, and their receipts say so.
func TestASteerBeforeTheFirstToken(t *testing.T) {
	for _, steers := range [][]string{{"instead"}, {"so", "instead"}, {"so", "or so", "instead"}} {
		n := len(steers)
		s := &silent{asked: make(chan struct{}), cut: make(chan error, n), quiet: n}
		p := drivertest.NewMemory(small)
		run := engine.NewSession(p).Start(t.Context(), engine.Request{Driver: agent.New(s, agent.Tools()...),
			Prompt: model.Prompt{Items: []model.Item{model.User("go")}}})
		go func() {
			for _, words := range steers {
				<-s.asked
				run.Steer(words)
			}
		}()
		receipts := map[engine.SteerState]int{}
		for ev := range run.Events() {
			if s, ok := ev.(engine.Steered); ok {
				receipts[s.State]++
			}
		}
		o := run.Wait()
		for range n {
			if err := <-s.cut; !errors.Is(err, context.Canceled) {
				t.Errorf("a delta of the cut generation was taken: %v", err)
			}
		}
		if !inWords(o) || s.n != n+1 || len(s.last.Items) != n+1 || s.last.Request() != "instead" ||
			o.Said != "Then so.\n" || receipts[engine.SteerApplied] != n || receipts[engine.SteerFailed] > 0 {
			t.Errorf("%+v, asked %d times, last %+v, %v", o, s.n, s.last.Items, receipts)
		}
	}
}
