package app

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"waferpair/app/live"
	"waferpair/history"
	"waferpair/workspace"
	"waferpair/workspace/text"
	"waferpair/workspace/watch"
)

// openTyped opens a project with one file, a.txt, and shows it; typed types at its
// beginning.
func openTyped(t *testing.T) (p *Project, file string, typed func(string)) {
	t.Helper()
	dir, ctx := t.TempDir(), context.Background() // the project is closed after the test's own context ends
	file = filepath.Join(dir, "a.txt")
	if err := os.WriteFile(file, []byte("one\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	p, err := Open(ctx, dir, Options{DataHome: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	f, err := p.Show(ctx, "a.txt")
	if err != nil {
		t.Fatal(err)
	}
	typed = func(s string) {
		t.Helper()
		now, v := p.docs.table.at("a.txt").Buffer.Snapshot()
		cs, err := text.NewChangeSet(now.Len(), text.Change{Insert: s})
		if err = errors.Join(err, p.Type(ctx, "a.txt", f.ID, v, cs, "")); err != nil {
			t.Fatal(err)
		}
	}
	return p, file, typed
}

// TestAFolderThatWasAwayForAMoment checks that saves work if the watcher reports that the
// folder is gone when it is already back.
func TestAFolderThatWasAwayForAMoment(t *testing.T) {
	ctx := t.Context()
	p, file, typed := openTyped(t)
	dir := filepath.Dir(file)
	holds := func(want string) {
		t.Helper()
		if b, err := os.ReadFile(file); string(b) != want {
			t.Errorf("on disk %q %v, want %q", b, err, want)
		}
	}

	if err := p.watcher.Handle(ctx, watch.Event{Kind: watch.Suspended}, nil); err != nil {
		t.Fatal(err)
	}
	typed("first ")
	if err := p.SaveFile(ctx, "a.txt"); err != nil {
		t.Error(err)
	}
	holds("first one\n")

	if err := os.Rename(dir, dir+".away"); err != nil {
		t.Fatal(err)
	}
	typed("second ")
	if err := p.SaveFile(ctx, "a.txt"); !errors.Is(err, workspace.ErrGone) {
		t.Errorf("saved: %v", err)
	}
	if err := os.Rename(dir+".away", dir); err != nil {
		t.Fatal(err)
	}
	if err := p.Settle(ctx); err != nil {
		t.Error(err)
	}
	holds("second first one\n")
}

// TestARenameThatIsSeenInHalves: a rename by another program is one, though its two halves come
// in different events. A deletion is recorded in the end.
func TestARenameThatIsSeenInHalves(t *testing.T) {
	for _, shown := range []bool{true, false} {
		t.Run(fmt.Sprint("shown: ", shown), func(t *testing.T) {
			p, file, typed := openTyped(t)
			typed("typed ")
			if err := p.SaveFile(t.Context(), "a.txt"); err != nil {
				t.Fatal(err)
			}
			if !shown {
				p.docs.evict(p.docs.table.at("a.txt"))
			}
			changed := func(paths ...string) {
				t.Helper()
				if err := p.watcher.Handle(t.Context(), watch.Event{Kind: watch.Changed, Paths: paths}, nil); err != nil {
					t.Fatal(err)
				}
			}
			last := func() string {
				t.Helper()
				edits, err := p.History().List(t.Context(), history.Filter{})
				if err != nil || len(edits) == 0 {
					t.Fatal(edits, err)
				}
				e := edits[len(edits)-1]
				return fmt.Sprint(e.Author, " ", e.Kind, " ", e.Path, " ", e.To)
			}
			dir := filepath.Dir(file)
			if err := errors.Join(os.Mkdir(filepath.Join(dir, "d"), 0o755),
				os.Rename(file, filepath.Join(dir, "d/b.txt"))); err != nil {
				t.Fatal(err)
			}
			before := last()
			changed("a.txt")
			if now := last(); now != before {
				t.Errorf("while one half is seen, %s is recorded", now)
			}
			changed("d", "d/b.txt")
			if now, want := last(), "outside rename a.txt d/b.txt"; now != want {
				t.Errorf("recorded: %s, want %s", now, want)
			}

			if err := os.Remove(filepath.Join(dir, "d/b.txt")); err != nil {
				t.Fatal(err)
			}
			for changed("d/b.txt"); strings.Contains(last(), "rename"); {
				changed("c.txt")
			}
			if now, want := last(), "outside delete d/b.txt "; now != want {
				t.Errorf("recorded: %s, want %s", now, want)
			}
		})
	}
}

// TestASaveThatIsAskedForIsTried checks that a requested save is tried even if another one,
// begun at the same moment, fails first. It used to be answered with "saved".
func TestASaveThatIsAskedForIsTried(t *testing.T) {
	ctx := t.Context()
	p, file, typed := openTyped(t)
	typed("typed ")
	p.saver.saving.Lock() // blocks all other saves
	d, err := p.saver.recordAsked(ctx, "a.txt")
	if err == nil {
		err = p.saver.with(ctx, d, func(context.Context) error {
			d.Handle(live.SaveBegan)
			d.Handle(live.SaveFailed)
			return nil
		})
	}
	p.saver.saving.Unlock()
	if err = errors.Join(err, p.saver.saveAsked(ctx, d)); err != nil {
		t.Fatal(err)
	}
	if b, err := os.ReadFile(file); string(b) != "typed one\n" {
		t.Errorf("it was said to be saved, and %q is on disk: %v", b, err)
	}
}

// creating is a listener that creates a file while the folder is being compared.
type creating struct {
	noListener
	once   sync.Once
	create func()
}

func (c *creating) FilesChanged() {
	if c.create != nil {
		c.once.Do(func() { go c.create() })
	}
}

// TestFilesAreMadeWhileTheFolderIsLookedThrough checks that the list of files can change
// while the folder is being compared.
func TestFilesAreMadeWhileTheFolderIsLookedThrough(t *testing.T) {
	dir, ctx := t.TempDir(), t.Context()
	for i := range 100 {
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprint(i)), []byte("one\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	l := &creating{}
	p, err := Open(ctx, dir, Options{DataHome: t.TempDir(), Listener: l})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	made := make(chan bool)
	l.create = func() {
		p.intake.List.Know("new", history.Hash{})
		close(made)
	}
	if err := p.watcher.ReconcileAll(ctx); err != nil {
		t.Fatal(err)
	}
	<-made
}
