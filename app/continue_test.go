package app_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"

	"waferpair/app"
	"waferpair/build/testseed"
	"waferpair/engine"
	"waferpair/engine/agent"
	"waferpair/engine/drivertest"
	"waferpair/engine/model"
)

// TestAnswersCutAndContinued cuts answers at random bytes, in a message or in a call, and continues
// them until they are whole; the model writes all of its patch again each time. The file must be what
// the whole patch makes of it: no edit is lost, none is made twice, and the history is sound.
func TestAnswersCutAndContinued(t *testing.T) {
	turns := 60
	if testing.Short() {
		turns = 20
	}
	if n, err := strconv.Atoi(os.Getenv("WAFERPAIR_CUTS")); err == nil { // a long run
		turns = n
	}
	w := newWorld(t, map[string]string{"README.md": "x\n"})
	seed := testseed.New(t)
	r := rand.New(rand.NewPCG(seed, 12))
	s := &drivertest.Speaker{Language: true}
	died := errors.New("the line is dead")
	broken := map[int]bool{}
	s.Ends = func(n int) (model.Stop, error) {
		if broken[n] {
			return model.StopCut, died
		}
		return model.StopEnd, nil
	}
	p := w.openWith(app.Options{Models: engine.NewRegistry([]engine.Driver{agent.New(s, agent.Tools()...)})})
	run := func(req app.EditRequest) engine.Outcome {
		turn, err := p.Edit(context.Background(), req)
		w.ok(err)
		for range turn.Events() {
		}
		return turn.Wait()
	}
	for n := range turns {
		file := fmt.Sprintf("f%d.txt", n)
		w.write(file, numberedLines(24))
		patch, want := randomPatch(r, file)
		item := func(text string) model.Item {
			if n%2 == 0 {
				return model.Assistant(text)
			}
			return model.Item{Kind: model.CustomCall, CallID: fmt.Sprint("c", len(s.Answers)),
				Name: model.ApplyPatch, Input: text}
		}
		say := func(text string, breaks bool) {
			broken[len(s.Answers)] = breaks
			s.Answers = append(s.Answers, []model.Item{item(text)})
			if n%2 == 1 && !breaks { // its output is answered
				s.Answers = append(s.Answers, []model.Item{model.Assistant("Done.\n")})
			}
		}
		cuts := r.IntN(3)
		say(patch[:1+r.IntN(len(patch)-1)], true)
		o := run(app.EditRequest{Text: "change " + file, Session: "new"})
		for range cuts {
			say(patch[:1+r.IntN(len(patch)-1)], true)
			if o = run(app.EditRequest{Continue: &app.Continuation{}}); o.Status != engine.Failed ||
				o.Code != engine.ContinueCode {
				t.Fatalf("seed %d, turn %d: %+v", seed, n, o)
			}
		}
		say(patch, false)
		o = run(app.EditRequest{Continue: &app.Continuation{}})
		if got := w.disk(file); got != want || o.Status != engine.Completed {
			t.Fatalf("seed %d, turn %d ended %s (%s): %s has\n%swant\n%safter\n%s", seed, n, o.Status, o.Message,
				file, got, want, patch)
		}
		if _, err := p.Edit(context.Background(), app.EditRequest{Continue: &app.Continuation{}}); err == nil ||
			!strings.Contains(err.Error(), "did not break off") {
			t.Fatalf("a complete turn was continued: %v", err)
		}
	}
	report, err := p.History().Check(context.Background(), nil)
	if w.ok(err); len(report.Damage) > 0 {
		t.Errorf("%+v", report.Damage)
	}
}

func numberedLines(n int) (out string) {
	for i := range n {
		out += fmt.Sprintf("line %d\n", i+1)
	}
	return out
}

// randomPatch returns a patch of a file of 24 numbered lines, and what it makes of it.
func randomPatch(r *rand.Rand, file string) (patch, want string) {
	lines := strings.SplitAfter(numberedLines(24), "\n")
	patch = "*** Begin Patch\n*** Update File: " + file + "\n"
	at := 0
	for at < 18 {
		for range r.IntN(3) {
			want, at = want+lines[at], at+1
		}
		patch += "@@\n " + lines[at]
		want, at = want+lines[at], at+1
		for range r.IntN(3) {
			patch, at = patch+"-"+lines[at], at+1
		}
		for range 1 + r.IntN(3) {
			added := fmt.Sprintf("new %d\n", r.IntN(5))
			patch, want = patch+"+"+added, want+added
		}
	}
	for ; at < len(lines); at++ {
		want += lines[at]
	}
	return patch + "*** End Patch\n", want
}
