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
	"waferpair/engine"
	"waferpair/engine/agent"
	"waferpair/engine/model"
	"waferpair/history"
	"waferpair/workspace/text"
)

// worker is a model that computes exact edits with a function.
type worker struct {
	work func(files model.Source) []model.FileEdit
	met  func(error) // receives the result of the edits
}

func (worker) Info() model.Info { return model.Info{Name: "worker"} }
func (m worker) Generate(_ context.Context, p model.Prompt, yield func(model.Delta) error) (model.Result, error) {
	err := yield(model.Edits{Of: m.work(p.Files)})
	if m.met != nil {
		m.met(err)
	}
	return model.Result{}, err
}

func (w *world) openModel(m model.Model) *app.Project {
	w.Helper()
	return w.openWith(app.Options{Models: engine.NewRegistry([]engine.Driver{agent.New(m)})})
}

// replacing returns an edit that replaces words in a file as it is read now.
func replacing(files model.Source, path string, oldnew ...string) model.FileEdit {
	b, err := files.Read(path)
	if err != nil {
		panic(err)
	}
	base := text.Of(b)
	return model.FileEdit{Path: path, Base: base,
		Changes: text.Diff(base, text.OfString(strings.NewReplacer(oldnew...).Replace(string(b))))}
}

// TestExactEditsAreEditsOfTheHistory checks that each place of an exact edit is an edit by
// itself, which can be reverted alone, on disk and in the history, and that files are
// created and deleted.
func TestExactEditsAreEditsOfTheHistory(t *testing.T) {
	far := strings.Repeat("between\n", 8)
	w := newWorld(t, map[string]string{"a.txt": "one\n" + far + "one\n", "gone.txt": "x\n"})
	p := w.openModel(worker{work: func(files model.Source) []model.FileEdit {
		gone, _ := files.Read("gone.txt")
		made, _ := text.NewChangeSet(0, text.Change{Insert: "made\n"})
		return []model.FileEdit{replacing(files, "a.txt", "one", "two"),
			{Path: "gone.txt", Base: text.Of(gone), Delete: true}, {Path: "new/made.txt", Create: true, Changes: made}}
	}})
	var events []string
	turn := w.start(p, "")
	for ev := range turn.Events() {
		switch ev := ev.(type) {
		case engine.HunkOpened:
			events = append(events, fmt.Sprintf("%s:%d", ev.Path, ev.Line))
		case engine.FileCreated, engine.FileDeleted:
			events = append(events, fmt.Sprintf("%T %v", ev, ev))
		case engine.EditAcked:
			events = append(events, fmt.Sprintf("%d %s", ev.ID, ev.Path))
		}
	}
	if out := turn.Wait(); out.Status != engine.Completed || len(out.Edits) != 4 ||
		out.Message != "3 files changed, 3 added, 3 removed" {
		t.Fatalf("%+v", out)
	}
	for _, want := range []string{"a.txt:1", "a.txt:10", "engine.FileDeleted {gone.txt}",
		"engine.FileCreated {new/made.txt}", "new/made.txt:1", "1 a.txt", "2 a.txt", "3 gone.txt", "4 new/made.txt"} {
		if !strings.Contains("\n"+strings.Join(events, "\n")+"\n", "\n"+want+"\n") {
			t.Errorf("no %s in %q", want, events)
		}
	}
	if w.disk("a.txt") != "two\n"+far+"two\n" || w.disk("new/made.txt") != "made\n" {
		t.Error("not on disk")
	}
	if _, err := os.Stat(filepath.Join(w.dir, "gone.txt")); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
	w.at(p, 1, "a.txt", "two\n"+far+"one\n")
	if _, err := p.Revert(t.Context(), app.RevertRequest{IDs: []history.EditID{1}}); err != nil {
		t.Fatal(err)
	}
	w.at(p, history.Newest, "a.txt", "one\n"+far+"two\n")
}

// TestExactEditsMeetTheUser checks that what the user types between the model's reading and
// its edits stays. Typing elsewhere in the file does not stop the edits; in the same place
// it stops all of them.
func TestExactEditsMeetTheUser(t *testing.T) {
	for name, c := range map[string]struct{ old, new, want string }{
		"elsewhere":         {"three", "3", "two\nand\n3\n"},
		"in the same place": {"one", "1", ""},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, map[string]string{"a.txt": "one\nand\nthree\n", "b.txt": "one\n"})
			var e *editor
			var met error
			p := w.openModel(worker{
				work: func(files model.Source) []model.FileEdit {
					of := []model.FileEdit{replacing(files, "b.txt", "one", "two"), replacing(files, "a.txt", "one", "two")}
					if err := e.replace(c.old, c.new); err != nil {
						t.Error(err)
					}
					return of
				},
				met: func(err error) { met = err },
			})
			e = w.show(p, "a.txt")
			out := w.run(p, "")
			if c.want != "" {
				w.ok(met)
				w.at(p, history.Newest, "a.txt", c.want)
				w.is(w.disk("a.txt")+w.disk("b.txt"), c.want+"two\n")
				return
			}
			if !errors.Is(met, model.ErrStale) || out.Status != engine.Conflict || len(out.Edits) > 0 {
				t.Errorf("%v, %+v", met, out)
			}
			w.at(p, history.Newest, "a.txt", "1\nand\nthree\n")
			w.at(p, history.Newest, "b.txt", "one\n")
			w.is(w.disk("a.txt")+w.disk("b.txt"), "1\nand\nthree\none\n")
		})
	}
}

// TestExactEditsOfTokens checks that tokens are masked, even if they are all that changes.
func TestExactEditsOfTokens(t *testing.T) {
	const token = "ghp_0123456789abcdefghijABCDEFGHIJ012345"
	w := newWorld(t, map[string]string{"a.txt": "key = none\n"})
	p := w.openModel(worker{work: func(files model.Source) []model.FileEdit {
		return []model.FileEdit{replacing(files, "a.txt", "none", token, token, strings.Replace(token, "0123", "3210", 1))}
	}})
	for range 2 {
		if out := w.run(p, ""); out.Status != engine.Completed {
			t.Errorf("%+v", out)
		}
	}
	w.is(w.disk("a.txt"), "key = "+strings.Replace(token, "0123", "3210", 1)+"\n")
	p.Close()
	w.nowhere("0123456789abcdefghij")
}

// TestExactEditsAndTyping types while edits are computed and applied. In the end the page,
// the history and the disk must be equal, and each edit must be there whole or not at all.
func TestExactEditsAndTyping(t *testing.T) {
	for seed := range uint64(12) {
		r := rand.New(rand.NewPCG(seed, 5))
		line := func() string { return fmt.Sprintf("line %d\n", r.IntN(1000)) }
		var body strings.Builder
		for range 30 {
			body.WriteString(line())
		}
		w := newWorld(t, map[string]string{"a.txt": body.String(), "b.txt": body.String()})
		n := 0
		var e *editor
		p := w.openModel(worker{work: func(files model.Source) []model.FileEdit {
			n++
			var of []model.FileEdit
			for _, path := range []string{"a.txt", "b.txt"} {
				b, _ := files.Read(path)
				lines := strings.SplitAfter(string(b), "\n")
				lines[r.IntN(len(lines)-1)] = fmt.Sprintf("edit %d\n", n)
				lines[r.IntN(len(lines)-1)] += fmt.Sprintf("edit %d\n", n)
				of = append(of, model.FileEdit{Path: path, Base: text.Of(b),
					Changes: text.Diff(text.Of(b), text.OfString(strings.Join(lines, "")))})
			}
			for range r.IntN(4) {
				typed := e.Text.String()
				at := strings.LastIndex(typed[:r.IntN(len(typed)-1)+1], "\n") + 1
				end := at + strings.Index(typed[at:], "\n")
				if typed[at:end] == "" {
					continue
				}
				if err := e.replace(typed[at:end], typed[at:end]+"!"); err != nil {
					t.Error(seed, err)
				}
			}
			return of
		}})
		e = w.show(p, "a.txt")
		made := 0
		for range 6 {
			out := w.run(p, "")
			both := strings.Contains(w.disk("a.txt"), fmt.Sprintf("edit %d\n", n)) ||
				strings.Contains(w.disk("a.txt"), fmt.Sprintf("edit %d!", n))
			if (out.Status == engine.Completed) != strings.Contains(w.disk("b.txt"), fmt.Sprintf("edit %d\n", n)) ||
				both != (out.Status == engine.Completed) {
				t.Errorf("seed %d, edit %d: %s, a.txt %v", seed, n, out.Status, both)
			}
			if out.Status == engine.Completed {
				made++
			}
			e.pull()
		}
		w.ok(p.Settle(t.Context()))
		e.pull()
		if made == 0 || w.disk("a.txt") != e.Text.String() {
			t.Errorf("seed %d: %d made; the page and the disk differ", seed, made)
		}
		w.at(p, history.Newest, "a.txt", e.Text.String())
		w.at(p, history.Newest, "b.txt", w.disk("b.txt"))
		p.Close()
	}
}

// TestApproveOfExactEdits checks that nothing of a request outside the scope is done before
// it is approved, and that the approved request is computed again on the files as they are
// then.
func TestApproveOfExactEdits(t *testing.T) {
	w := newWorld(t, map[string]string{"lib/a.py": "def load():\n    pass\n\n\ndef other():\n    load()\n",
		"out/b.py": "from lib.a import load\n\nload()\n"})
	p := w.open()
	turn, err := p.Edit(t.Context(), app.EditRequest{Text: "rename load to read in lib/a.py", Scope: []string{"out"}})
	w.ok(err)
	for range turn.Events() {
	}
	if o := turn.Wait(); o.Status != engine.Held || len(o.Edits) > 0 {
		t.Fatalf("%+v", o)
	}
	e := w.show(p, "lib/a.py")
	w.ok(e.replace("    pass", "    return 1"))
	done, err := p.ApproveHeld(t.Context(), 1)
	w.ok(err)
	w.is(w.disk("lib/a.py")+w.disk("out/b.py"),
		"def read():\n    return 1\n\n\ndef other():\n    read()\nfrom lib.a import read\n\nread()\n")
	c := w.conversation(p, 0).Turns[0]
	if c.Status != "completed" || !strings.HasPrefix(c.Message, "approved: 2 files") || len(c.Edits) == 0 ||
		len(c.Edits) != len(done.Edits) {
		t.Errorf("%+v, %+v", c, done)
	}
	if _, err := p.ApproveHeld(t.Context(), 1); err == nil {
		t.Error("it was approved twice")
	}
	_, err = p.Revert(t.Context(), app.RevertRequest{Turn: 1})
	w.ok(err)
	w.is(w.disk("lib/a.py"), "def load():\n    return 1\n\n\ndef other():\n    load()\n")
}
