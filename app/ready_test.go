package app_test

import (
	"strings"
	"testing"

	"waferpair/app"
	"waferpair/history"
)

// gate stops the reconcile when it has recorded the changes of other programs, until the
// test opens pass.
type gate struct {
	heard
	reached, pass chan struct{}
}

func newGate() *gate { return &gate{reached: make(chan struct{}), pass: make(chan struct{})} }

func (g *gate) Recorded(id history.EditID) {
	g.heard.Recorded(id)
	select {
	case <-g.pass:
	default:
		close(g.reached)
		<-g.pass
	}
}

// changedOutside returns a project in which another program changed a.txt while it was
// closed, opened with Early.
func changedOutside(t *testing.T) (*world, *gate, *app.Project) {
	w := newWorld(t, map[string]string{"a.txt": "one\n", "b/c.txt": "three\n"})
	if err := w.open().Close(); err != nil {
		t.Fatal(err)
	}
	w.write("a.txt", "one\ntwo\n")
	g := newGate()
	p := w.openWith(app.Options{Listener: g, Early: true})
	p.Compare()
	<-g.reached
	return w, g, p
}

func TestAFolderCanBeLookedAtBeforeItIsCompared(t *testing.T) {
	w, g, p := changedOutside(t)
	entries, err := p.Query().Tree(t.Context(), "")
	if err != nil || len(entries) != 2 || entries[0].Name != "b" {
		t.Errorf("%+v, %v", entries, err)
	}
	early := w.show(p, "a.txt")
	if early.Text.String() != "one\ntwo\n" || early.Why != "" || !early.Kept {
		t.Errorf("%+v", early.File)
	}
	if err := early.replace("two", "zwei"); err == nil || !strings.Contains(err.Error(), "still being compared") {
		t.Errorf("typed: %v", err)
	}
	if p.IsReady() {
		t.Error("it is ready")
	}
	close(g.pass)
	if err := p.Ready(t.Context()); err != nil {
		t.Fatal(err)
	}
	w.until(func() bool { g.mu.Lock(); defer g.mu.Unlock(); return g.texts["a.txt"] > 0 })
	late := w.show(p, "a.txt")
	if late.ID == early.ID || late.Text.String() != "one\ntwo\n" {
		t.Errorf("%+v", late.File)
	}
	late.typed("two", "zwei")
	if err := p.SaveFile(t.Context(), "a.txt"); err != nil || w.disk("a.txt") != "one\nzwei\n" {
		t.Errorf("%v, %q on disk", err, w.disk("a.txt"))
	}
	if got := w.authors(p); got != "outside:text user:text" {
		t.Error(got)
	}
}

func TestAFolderIsNotComparedUnasked(t *testing.T) {
	w := newWorld(t, map[string]string{"a.txt": "one\n"})
	p := w.openWith(app.Options{Early: true})
	if f := w.show(p, "a.txt"); f.Text.String() != "one\n" || p.IsReady() {
		t.Errorf("%+v, ready %v", f.File, p.IsReady())
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
	if err := w.openWith(app.Options{Early: true}).Ready(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestClosingDoesNotWaitForAComparisonToBeWhole(t *testing.T) {
	w, g, p := changedOutside(t)
	closed := make(chan error)
	go func() { closed <- p.Close() }()
	close(g.pass)
	if err := <-closed; err != nil {
		t.Error(err)
	}
	if got := w.authors(w.open()); got != "outside:text" {
		t.Error(got)
	}
}

// TestFilesAreFoundBeforeTheFolderIsCompared checks that the file finder has the files of
// the last run at first, and those on disk once the folder is compared, and that pages are
// notified then.
func TestFilesAreFoundBeforeTheFolderIsCompared(t *testing.T) {
	w := newWorld(t, map[string]string{"a.txt": "one\n", "b/c.txt": "three\n", "blob.bin": "a\x00b"})
	if err := w.open().Close(); err != nil {
		t.Fatal(err)
	}
	w.write("b/new.txt", "new\n")
	g := newGate()
	p := w.openWith(app.Options{Listener: g, Early: true})
	p.Compare()
	<-g.reached
	found := func() string {
		all, err := p.Query().Find(t.Context(), "", 9)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, f := range all.Files {
			names = append(names, f.Path)
		}
		return strings.Join(names, " ")
	}
	w.is(found(), "a.txt b/c.txt")
	close(g.pass)
	if err := p.Ready(t.Context()); err != nil {
		t.Fatal(err)
	}
	w.is(found(), "a.txt b/c.txt b/new.txt")
	w.until(func() bool {
		g.mu.Lock()
		defer g.mu.Unlock()
		return g.files > 0
	})
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
}
