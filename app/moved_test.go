package app_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"waferpair/app"
	"waferpair/history"
)

// mv renames files as another program does.
func (w *world) mv(pairs ...string) {
	w.Helper()
	for i := 0; i < len(pairs); i += 2 {
		to := filepath.Join(w.dir, pairs[i+1])
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			w.Fatal(err)
		}
		if err := os.Rename(filepath.Join(w.dir, pairs[i]), to); err != nil {
			w.Fatal(err)
		}
	}
}

// watched opens a project, and returns once every folder of it is watched: of a
// rename that comes before, only one half may be noticed.
func (w *world) watched(opt app.Options) *app.Project {
	w.Helper()
	h := &heard{}
	opt.Listener = h
	p := w.openWith(opt)
	listed := func() int {
		h.mu.Lock()
		defer h.mu.Unlock()
		return h.files
	}
	before := listed()
	if err := p.Watch(w.Context()); err != nil {
		w.Fatal(err)
	}
	w.until(func() bool { return listed() > before })
	return p
}

func TestAnOpenFileThatIsRenamedOutsideIsFollowed(t *testing.T) {
	w := newWorld(t, map[string]string{"a.txt": "one\n", "d/other.txt": "x\n"})
	p := w.watched(app.Options{})
	e := w.show(p, "a.txt")
	e.typed("one", "one, typed")
	w.mv("a.txt", "d/new.txt")
	w.until(func() bool { to, ok := p.Where(e.ID); return ok && to == "d/new.txt" })
	w.until(func() bool { return w.disk("d/new.txt") == "one, typed\n" })
	if got := w.authors(p); got != "user:text outside:rename" {
		t.Error(got)
	}
	e.Path = "d/new.txt"
	e.typed("typed", "typed there")
	if err := p.SaveFile(t.Context(), "d/new.txt"); err != nil {
		t.Fatal(err)
	}
	if got := w.disk("d/new.txt"); got != "one, typed there\n" {
		t.Errorf("%q", got)
	}
	if _, err := os.Stat(filepath.Join(w.dir, "a.txt")); !os.IsNotExist(err) {
		t.Errorf("the old name is there again: %v", err)
	}
	w.at(p, 1, "a.txt", "one, typed\n")
	w.at(p, history.Newest, "d/new.txt", "one, typed there\n")
}

func TestFilesThatAreRenamedOutsideKeepTheirHistory(t *testing.T) {
	w := newWorld(t, map[string]string{"a.txt": "same\n", "b.txt": "same\n", "c.txt": "see\n", "empty.txt": "",
		"d/x.txt": "x\n"})
	p := w.watched(app.Options{})
	w.mv("a.txt", "d/a.txt", "b.txt", "d/b.txt", "c.txt", "d/see.txt", "empty.txt", "d/void.txt")
	w.until(func() bool {
		return w.recorded(p, "d/a.txt", "d/b.txt", "d/see.txt", "d/void.txt") == 4 &&
			w.recorded(p, "a.txt", "b.txt", "c.txt", "empty.txt") == 0
	})
	w.at(p, history.Newest, "d/a.txt", "same\n")
	w.at(p, history.Newest, "d/see.txt", "see\n")
	w.at(p, history.Newest, "d/void.txt", "")
	files, err := p.Files(t.Context())
	if err != nil || len(files) != 5 {
		t.Errorf("%q, %v", files, err)
	}
	got := strings.Fields(w.authors(p))
	slices.Sort(got) // the watcher may find them in several looks
	// An empty file is not followed.
	want := []string{"outside:create", "outside:delete", "outside:rename", "outside:rename", "outside:rename"}
	if !slices.Equal(got, want) {
		t.Errorf("recorded %q, want %q", got, want)
	}
}

// recorded counts those of the files that exist in the history.
func (w *world) recorded(p *app.Project, paths ...string) (n int) {
	w.Helper()
	for _, path := range paths {
		v, err := p.History().Head(w.Context(), path)
		if err != nil {
			w.Fatal(err)
		}
		if v.Exists {
			n++
		}
	}
	return n
}

func TestAFileThatIsRenamedAndChangedOutsideIsAnother(t *testing.T) {
	w := newWorld(t, map[string]string{"a.txt": "one\n"})
	p := w.watched(app.Options{})
	e := w.show(p, "a.txt")
	w.write("b.txt", "one more\n")
	if err := os.Remove(filepath.Join(w.dir, "a.txt")); err != nil {
		t.Fatal(err)
	}
	w.until(func() bool {
		return w.authors(p) == "outside:create outside:delete" || w.authors(p) == "outside:delete outside:create"
	})
	if to, ok := p.Where(e.ID); ok && to != "a.txt" {
		t.Errorf("followed to %s", to)
	}
}
