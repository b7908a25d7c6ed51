package app_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"waferpair/app"
	"waferpair/engine"
	"waferpair/engine/agent"
	"waferpair/engine/model"
	"waferpair/history"
)

// teller is a model that says what the test sends it, when it sends it. The last value is
// how it ends: nil, an error, or a value to panic with.
type teller struct {
	name string
	say  chan any
}

func (m teller) Info() model.Info { return model.Info{Name: m.name} }

func (m teller) Generate(ctx context.Context, p model.Prompt, yield func(model.Delta) error) (model.Result, error) {
	begun := false
	for {
		select {
		case <-ctx.Done():
			return model.Result{}, ctx.Err()
		case what := <-m.say:
			if _, words := what.(string); words && !begun {
				if err := yield(model.Begin{Item: model.Item{Kind: model.Message, Role: model.RoleAssistant}}); err != nil {
					return model.Result{}, err
				}
				begun = true
			}
			switch what := what.(type) {
			case nil:
				if begun {
					return model.Result{}, yield(model.End{})
				}
				return model.Result{}, nil
			case error:
				return model.Result{}, what
			case string:
				if err := yield(model.Text{Text: what, Tokens: 1}); err != nil {
					return model.Result{}, err
				}
			case func(model.Source) []model.FileEdit:
				if err := yield(model.Edits{Of: what(p.Files)}); err != nil {
					return model.Result{}, err
				}
			default:
				panic(what)
			}
		}
	}
}

// told is a turn of a teller, in a session of its own.
type told struct {
	*testing.T
	teller
	turn *engine.Turn
	seen []engine.Event
}

// turns opens a project and starts one turn for each name.
func (w *world) turns(names ...string) (*app.Project, []*told) {
	w.Helper()
	var list []*told
	var models []engine.Driver
	for _, name := range names {
		m := teller{name, make(chan any)}
		models, list = append(models, agent.New(m)), append(list, &told{T: w.T, teller: m})
	}
	p := w.openWith(app.Options{Models: engine.NewRegistry(models)})
	for _, t := range list {
		var err error
		t.turn, err = p.Edit(context.Background(), app.EditRequest{Text: "go", Model: t.name, Session: "new"})
		w.ok(err)
	}
	return p, list
}

// tell makes the model say something, and waits for an event of the turn that shows it.
func (t *told) tell(what any, shows func(engine.Event) bool) {
	t.Helper()
	t.say <- what
	late := time.After(patience)
	for more := true; more; {
		var ev engine.Event
		select {
		case ev, more = <-t.turn.Events():
		case <-late:
			t.Fatalf("%q shows nothing: %v", what, t.seen)
		}
		if t.seen = append(t.seen, ev); more && shows(ev) {
			return
		}
	}
	t.Fatalf("the turn has ended: %v", t.seen)
}

func changed(text string) func(engine.Event) bool {
	return func(ev engine.Event) bool {
		c, ok := ev.(engine.HunkChanged)
		return ok && c.Inserted == text
	}
}

func failed(reason string) func(engine.Event) bool {
	return func(ev engine.Event) bool {
		f, ok := ev.(engine.HunkFailed)
		return ok && f.Reason == reason
	}
}

func closed(ev engine.Event) bool { _, ok := ev.(engine.HunkClosed); return ok }

// finish ends the turn, after its last words or as the given value says.
func (t *told) finish(with any) engine.Outcome {
	t.Helper()
	t.say <- with
	if _, words := with.(string); words {
		t.say <- nil
	}
	return t.rest()
}

func (t *told) rest() engine.Outcome {
	for ev := range t.turn.Events() {
		t.seen = append(t.seen, ev)
	}
	return t.turn.Wait()
}

func update(path, hunk string) string { return "*** Update File: " + path + "\n@@\n" + hunk }

// TestTurnsSideBySide checks that two turns can write into two files at once, that each
// edit belongs to its own turn, and that one turn can be reverted while the other still
// writes.
func TestTurnsSideBySide(t *testing.T) {
	w := newWorld(t, map[string]string{"a.txt": "one\ntwo\n", "b.txt": "one\ntwo\n"})
	p, turns := w.turns("A", "B")
	a, b := turns[0], turns[1]
	a.tell("*** Begin Patch\n"+update("a.txt", "-one\n+A1\n"), changed("A1\n"))
	b.tell("*** Begin Patch\n"+update("b.txt", "-one\n+B1\n"), changed("B1\n"))
	a.tell("+A2\n", changed("A2\n"))
	b.tell("+B2\n", changed("B2\n"))
	a.tell(" two\n*** End Patch\n", closed)
	if out := a.finish(nil); out.Status != engine.Completed || len(out.Edits) != 1 {
		t.Errorf("%+v", out)
	}
	w.is(w.disk("a.txt"), "A1\nA2\ntwo\n")
	_, err := p.Revert(t.Context(), app.RevertRequest{Turn: history.TurnID(a.turn.ID())})
	w.ok(err)
	w.is(w.disk("a.txt"), "one\ntwo\n")
	b.tell("+B3\n two\n*** End Patch\n", closed)
	if out := b.finish(nil); out.Status != engine.Completed || len(out.Edits) != 1 {
		t.Errorf("%+v", out)
	}
	w.is(w.disk("b.txt"), "B1\nB2\nB3\ntwo\n")
	w.at(p, history.Newest, "b.txt", "B1\nB2\nB3\ntwo\n")
	for _, x := range []struct {
		turn *told
		path string
	}{{a, "a.txt"}, {b, "b.txt"}} {
		edits, err := p.History().List(t.Context(), history.Filter{Turn: history.TurnID(x.turn.turn.ID())})
		if err != nil || len(edits) != 1 || edits[0].Path != x.path || edits[0].Partial {
			t.Errorf("turn %d has the edits %+v, %v", x.turn.turn.ID(), edits, err)
		}
	}
}

// TestAFileOfAnotherTurnIsBusy checks that a hunk for a file of another turn is held, while
// the hunks before and after it are applied, and that it can be approved when the other
// turn has ended, even after a restart.
func TestAFileOfAnotherTurnIsBusy(t *testing.T) {
	w := newWorld(t, map[string]string{"a.txt": "one\ntwo\nthree\nfour\n", "b.txt": "one\n", "gone.txt": "x\n",
		"old.txt": "m\n"})
	p, turns := w.turns("A", "B")
	a, b := turns[0], turns[1]
	a.tell("*** Begin Patch\n"+update("a.txt", " one\n-two\n+A\n"), changed("A\n"))
	a.tell(" three\n*** Delete File: gone.txt\n*** Add File: new.txt\n+of A\n", changed("of A\n"))
	b.tell("*** Begin Patch\n"+update("b.txt", "-one\n+B\n")+update("a.txt", " three\n-four\n+B\n"), failed("busy"))
	b.tell("*** Delete File: gone.txt\n*** Add File: new.txt\n+of B\n*** Update File: old.txt\n*** Move to: "+
		"moved.txt\n@@\n-m\n+n\n", changed("n\n"))
	b.tell(update("a.txt", "-one\n+B first\n A\n"), failed("busy"))
	_, err := p.ApproveHeld(t.Context(), history.TurnID(b.turn.ID()))
	if err == nil {
		t.Error("what is held of a turn was approved while it runs")
	}
	if out := a.finish("*** End Patch\n"); out.Status != engine.Completed {
		t.Errorf("%+v", out)
	}
	b.tell("@@\n-three\n+B third\n*** End Patch\n", closed) // A has ended, and has a.txt no more
	out := b.finish(nil)
	if out.Status != engine.Held || out.Code != "busy" {
		t.Errorf("%+v", out)
	}
	w.is(w.disk("a.txt"), "one\nA\nB third\nfour\n")
	w.is(w.disk("b.txt")+w.disk("moved.txt")+w.disk("new.txt"), "B\nn\nof A\n")
	var busy []string
	for _, ev := range b.seen {
		if f, ok := ev.(engine.HunkFailed); ok {
			busy = append(busy, f.Reason+" "+f.Path)
		}
	}
	w.is(strings.Join(busy, ", "), "busy a.txt, busy gone.txt, busy new.txt, busy a.txt")
	w.ok(p.Close())

	p = w.open()
	if kept := fmt.Sprintf("%+v", w.conversation(p, 2).Turns); strings.Contains(kept, "is editing") {
		t.Errorf("A has ended, and of B it says %s", kept)
	}
	w.ok(w.show(p, "a.txt").replace("B third", "three"))
	// A deleted gone.txt, and B's deletion of it is held: there must be something to delete.
	_, err = p.Revert(t.Context(), app.RevertRequest{IDs: w.newest(p, "gone.txt")})
	w.ok(err)
	_, err = p.Remove(t.Context(), "new.txt", "")
	w.ok(err)
	done, err := p.ApproveHeld(t.Context(), history.TurnID(b.turn.ID()))
	w.ok(err)
	w.is(w.disk("a.txt")+w.disk("new.txt"), "B first\nA\nthree\nB\nof B\n")
	if len(done.Edits) == 0 {
		t.Errorf("%+v", done)
	}
	all, err := p.History().List(t.Context(), history.Filter{Turn: history.TurnID(b.turn.ID())})
	w.ok(err)
	for _, id := range done.Edits {
		if !slices.ContainsFunc(all, func(e history.Edit) bool { return e.ID == id }) {
			t.Errorf("edit %d is not one of the turn's", id)
		}
	}
	if _, err := p.ApproveHeld(t.Context(), history.TurnID(b.turn.ID())); err == nil {
		t.Error("it was approved twice")
	}
	w.at(p, history.Newest, "a.txt", w.disk("a.txt"))
}

// newest returns the newest edit of a path.
func (w *world) newest(p *app.Project, path string) []history.EditID {
	w.Helper()
	edits, err := p.History().List(w.Context(), history.Filter{Path: path})
	if err != nil || len(edits) == 0 {
		w.Fatal(err)
	}
	return []history.EditID{edits[len(edits)-1].ID}
}

// TestExactEditsTakeAllFilesOrNone checks that exact edits are held as a whole while
// another turn has one of their files, and that their other files stay free.
func TestExactEditsTakeAllFilesOrNone(t *testing.T) {
	w := newWorld(t, map[string]string{"a.txt": "one\n", "b.txt": "one\n"})
	p, turns := w.turns("A", "B", "C")
	a, b, c := turns[0], turns[1], turns[2]
	a.tell("*** Begin Patch\n"+update("b.txt", "-one\n+two\n"), changed("two\n"))
	out := b.finish(func(files model.Source) []model.FileEdit {
		return []model.FileEdit{replacing(files, "a.txt", "one", "three"), replacing(files, "b.txt", "two", "three")}
	})
	if out.Status != engine.Held || out.Code != "busy" || len(out.Edits) > 0 ||
		!strings.Contains(out.Message, fmt.Sprintf("b.txt: held: turn %d", a.turn.ID())) {
		t.Errorf("%+v", out)
	}
	w.is(w.disk("a.txt"), "one\n")
	c.tell("*** Begin Patch\n"+update("a.txt", "-one\n+C\n"), changed("C\n"))
	if out := a.finish("*** End Patch\n"); out.Status != engine.Completed {
		t.Errorf("%+v", out)
	}
	c.turn.Stop()
	if out := c.rest(); out.Status != engine.Stopped {
		t.Errorf("%+v", out)
	}
	w.is(w.disk("a.txt")+w.disk("b.txt"), "C\ntwo\n")
	w.at(p, history.Newest, "a.txt", "C\n")
}

// TestEveryEndingGivesFilesBack checks that the files of a turn are free after any end of
// it.
func TestEveryEndingGivesFilesBack(t *testing.T) {
	w := newWorld(t, map[string]string{"a.txt": "top\n", "b.txt": "one\n"})
	names := []string{"completed", "failed", "panics", "stopped", "last"}
	p, turns := w.turns(names...)
	for i, x := range turns {
		line := fmt.Sprintf("line %d\n", i)
		x.tell("*** Begin Patch\n"+update("a.txt", " top\n+"+line), changed(line))
		want := engine.Failed
		switch x.name {
		case "failed":
			x.finish(errors.New("no more"))
		case "panics":
			x.finish(42)
		case "stopped":
			want = engine.Stopped
			x.turn.Stop()
			x.rest()
		default:
			want = engine.Completed
			x.finish("*** End Patch\n")
		}
		if out := x.turn.Wait(); out.Status != want || len(out.Edits) != 1 {
			t.Errorf("%s: %+v", x.name, out)
		}
	}
	w.is(w.disk("a.txt"), "top\nline 4\nline 3\nline 2\nline 1\nline 0\n")
	w.at(p, history.Newest, "a.txt", w.disk("a.txt"))
}

// TestOneTurnInASession checks that a second turn in a session is refused and changes
// nothing, and that one in another session runs.
func TestOneTurnInASession(t *testing.T) {
	w := newWorld(t, map[string]string{"a.txt": "one\n"})
	p, turns := w.turns("A", "B")
	a, b := turns[0], turns[1]
	for _, session := range []string{"1", "2", ""} { // the newest is 2
		_, err := p.Edit(t.Context(), app.EditRequest{Text: "more", Model: "A", Session: session})
		var busy *app.SessionBusy
		if !errors.As(err, &busy) {
			t.Errorf("a second turn in session %q: %v", session, err)
		}
	}
	if n := len(w.conversation(p, 1).Turns) + len(w.conversation(p, 2).Turns); n != 2 {
		t.Errorf("%d turns are recorded", n)
	}
	if s := w.conversation(p, 0).Session.ID; s != 2 {
		t.Errorf("requests go to session %d", s)
	}
	a.finish(nil)
	turn, err := p.Edit(t.Context(), app.EditRequest{Text: "more", Model: "A", Session: "1"})
	w.ok(err)
	(&told{T: t, teller: a.teller, turn: turn}).finish(nil)
	b.finish(nil)
}

// TestTheUserAmongTurns checks that the user can change a file that a turn has, that the
// turn goes on as after typing, and that the fork cannot be left while a turn runs.
func TestTheUserAmongTurns(t *testing.T) {
	w := newWorld(t, map[string]string{"a.txt": "one\ntwo\nthree\n", "b.txt": "one\n"})
	p, turns := w.turns("A", "B")
	a, b := turns[0], turns[1]
	a.tell("*** Begin Patch\n"+update("a.txt", " one\n+A1\n"), changed("A1\n"))
	b.tell("*** Begin Patch\n"+update("b.txt", " one\n+B1\n"), changed("B1\n"))
	if _, err := p.Fork(t.Context(), "other", history.Newest); err == nil {
		t.Error("the line was left under a turn")
	}
	_, err := p.Restore(t.Context(), app.RestoreRequest{At: 0, Paths: []string{"b.txt"}})
	w.ok(err)
	w.is(w.disk("b.txt"), "one\n")
	_, err = p.Rename(t.Context(), "a.txt", "c.txt")
	w.ok(err)
	b.tell(update("c.txt", "-three\n+B\n"), failed("busy")) // A still has it
	a.finish(" two\n+A2\n*** End Patch\n")                  // its place is gone
	b.finish(nil)
	w.is(w.disk("c.txt"), "one\nA1\ntwo\nthree\n")
	_, err = p.Fork(t.Context(), "other", history.Newest)
	w.ok(err)
	w.at(p, history.Newest, "c.txt", w.disk("c.txt"))
}

// TestASessionInWhichATurnRunsIsNotPurged checks that such a purge is refused, because the
// turn would record its request and answer again at its end, and that a purge after the end
// leaves nothing of them.
func TestASessionInWhichATurnRunsIsNotPurged(t *testing.T) {
	w := newWorld(t, map[string]string{"a.txt": "one\ntwo\n"})
	p, turns := w.turns("A", "B")
	a, b := turns[0], turns[1]
	a.tell("confidential words\n*** Begin Patch\n"+update("a.txt", "-one\n+A\n"), changed("A\n"))
	session := p.Running()[0].Session
	_, err := p.Purge(t.Context(), "", session)
	if err == nil || !strings.Contains(err.Error(), "a turn is running in session 1: stop it") {
		t.Errorf("a session is purged in which a turn runs: %v", err)
	}
	if out := a.finish(" two\n*** End Patch\n"); out.Status != engine.Completed {
		t.Errorf("%+v", out)
	}
	_, err = p.Purge(t.Context(), "", session) // while a turn of another session runs
	w.ok(err)
	var all bytes.Buffer
	w.ok(p.History().Export(t.Context(), &all))
	if strings.Contains(all.String(), "confidential") {
		t.Errorf("it is not gone:\n%s", all.String())
	}
	next, err := p.Edit(t.Context(), app.EditRequest{Text: "go on", Model: "A", Session: "1"})
	w.ok(err)
	a.turn = next
	a.finish(nil)
	b.finish(nil)
}

// TestATurnTellsOfItsOwnFiles checks that a conflict of a turn's file with another program
// is reported by that turn, even if the file is saved at the end of another turn.
func TestATurnTellsOfItsOwnFiles(t *testing.T) {
	w := newWorld(t, map[string]string{"a.txt": "one\n", "b.txt": "one\ntwo\n"})
	p, turns := w.turns("A", "B")
	a, b := turns[0], turns[1]
	a.tell("*** Begin Patch\n"+update("a.txt", "-one\n+A\n"), changed("A\n"))
	b.tell("*** Begin Patch\n"+update("b.txt", "-one\n+B\n"), changed("B\n"))
	w.write("b.txt", "theirs\ntwo\n")
	b.tell(" two\n*** End Patch\n", closed)
	if out := a.finish("*** End Patch\n"); out.Status != engine.Completed {
		t.Errorf("what is the matter with b.txt is told of by the turn that has a.txt: %+v", out)
	}
	if _, err := p.ApplyPatch(t.Context(), []byte(patch("*** Add File: c.txt\n+c\n")), false); err != nil {
		t.Errorf("what is the matter with b.txt keeps another file from being made: %v", err)
	}
	if out := b.finish(nil); out.Status != engine.Conflict || !strings.Contains(out.Message, "b.txt: the outside") {
		t.Errorf("%+v", out)
	}
	w.is(w.disk("a.txt")+w.disk("b.txt"), "A\ntheirs\ntwo\n")
}

// TestWhatATurnRecordedIsSavedWhileItWaits checks that edits in quick succession, also
// those of another file, are on disk while the model thinks.
func TestWhatATurnRecordedIsSavedWhileItWaits(t *testing.T) {
	w := newWorld(t, map[string]string{"a.txt": "one\ntwo\nthree\n", "b.txt": "one\n", "gone.txt": "x\n"})
	_, turns := w.turns("A", "B")
	a, b := turns[0], turns[1]
	last := func(ev engine.Event) bool {
		c, ok := ev.(engine.HunkClosed)
		return ok && c.Hunk == 2
	}
	a.tell("*** Begin Patch\n*** Delete File: gone.txt\n"+update("a.txt", "-one\n+1\n@@\n-two\n+2\n@@\n-three\n"), last)
	for _, old := range []string{"one", "1"} {
		b.tell(func(files model.Source) []model.FileEdit {
			return []model.FileEdit{replacing(files, "b.txt", old, old+"1")}
		}, closed)
	}
	w.until(func() bool {
		_, err := os.Stat(filepath.Join(w.dir, "gone.txt"))
		return errors.Is(err, os.ErrNotExist) && strings.HasPrefix(w.disk("a.txt"), "1\n2\n") && w.disk("b.txt") == "one11\n"
	})
	a.turn.Stop()
	b.turn.Stop()
	a.rest()
	b.rest()
}
