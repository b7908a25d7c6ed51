package app_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"waferpair/app"
	"waferpair/engine"
)

// TestChosen: what a turn offered is taken with its file and lines; a secret in it is not kept, so
// that offer is not.
func TestChosen(t *testing.T) {
	w := newWorld(t, map[string]string{"a.py": "def parse_config():\n    return 1\n", "b.py": "KEY = \"x\"\n"})
	p := w.open()
	ask := func(r app.EditRequest) engine.Outcome {
		t.Helper()
		turn, err := p.Edit(w.Context(), r)
		w.ok(err)
		for range turn.Events() {
		}
		return turn.Wait()
	}
	refused := func(r app.EditRequest, want string) {
		t.Helper()
		_, err := p.Edit(w.Context(), r)
		if !errors.As(err, new(*app.NoChoice)) || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want %s", r, err, want)
		}
	}
	first := app.EditRequest{Choice: app.Choice{N: 1}}
	refused(first, "no request was sent")
	o := ask(app.EditRequest{Text: "rename parse_confg to load_config", Scope: []string{"a.py"}})
	if len(o.Refusal.Candidates) != 1 {
		t.Fatalf("%+v", o.Refusal)
	}
	refused(app.EditRequest{Text: "another", Choice: app.Choice{N: 1}}, "another one")
	refused(app.EditRequest{Choice: app.Choice{N: 2}}, "no choice 2")
	refused(app.EditRequest{Choice: app.Choice{N: 1}, Session: "new"}, "no request")
	w.ok(p.Close())
	p = w.open() // a later process
	done := ask(first)
	w.is(string(done.Status), string(engine.Completed))
	w.is(fmt.Sprint(done.Files), fmt.Sprint(o.Refusal.Candidates[0].Files))
	last := w.conversation(p, 0).Turns[1]
	w.is(last.Request, "rename parse_config to load_config")
	w.is(fmt.Sprint(last.Target.Scope), "[a.py]")
	refused(first, "listed nothing")

	secret := "AKIA" + "QWERTYUIOPASDFGH"
	o = ask(app.EditRequest{Text: "set KEEY to \"" + secret + "\""})
	if o.Refusal == nil || len(o.Refusal.Candidates) == 0 {
		t.Fatalf("%+v", o)
	}
	refused(first, "a secret")
}
