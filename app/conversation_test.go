package app_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"waferpair/app"
	"waferpair/app/query"
	"waferpair/engine"
	"waferpair/history"
)

func (w *world) conversation(p *app.Project, id history.SessionID) query.Conversation {
	w.Helper()
	c, err := p.Query().Conversation(w.Context(), id, 0, 0)
	w.ok(err)
	return c
}

func TestAConversationTellsWhatWasSaidAndDone(t *testing.T) {
	w := newWorld(t, map[string]string{"a.go": "one\ntwo\n"})
	p := w.open()
	if c := w.conversation(p, 0); c.Session.ID != 0 || len(c.Turns) != 0 {
		t.Fatalf("%+v", c)
	}
	o := w.run(p, w.script("I will change one.\n"+patch("*** Update File: a.go\n@@\n-one\n+1\n")+"Done.\n"))
	_, err := p.Revert(t.Context(), app.RevertRequest{IDs: ids(o.Edits)})
	w.ok(err)
	w.run(p, w.script("Nothing to do.\n"))
	c := w.conversation(p, 0)
	if len(c.Turns) != 2 || c.Session.Title != "go" || c.More {
		t.Fatalf("%+v", c)
	}
	first := c.Turns[0]
	w.is(fmt.Sprintf("%s|%s|%s|%q|%v|%v|%+v", first.Request, first.Status, first.Message, first.Prose, first.Steers,
		first.Edits, first.Files),
		`go|completed|1 file changed, 1 added, 1 removed|"I will change one.\nDone."|[]|[1]|[{Path:a.go Added:1 Removed:1 Edits:1 Reverted:1}]`)
	part, err := p.Query().Conversation(t.Context(), 0, 0, 1)
	w.ok(err)
	if len(part.Turns) != 1 || !part.More || part.Turns[0].Turn != 2 {
		t.Fatalf("%+v", part)
	}
	older, err := p.Query().Conversation(t.Context(), 0, part.Turns[0].Turn, 1)
	w.ok(err)
	if len(older.Turns) != 1 || older.More || older.Turns[0].Turn != 1 {
		t.Fatalf("%+v", older)
	}
}

func TestSessionsAreStartedNamedAndResumed(t *testing.T) {
	w := newWorld(t, map[string]string{"a.go": "one\n"})
	p := w.open()
	w.run(p, w.script("hello\n"))
	id, err := p.NewSession(t.Context(), "")
	w.ok(err)
	w.run(p, w.script("hello again\n"))
	list, current, err := p.Query().Sessions(t.Context())
	w.ok(err)
	if len(list) != 2 || current != id || list[1].Title != "go" || list[1].Turns != 1 {
		t.Fatalf("%+v %d", list, current)
	}
	w.ok(p.RenameSession(t.Context(), id, "better"))
	w.ok(p.ResumeSession(t.Context(), 1))
	list, current, err = p.Query().Sessions(t.Context())
	w.ok(err)
	if current != 1 || list[1].Title != "better" {
		t.Fatalf("%+v %d", list, current)
	}
	if _, err := p.Query().Conversation(t.Context(), 77, 0, 0); !errors.Is(err, history.ErrNotFound) {
		t.Fatalf("%v", err)
	}
}

func TestWhatWasHeldCanBeApproved(t *testing.T) {
	w := newWorld(t, map[string]string{"in/a.go": "one\n", "out/b.go": "two\n", "out/.env": "KEY=1\n"})
	p := w.open()
	model := w.script(patch("*** Update File: in/a.go\n@@\n-one\n+1\n*** Update File: out/b.go\n@@\n-two\n+2\n*** Add File: out/c.go\n+new\n*** Update File: out/.env\n@@\n-KEY=1\n+KEY=2\n"))
	turn, err := p.Edit(context.Background(), app.EditRequest{Text: "go", Model: model, Scope: []string{"in"}})
	w.ok(err)
	for range turn.Events() {
	}
	if o := turn.Wait(); o.Status != engine.Held {
		t.Fatalf("%+v", o)
	}
	w.is(w.disk("in/a.go")+w.disk("out/b.go"), "1\ntwo\n")
	done, err := p.ApproveHeld(t.Context(), 1)
	w.ok(err)
	w.is(fmt.Sprint(done.Files), "[out/b.go out/c.go]")
	w.is(w.disk("in/a.go")+w.disk("out/b.go")+w.disk("out/c.go")+w.disk("out/.env"), "1\n2\nnew\nKEY=1\n")
	c := w.conversation(p, 0)
	if c.Turns[0].Status != "completed" || len(c.Turns[0].Edits) != 3 || !strings.HasPrefix(c.Turns[0].Message,
		"approved: 2 files") || len(c.Turns[0].Timing) == 0 {
		t.Fatalf("%+v", c.Turns[0])
	}
	if _, err := p.ApproveHeld(t.Context(), 1); err == nil {
		t.Fatal("it was approved twice")
	}
	_, err = p.Revert(t.Context(), app.RevertRequest{Turn: 1})
	w.ok(err)
	w.is(w.disk("in/a.go")+w.disk("out/b.go"), "one\ntwo\n")
}

func TestWhatWasHeldAndHasNoPlaceAnyMoreIsNotWritten(t *testing.T) {
	w := newWorld(t, map[string]string{"in/a.go": "one\n", "out/b.go": "two\n"})
	p := w.open()
	turn, err := p.Edit(context.Background(), app.EditRequest{Text: "go", Scope: []string{"in"},
		Model: w.script(patch("*** Update File: out/b.go\n@@\n-two\n+2\n"))})
	w.ok(err)
	for range turn.Events() {
	}
	w.run(p, w.script(patch("*** Update File: out/b.go\n@@\n-two\n+zwei\n")))
	_, err = p.ApproveHeld(t.Context(), 1)
	var lost *app.NotPlaced
	if !errors.As(err, &lost) {
		t.Fatalf("%v", err)
	}
	w.is(w.disk("out/b.go"), "zwei\n")
}

func (w *world) turnsShown(p *app.Project) string {
	w.Helper()
	var turns []history.TurnID
	c := w.conversation(p, 0)
	for _, t := range c.Turns {
		turns = append(turns, t.Turn)
	}
	tl, err := p.Query().Timeline(w.Context(), history.Page{})
	w.ok(err)
	var bands []history.TurnID
	for _, b := range tl.Bands {
		bands = append(bands, b.Turn)
	}
	return fmt.Sprintf("session %d: %d %v, bands %v", c.Session.ID, c.Session.Turns, turns, bands)
}

func TestAForkHasItsOwnConversation(t *testing.T) {
	w := newWorld(t, map[string]string{"a.go": "one\ntwo\n"})
	p := w.open()
	add := func(line string) history.EditID {
		o := w.run(p, w.script(patch("*** Add File: "+line+".go\n+"+line+"\n")))
		return history.EditID(o.Edits[0])
	}
	first := add("n1")
	w.run(p, w.script("Only words.\n"))
	add("n3")
	_, err := p.NewSession(t.Context(), "")
	w.ok(err)
	newest := add("n4")
	main := "session 2: 1 [4], bands [1 2 3 4]"
	w.is(w.turnsShown(p), main)

	_, err = p.Fork(t.Context(), "early", first) // a turn that only answered before the next edit is part of it
	w.ok(err)
	w.is(w.turnsShown(p), "session 1: 2 [1 2], bands [1 2]")
	list, _, err := p.Query().Sessions(t.Context())
	w.ok(err)
	if len(list) != 1 || list[0].Turns != 2 {
		t.Fatalf("%+v", list)
	}
	w.run(p, w.script("On the fork.\n"))
	w.is(w.turnsShown(p), "session 1: 3 [1 2 5], bands [1 2 5]")
	_, err = p.Fork(t.Context(), "of the fork", first) // at the present time, although the edit was made on main
	w.ok(err)
	w.is(w.turnsShown(p), "session 1: 3 [1 2 5], bands [1 2 5]")

	_, err = p.SwitchFork(t.Context(), "main")
	w.ok(err)
	w.is(w.turnsShown(p), "session 1: 3 [1 2 3], bands [1 2 3 4]")
	w.ok(p.ResumeSession(t.Context(), 2))
	w.is(w.turnsShown(p), main)
	_, err = p.Fork(t.Context(), "start", 0)
	w.ok(err)
	w.is(w.turnsShown(p), "session 2: 0 [], bands []")
	_, err = p.SwitchFork(t.Context(), "main")
	w.ok(err)
	_, err = p.Fork(t.Context(), "now", newest)
	w.ok(err)
	w.is(w.turnsShown(p), main)
}
