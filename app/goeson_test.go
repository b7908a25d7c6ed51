package app_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"waferpair/app"
	"waferpair/build/testseed"
	"waferpair/engine"
	"waferpair/engine/agent"
	"waferpair/engine/drivertest"
	"waferpair/engine/gguf"
	"waferpair/engine/local"
	"waferpair/engine/local/localtest"
	"waferpair/engine/model"
)

// wholeAnswers are answers in the formats of edits, to a project that has a.txt, and a question's.
var wholeAnswers = map[string]string{
	"patch": "Two hunks.\n*** Begin Patch\n*** Update File: a.txt\n@@\n one\n-two\n+TWO\n+TWO\n@@\n four\n+4\n+4\n" +
		"*** Add File: b.txt\n+new\n+new\n*** End Patch\nDone.\n",
	"blocks": "a.txt\n<<<<<<< SEARCH\none\ntwo\n=======\none\nTWO\nTWO\n>>>>>>> REPLACE\n\nb.txt\n<<<<<<< SEARCH\n=======\nnew\nnew\n>>>>>>> REPLACE\n\n" +
		"a.txt\n<<<<<<< SEARCH\nfour\n=======\nfour\n4\n4\n>>>>>>> REPLACE\nDone.\n",
	"whole": "File: a.txt\n```\none\nTWO\nTWO\nthree\nfour\n4\n4\n```\n\nFile: b.txt\n```\nnew\nnew\n```\nDone.\n",
}

// TestAModelGoesOnAtTheByte cuts answers at two random bytes and continues them with a model that goes on at the
// byte, and fails if its prompt does not end in exactly what it wrote.
func TestAModelGoesOnAtTheByte(t *testing.T) {
	const want = "one\nTWO\nTWO\nthree\nfour\n4\n4\n"
	seed := testseed.New(t)
	r := rand.New(rand.NewPCG(seed, 13))
	tries := 12
	if testing.Short() {
		tries = 4
	}
	for name, answer := range wholeAnswers {
		for try := range tries {
			whole := answer
			call := name == "patch" && try%2 == 1
			if call {
				whole = whole[strings.Index(whole, "***"):strings.Index(whole, "Done")]
			}
			w := newWorld(t, map[string]string{"a.txt": "one\ntwo\nthree\nfour\n"})
			first := 1 + r.IntN(len(whole)-2)
			second := first + r.IntN(len(whole)-first)
			s := &drivertest.Speaker{Language: true, GoesOn: true}
			for _, until := range []int{first, second, len(whole)} {
				i := model.Assistant(whole[:until])
				if call {
					i = model.Item{Kind: model.CustomCall, CallID: fmt.Sprint("c", until), Name: model.ApplyPatch,
						Input: whole[:until]}
				}
				s.Answers = append(s.Answers, []model.Item{i})
			}
			s.Answers = append(s.Answers, []model.Item{model.Assistant("Done.\n")})
			s.Ends = func(n int) (model.Stop, error) {
				if n < 2 {
					return model.StopCut, errors.New("the line is dead")
				}
				return model.StopEnd, nil
			}
			p := w.openWith(app.Options{Models: engine.NewRegistry([]engine.Driver{agent.New(s, agent.Tools()...)})})
			var o engine.Outcome
			for _, req := range []app.EditRequest{{Text: "edit"}, {Continue: &app.Continuation{}},
				{Continue: &app.Continuation{}}} {
				o = w.turn(p, req)
			}
			made, _ := os.ReadFile(filepath.Join(w.dir, "b.txt")) // empty: it was not made
			if got := w.disk("a.txt"); o.Status != engine.Completed || got != want || string(made) != "new\nnew\n" {
				t.Fatalf("seed %d, %s, call %v, cut at %d and %d: %s (%s)\n%s", seed, name, call, first, second, o.Status,
					o.Message, got+string(made))
			}
			for n, asked := range s.Prompts()[1:3] {
				if last := asked.Items[len(asked.Items)-1]; last.Status != model.Incomplete {
					t.Fatalf("seed %d, %s, cut at %d and %d: prompt %d ends in %q", seed, name, first, second, n+1, last.Text())
				}
			}
			w.ok(p.Close())
		}
	}
}

// TestWhatCannotGoOnIsAskedFor continues an answer with words of the user's, and one that does not fit: the
// model is told what is in place.
func TestWhatCannotGoOnIsAskedFor(t *testing.T) {
	const patch = "*** Begin Patch\n*** Update File: a.txt\n@@\n one\n+ONE\n+eins\n*** End Patch\n"
	for name, req := range map[string]app.EditRequest{"words": {Continue: &app.Continuation{}, Text: "in English"},
		"taken out": {Continue: &app.Continuation{}, Without: []string{"turn 1"}}} {
		w := newWorld(t, map[string]string{"a.txt": "one\ntwo\n"})
		s := &drivertest.Speaker{Language: true, GoesOn: true, Answers: [][]model.Item{
			{model.Assistant(patch[:len(patch)-16])}, {model.Assistant(patch)}}}
		s.Ends = func(n int) (model.Stop, error) { return []model.Stop{model.StopLength, model.StopEnd}[n], nil }
		p := w.openWith(app.Options{Models: engine.NewRegistry([]engine.Driver{agent.New(s)})})
		for _, r := range []app.EditRequest{{Text: "count"}, req} {
			w.turn(p, r)
		}
		all := s.Prompts()[1].Items
		if last := all[len(all)-1]; w.disk("a.txt") != "one\nONE\neins\ntwo\n" || last.Role != model.RoleDeveloper {
			t.Errorf("%s: %s\n%+v", name, w.disk("a.txt"), last)
		}
		w.ok(p.Close())
	}
}

// TestAnAnswerToAQuestionGoesOn: the texts of all turns are the whole answer.
func TestAnAnswerToAQuestionGoesOn(t *testing.T) {
	const whole = "It is in a.txt:1, as *** Begin Patch says.\n"
	w := newWorld(t, map[string]string{"a.txt": "x\n"})
	s := &drivertest.Speaker{Language: true, GoesOn: true, Answers: [][]model.Item{{model.Assistant(whole[:12])},
		{model.Assistant(whole[:30])}, {model.Assistant(whole)}}}
	s.Ends = func(n int) (model.Stop, error) {
		return []model.Stop{model.StopLength, model.StopLength, model.StopEnd}[n], nil
	}
	p := w.openWith(app.Options{Models: engine.NewRegistry([]engine.Driver{agent.New(s)})})
	said := ""
	for _, r := range []app.EditRequest{{Text: "where?", Mode: app.ModeAsk}, {Continue: &app.Continuation{}},
		{Continue: &app.Continuation{}}} {
		turn, err := p.Edit(context.Background(), r)
		w.ok(err)
		for ev := range turn.Events() {
			if words, is := ev.(engine.Prose); is {
				said += words.Text
			}
		}
	}
	if said != whole {
		t.Errorf("%q, not %q", said, whole)
	}
}

// TestAModelFileGoesOn stops a model with weights set by hand after each of its tokens, which are lines, and
// continues it: it writes the lines that are missing, and no other, and the file is that of the whole answer.
func TestAModelFileGoesOn(t *testing.T) {
	lines := []string{"a.txt\n", "<<<<<<< SEARCH\n", "hello\n", "=======\n", "hello, world\n", "and all\n",
		">>>>>>> REPLACE\n"}
	file := filepath.Join(t.TempDir(), "edits.gguf")
	if err := localtest.Answering(file, gguf.Q8_0, lines...); err != nil {
		t.Fatal(err)
	}
	for stop := 1; stop < len(lines); stop++ {
		w := newWorld(t, map[string]string{"a.txt": "one\nhello\ntwo\n"})
		shelf := &local.Shelf{}
		m, err := shelf.Open("coder", file, "")
		w.ok(err)
		cut := &cutAfter{Model: m, tokens: stop}
		p := w.openWith(app.Options{Models: engine.NewRegistry([]engine.Driver{agent.New(cut)})})
		var o engine.Outcome
		for _, r := range []app.EditRequest{{Text: "greet"}, {Continue: &app.Continuation{}}} {
			o = w.turn(p, r)
		}
		if got := w.disk("a.txt"); got != "one\nhello, world\nand all\ntwo\n" || o.Status != engine.Completed {
			t.Errorf("stopped after %d tokens: %s (%s)\n%s", stop, o.Status, o.Message, got)
		}
		if u := o.Timing.Usage; u.Output != len(lines)-stop+1 { // and the end
			t.Errorf("stopped after %d tokens, it wrote %d more, of %d", stop, u.Output, len(lines))
		}
		w.ok(p.Close())
		shelf.Close()
	}
}

// cutAfter is a model whose first answer breaks off after some tokens.
type cutAfter struct {
	*local.Model
	tokens int
	broke  bool
}

func (c *cutAfter) Generate(ctx context.Context, p model.Prompt, yield func(model.Delta) error) (model.Result, error) {
	died, n := errors.New("it died"), 0
	if c.broke {
		return c.Model.Generate(ctx, p, yield)
	}
	c.broke = true
	return c.Model.Generate(ctx, p, func(d model.Delta) error {
		if text, is := d.(model.Text); is {
			if n += text.Tokens; n > c.tokens {
				return died
			}
		}
		return yield(d)
	})
}
