package app_test

import (
	"bytes"
	"context"
	"database/sql"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"waferpair/app"
	"waferpair/engine"
	"waferpair/engine/agent"
	"waferpair/engine/model"
	"waferpair/history"
	"waferpair/workspace/text"
)

// holdHistory locks the history's database from outside, as on a slow disk: it can be read
// but not written.
func (w *world) holdHistory() (letGo func()) {
	w.Helper()
	db, err := sql.Open("sqlite3", filepath.Join(history.Dir(w.data, w.dir), "history.db")+
		"?_busy_timeout=5000&_txlock=immediate")
	w.ok(err)
	tx, err := db.BeginTx(w.Context(), nil)
	w.ok(err)
	return func() {
		w.ok(tx.Rollback())
		w.ok(db.Close())
	}
}

// slowestKey types at the top of a file until done receives, and returns the time of the
// slowest key.
func (e *editor) slowestKey(done <-chan error) (slowest time.Duration, keys int, err error) {
	e.Helper()
	for {
		began := time.Now()
		e.key()
		slowest, keys = max(slowest, time.Since(began)), keys+1
		select {
		case err := <-done:
			return slowest, keys, err
		case <-time.After(5 * time.Millisecond):
		}
	}
}

// key types at the top of a file.
func (e *editor) key() {
	e.Helper()
	e.pull()
	cs, err := text.NewChangeSet(e.Text.Len(), text.Change{Insert: "k"})
	e.ok(err)
	e.ok(e.p.Type(context.Background(), e.Path, e.ID, e.Version, cs, "page"))
}

func (e *editor) ok(err error) {
	e.Helper()
	if err != nil {
		e.Fatal(err)
	}
}

// TestTypingWaitsForNoOtherFile checks that, while several files change at once and the
// history delays that change, the user can type in another file and open the changing ones.
func TestTypingWaitsForNoOtherFile(t *testing.T) {
	for what, change := range map[string]func(w *world, p *app.Project) error{
		"a revert": func(w *world, p *app.Project) error {
			_, err := p.Revert(w.Context(), app.RevertRequest{Turn: 1})
			return err
		},
		"a rename":   func(w *world, p *app.Project) error { _, err := p.Rename(w.Context(), "d", "e"); return err },
		"a deletion": func(w *world, p *app.Project) error { _, err := p.Remove(w.Context(), "d", ""); return err },
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, map[string]string{"d/a.txt": "one\n", "d/b.txt": "one\n", "c.txt": "c\n"})
			p := w.open()
			if r, err := p.ApplyPatch(t.Context(), []byte(patch(update("d/a.txt", "-one\n+two\n")+
				update("d/b.txt", "-one\n+two\n"))), false); err != nil || len(r.Done.Edits) != 2 {
				t.Fatalf("%+v %v", r, err)
			}
			c := w.show(p, "c.txt")
			letGo := w.holdHistory()
			done := make(chan error, 1)
			go func() { done <- change(w, p) }()
			time.Sleep(200 * time.Millisecond) // by then it waits for the history, as far as it can come
			tooLong := time.AfterFunc(10*time.Second, letGo)
			f, err := p.Show(t.Context(), "d/a.txt")
			w.ok(err)
			_, err = p.Since("d/a.txt", f.ID, f.Version)
			w.ok(err)
			for range 10 {
				c.key()
			}
			if !tooLong.Stop() {
				t.Errorf("the user waited for %s in other files", what)
			} else {
				letGo()
			}
			w.ok(<-done)
			w.ok(p.Settle(t.Context()))
			w.at(p, history.Newest, "c.txt", w.disk("c.txt"))
		})
	}
}

// slowListener delays notifications of changes.
type slowListener struct{ *heard }

func (s slowListener) TextChanged(path string) {
	time.Sleep(20 * time.Millisecond)
	s.heard.TextChanged(path)
}

// TestARecordedEditIsSavedThoughItsTurnWaits checks that a recorded edit is saved before
// its turn ends, even if the autosaver ran after the recording and before the document knew
// of it.
func TestARecordedEditIsSavedThoughItsTurnWaits(t *testing.T) {
	t.Parallel()
	w := newWorld(t, map[string]string{"a.txt": "one\n"})
	work := func(f model.Source) []model.FileEdit { return []model.FileEdit{replacing(f, "a.txt", "one", "uno")} }
	saved := make(chan bool, 1)
	m := worker{work: work, met: func(error) { // the turn waits for its model
		for end := time.Now().Add(patience); time.Now().Before(end) && w.disk("a.txt") != "uno\n"; {
			time.Sleep(20 * time.Millisecond)
		}
		saved <- w.disk("a.txt") == "uno\n"
	}}
	p := w.openWith(app.Options{Listener: slowListener{&heard{}},
		Models: engine.NewRegistry([]engine.Driver{agent.New(m)})})
	turn, err := p.Edit(t.Context(), app.EditRequest{Text: "go"})
	w.ok(err)
	for range turn.Events() {
	}
	turn.Wait()
	if !<-saved {
		t.Error("the edit is on disk only after its turn")
	}
}

// TestARefusedPathIsNamed checks that the error for a refused path names the path.
func TestARefusedPathIsNamed(t *testing.T) {
	p := newWorld(t, map[string]string{"a.txt": "one\n"}).open()
	if _, err := p.Show(t.Context(), "../x"); err == nil || !strings.Contains(err.Error(), "../x") {
		t.Errorf("it says %v", err)
	}
}

// TestTypingWaitsForNoLargeFile checks that typing in one file does not wait while a large
// file is opened, or merged after another program rewrote it.
func TestTypingWaitsForNoLargeFile(t *testing.T) {
	if testing.Short() {
		t.Skip("it moves much text: make test runs it without the race detector")
	}
	body := bytes.Repeat([]byte("all of this text is looked through for secrets, token = \"none\"\n"), 15000)
	w := newWorld(t, map[string]string{"large.txt": string(body), "b.txt": "b\n"})
	w.ok(w.open().Close())
	for _, do := range []struct {
		what string
		run  func(p *app.Project, try int) error
	}{
		{"opened", func(p *app.Project, _ int) error { _, err := p.Show(t.Context(), "large.txt"); return err }},
		{"rewritten outside", func(p *app.Project, try int) error {
			w.write("large.txt", strings.ReplaceAll(string(body), "of this", fmt.Sprint("of that ", try)))
			return p.Reconcile(t.Context())
		}},
	} {
		for try := 1; ; try++ { // a loaded computer keeps a key waiting at times, a lock always
			p := w.open()
			b, began, done := w.show(p, "b.txt"), time.Now(), make(chan error)
			go func() { done <- do.run(p, try) }()
			slowest, keys, err := b.slowestKey(done)
			w.ok(err)
			took := time.Since(began)
			w.ok(p.Close())
			t.Logf("%s: %v, the slowest of %d keys %v", do.what, took, keys, slowest)
			if slowest <= took/2 {
				break
			}
			if try == 5 {
				t.Errorf("a large file is %s, which takes %v: the user waits %v for a key in another one", do.what, took, slowest)
				break
			}
		}
	}
}
