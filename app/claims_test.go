package app_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"waferpair/app"
	"waferpair/engine"
	"waferpair/engine/agent"
	"waferpair/engine/model"
	"waferpair/history"
)

// outsider is a driver whose program writes files. The test tells it what to do, and waits
// until it is done.
type outsider struct {
	name string
	do   chan func(engine.Host)
	done chan struct{}
}

func newOutsider(name string) outsider {
	return outsider{name, make(chan func(engine.Host)), make(chan struct{})}
}

func (o outsider) Info() model.Info { return model.Info{Name: o.name} }

func (o outsider) Drive(ctx context.Context, _ engine.Brief, h engine.Host) (engine.Ending, error) {
	for {
		select {
		case <-ctx.Done():
			return engine.Ending{}, ctx.Err()
		case <-h.Commands():
		case do := <-o.do:
			if do == nil {
				return engine.Ending{Result: model.Result{Stop: model.StopEnd}}, nil
			}
			do(h)
			o.done <- struct{}{}
		}
	}
}

// claims makes the outsider claim some paths.
func (o outsider) claims(paths ...string) (release func() engine.Receipt, err error) {
	o.do <- func(h engine.Host) { release, err = h.Claim("", paths) }
	<-o.done
	return release, err
}

// releases makes it release a claim.
func (o outsider) releases(release func() engine.Receipt) {
	o.do <- func(engine.Host) { release() }
	<-o.done
}

// end ends its turn.
func (o outsider) end(t *engine.Turn) engine.Outcome {
	go func() { o.do <- nil }()
	for range t.Events() {
	}
	return t.Wait()
}

// among opens a project in which some outsiders and one teller have turns.
func (w *world) among(names ...string) (*app.Project, []outsider, []*engine.Turn, *told) {
	w.Helper()
	m := teller{"model", make(chan any)}
	list := []engine.Driver{agent.New(m)}
	var outsiders []outsider
	for _, name := range names {
		o := newOutsider(name)
		outsiders, list = append(outsiders, o), append(list, o)
	}
	p := w.openWith(drivers(list...))
	var turns []*engine.Turn
	for _, o := range outsiders {
		turns = append(turns, w.turnOf(p, o.name))
	}
	return p, outsiders, turns, &told{T: w.T, teller: m, turn: w.turnOf(p, m.name)}
}

func isBusy(err error) bool { return errors.As(err, new(*engine.Busy)) }

func move(path, to, hunk string) string {
	return "*** Update File: " + path + "\n*** Move to: " + to + "\n@@\n" + hunk
}

func moved(ev engine.Event) bool { _, ok := ev.(engine.FileMoved); return ok }

// TestAFolderThatATurnHasClaimed checks that another turn's edits in a claimed folder, or
// of files that would move into it, are held, and edits beside it are not. Changes that
// another program makes in the folder belong to the claiming turn.
func TestAFolderThatATurnHasClaimed(t *testing.T) {
	w := newWorld(t, map[string]string{"d/a.txt": "one\n", "d/sub/b.txt": "one\n", "dd/a.txt": "one\n" +
		"", "out.txt": "one\n"})
	p, outsiders, turns, m := w.among("A")
	a := outsiders[0]
	release, err := a.claims("d")
	w.ok(err)
	m.tell("*** Begin Patch\n"+update("d/a.txt", "-one\n+M\n"), failed("busy"))
	m.tell("*** Add File: d/new.txt\n+M\n*** Update File: out.txt\n*** Move to: d/out.txt\n@@\n-one\n+M\n"+
		"*** Update File: d/sub/b.txt\n*** Move to: b.txt\n@@\n-one\n+M\n"+update("dd/a.txt", "-one\n+beside\n"),
		changed("beside\n"))
	if r, err := p.ApplyPatch(t.Context(), []byte(patch(update("d/a.txt", "-one\n+patch\n"))), false); err != nil ||
		r.Outcome.Status != engine.Conflict || !strings.Contains(r.Outcome.Message, "d/a.txt: turn 1 was editing it; apply") {
		t.Errorf("a patch of a claimed file: %+v, %v", r.Outcome, err)
	}
	out := m.finish("*** End Patch\n")
	if out.Status != engine.Held || out.Code != engine.BusyCode || len(out.Files) == 0 {
		t.Errorf("%+v", out)
	}
	var held []string
	for _, ev := range m.seen {
		if f, ok := ev.(engine.HunkFailed); ok {
			held = append(held, f.Path+" "+f.Reason)
		}
	}
	w.is(strings.Join(held, ", "), "d/a.txt busy, d/new.txt busy, d/out.txt busy, d/sub/b.txt busy, d/sub/b.txt busy")
	w.is(w.disk("d/a.txt")+w.disk("d/sub/b.txt")+w.disk("dd/a.txt")+w.disk("out.txt"), "one\none\nbeside\nM\n")

	w.write("d/a.txt", "one\nA\n")
	w.write("d/fresh/c.txt", "A\n")
	a.releases(release)
	_, err = p.ApproveHeld(t.Context(), history.TurnID(m.turn.ID())) // nobody has the folder any more
	w.ok(err)
	if out := a.end(turns[0]); out.Status != engine.Completed || len(out.Edits) != 2 {
		t.Errorf("what its program wrote is the turn's: %+v", out)
	}
	w.is(w.disk("d/a.txt")+w.disk("d/new.txt")+w.disk("d/out.txt")+w.disk("b.txt"), "M\nA\nM\nM\nM\n")
	for _, path := range []string{"d/a.txt", "d/new.txt", "d/fresh/c.txt", "d/out.txt", "b.txt", "dd/a.txt"} {
		w.at(p, history.Newest, path, w.disk(path))
	}
}

// TestClaimsThatMeet checks that a claim is refused if it contains another claim, is inside
// one, or covers a file of another turn under either of its names; a refused claim leaves
// everything free.
func TestClaimsThatMeet(t *testing.T) {
	w := newWorld(t, map[string]string{"d/sub/a.txt": "one\n", "d/b.txt": "one\n", "e/c.txt": "one\n", "dd/x.txt": "one\n",
		"f/g.txt": "one\n"})
	_, outsiders, turns, m := w.among("A", "B")
	a, b := outsiders[0], outsiders[1]
	release, err := a.claims("d/sub", "e/c.txt")
	w.ok(err)
	for _, paths := range [][]string{{"d/sub"}, {"d"}, {"d/sub/a.txt"}, {"d/sub/not/yet"}, {"e"}, {"e/c.txt"},
		{"f", "e/c.txt"}, {"f", "d"}} {
		if _, err := b.claims(paths...); !isBusy(err) {
			t.Errorf("%q of what another turn has claimed: %v", paths, err)
		}
	}
	beside, err := b.claims("dd", "d/b.txt", "d/subs", "f")
	w.ok(err)
	more, err := a.claims("d/sub/a.txt") // its own
	w.ok(err)
	a.releases(more)
	b.releases(beside)
	a.releases(release)

	m.tell("*** Begin Patch\n"+move("f/g.txt", "dd/g.txt", "-one\n+M\n")+"*** End Patch\n", moved)
	for _, paths := range [][]string{{"f"}, {"f/g.txt"}, {"dd"}, {"dd/g.txt"}, {"e", "dd"}} {
		if _, err := a.claims(paths...); !isBusy(err) {
			t.Errorf("%q, where a file of another turn is or was: %v", paths, err)
		}
	}
	release, err = a.claims("e", "d")
	w.ok(err)
	a.releases(release)
	if out := m.finish(nil); out.Status != engine.Completed {
		t.Errorf("%+v", out)
	}
	release, err = a.claims("f", "dd", "e", "d")
	w.ok(err)
	a.releases(release)
	for i, o := range outsiders {
		if out := o.end(turns[i]); out.Status != engine.Completed {
			t.Errorf("%+v", out)
		}
	}
	w.is(w.disk("dd/g.txt"), "M\n")
}

// TestARenameTakesBothNames checks that a file is not renamed to the path of a file that
// another turn deletes, and that until the end of the renaming turn nobody else creates a
// file under either path.
func TestARenameTakesBothNames(t *testing.T) {
	w := newWorld(t, map[string]string{"a.txt": "one\n", "b.txt": "one\n", "c.txt": "one\n",
		"to.txt": "one\n"})
	p, turns := w.turns("A", "B", "C")
	a, b, c := turns[0], turns[1], turns[2]
	const end = "*** End Patch\n"
	a.tell("*** Begin Patch\n*** Delete File: to.txt\n"+update("c.txt", "-one\n+two\n"), changed("two\n"))
	b.tell("*** Begin Patch\n"+move("b.txt", "to.txt", "-one\n+B\n")+end, failed("busy"))
	c.tell("*** Begin Patch\n"+update("b.txt", "-B\n+C\n"), failed("busy")) // B has changed it there
	b.tell("*** Begin Patch\n"+move("a.txt", "moved.txt", "-one\n+B\n")+end, moved)
	c.tell("*** Add File: a.txt\n+C\n", failed("busy"))
	c.tell(update("moved.txt", "-B\n+C\n")+end, failed("busy"))
	a.tell(move("c.txt", "a.txt", "-two\n+A\n")+end, failed("busy"))
	for _, x := range []*told{a, b, c} {
		if out := x.finish(nil); out.Status != engine.Held || out.Code != engine.BusyCode {
			t.Errorf("%s: %+v", x.name, out)
		}
	}
	w.is(w.disk("b.txt")+w.disk("c.txt")+w.disk("moved.txt"), "B\nA\nB\n")
	for _, gone := range []string{"a.txt", "to.txt"} {
		if _, err := os.Stat(filepath.Join(w.dir, gone)); !os.IsNotExist(err) {
			t.Errorf("%s is there: %v", gone, err)
		}
	}
	for _, path := range []string{"b.txt", "c.txt", "moved.txt"} {
		w.at(p, history.Newest, path, w.disk(path))
	}
}
