package app_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"waferpair/app"
	"waferpair/engine"
	"waferpair/history"
	"waferpair/workspace"
	"waferpair/workspace/text"
)

// heard is a listener that counts what it is notified of.
type heard struct {
	mu    sync.Mutex
	texts map[string]int
	files int
	last  history.EditID
	gone  []bool

	unrecorded []string
}

func (h *heard) TextChanged(path string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.texts == nil {
		h.texts = map[string]int{}
	}
	h.texts[path]++
}

func (h *heard) FilesChanged() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.files++
}

func (h *heard) Recorded(id history.EditID) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.last = max(h.last, id)
}

func (h *heard) TurnBegan(*app.TurnLog) {}
func (h *heard) TurnsChanged()          {}

func (h *heard) Unrecorded(says string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.unrecorded = append(h.unrecorded, says)
}

func (h *heard) FolderGone(gone bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.gone = append(h.gone, gone)
}

// editor is a page with one file that finds the places where it types by their text.
type editor struct {
	*testing.T
	p *app.Project
	app.File
}

func (w *world) show(p *app.Project, path string) *editor {
	w.Helper()
	f, err := p.Show(w.Context(), path)
	if err != nil {
		w.Fatal(err)
	}
	return &editor{w.T, p, f}
}

// pull applies the changes since its version.
func (e *editor) pull() {
	e.Helper()
	u, err := e.p.Since(e.Path, e.ID, e.Version)
	if err != nil {
		e.Fatal(err)
	}
	for _, c := range u.List {
		if e.Text, err = c.Changes.Apply(e.Text); err != nil {
			e.Fatal(err)
		}
		e.Version = c.Version
	}
	if e.Version != u.Version || !e.Text.Equal(u.Text) {
		e.Fatalf("version %d is %q, want %d: %q", e.Version, e.Text, u.Version, u.Text)
	}
}

// replace types new in place of old.
func (e *editor) replace(old, new string) error {
	e.Helper()
	e.pull()
	at := strings.Index(e.Text.String(), old)
	if at < 0 {
		e.Fatalf("%q is not in %q", old, e.Text)
	}
	cs, err := text.NewChangeSet(e.Text.Len(), text.Change{From: text.Byte(at), To: text.Byte(at + len(old)), Insert: new})
	if err != nil {
		e.Fatal(err)
	}
	return e.p.Type(context.Background(), e.Path, e.ID, e.Version, cs, "page")
}

func (e *editor) typed(old, new string) {
	e.Helper()
	if err := e.replace(old, new); err != nil {
		e.Fatal(err)
	}
}

func TestTypingIsRecordedByBurstsAndSaved(t *testing.T) {
	w := newWorld(t, map[string]string{"a.txt": "one\ntwo\n"})
	h := &heard{}
	p := w.openWith(app.Options{Listener: h})
	e := w.show(p, "a.txt")
	if e.Kind != "text" || e.Why != "" || !e.Kept || e.ID == 0 {
		t.Errorf("%+v", e.File)
	}
	e.typed("two", "two,")
	e.typed("two,", "two, three")
	e.pull()
	if err := p.SaveFile(t.Context(), "a.txt"); err != nil || w.disk("a.txt") != "one\ntwo, three\n" {
		t.Errorf("%q %v", w.disk("a.txt"), err)
	}
	if got := w.authors(p); got != "user:text" {
		t.Errorf("recorded %s", got)
	}
	e.typed("one", "1")
	w.until(func() bool { return w.disk("a.txt") == "1\ntwo, three\n" }) // by the autosaver
	e.typed("1", "one")
	e.typed("one", "1")
	if err := p.Close(); err != nil { // typing that cancels out is not recorded
		t.Fatal(err)
	}
	p = w.open()
	if got := w.authors(p); got != "user:text user:text" {
		t.Errorf("recorded %s", got)
	}
	w.at(p, 1, "a.txt", "one\ntwo, three\n")
	w.at(p, history.Newest, "a.txt", "1\ntwo, three\n")
	if h.texts["a.txt"] != 5 || h.last != 2 {
		t.Errorf("heard %v, last edit %d", h.texts, h.last)
	}
}

func (w *world) openWith(opt app.Options) *app.Project {
	w.Helper()
	opt.DataHome = w.data
	opt.Notice = w.tell
	p, err := app.Open(w.Context(), w.dir, opt)
	if err != nil {
		w.Fatal(err)
	}
	w.Cleanup(func() { p.Close() })
	return p
}

func TestTypingWhileTheModelWrites(t *testing.T) {
	w := newWorld(t, map[string]string{"a.txt": lines(10)})
	p := w.open()
	e := w.show(p, "a.txt")
	turn := w.start(p, w.script("*** Begin Patch\n*** Update File: a.txt\n@@\n line 3\n-line 4\n+line four\n", 200,
		"+line 4b\n line 5\n*** End Patch\n"))
	for ev := range turn.Events() {
		if c, ok := ev.(engine.HunkChanged); ok && c.Inserted == "line four\n" {
			e.typed("line 8", "line eight")
			e.typed("line four", "line FOUR")
			if err := p.SaveFile(t.Context(), "a.txt"); err != nil {
				t.Error(err)
			}
		}
	}
	want := strings.NewReplacer("line 4\n", "line FOUR\nline 4b\n", "line 8", "line eight").Replace(lines(10))
	if out := turn.Wait(); out.Status != engine.Completed || len(out.Edits) != 2 || w.disk("a.txt") != want {
		t.Errorf("%+v\n%s", out, w.disk("a.txt"))
	}
	if got := w.authors(p); got != "model:text user:text model:text" {
		t.Errorf("recorded %s", got)
	}
	w.at(p, history.Newest, "a.txt", want)
}

func TestWhatAPageMustShowAgain(t *testing.T) {
	w := newWorld(t, map[string]string{"a.txt": "one\n"})
	p := w.open()
	e := w.show(p, "a.txt")
	cs := text.Retain(e.Text.Len())
	if err := p.Type(t.Context(), "a.txt", e.ID+1, e.Version, cs, ""); !errors.Is(err, app.ErrReplaced) {
		t.Errorf("another opening: %v", err)
	}
	var old *workspace.VersionError
	if err := p.Type(t.Context(), "a.txt", e.ID, 7, cs, ""); !errors.As(err, &old) {
		t.Errorf("an unknown version: %v", err)
	}
	if _, err := p.Since("a.txt", e.ID, 7); !errors.As(err, &old) {
		t.Errorf("since an unknown version: %v", err)
	}
	if _, err := p.Show(t.Context(), "../x"); err == nil {
		t.Error("outside the folder")
	}
}

func TestTypingCreatesAFile(t *testing.T) {
	w := newWorld(t, map[string]string{"a.txt": "one\n"})
	p := w.open()
	e := w.show(p, "sub/new.txt")
	if e.Kind != "missing" || e.Why != "" {
		t.Fatalf("%+v", e.File)
	}
	e.typed("", "hello\n")
	if err := p.SaveFile(t.Context(), "sub/new.txt"); err != nil || w.disk("sub/new.txt") != "hello\n" {
		t.Fatal(err)
	}
	if e := w.show(p, "sub/new.txt"); e.Kind != "text" || e.Text.String() != "hello\n" {
		t.Errorf("%+v", e.File)
	}
	w.at(p, history.Newest, "sub/new.txt", "hello\n")
}

func TestFilesThatCannotBeTypedIn(t *testing.T) {
	w := newWorld(t, map[string]string{"bin": "a\x00b", "fixed.txt": "x\n", "sub/a.txt": ""})
	if err := os.Chmod(filepath.Join(w.dir, "fixed.txt"), 0o444); err != nil {
		t.Fatal(err)
	}
	p := w.open()
	for path, kind := range map[string]string{"bin": "binary", "fixed.txt": "text", "sub": "other"} {
		f, err := p.Show(t.Context(), path)
		if err != nil || f.Kind != kind || f.Why == "" {
			t.Errorf("%s: %+v %v", path, f, err)
		}
	}
	if err := w.show(p, "fixed.txt").replace("x", "y"); err == nil {
		t.Error("a read-only file was typed in")
	}
	second := w.open()
	if f, err := second.Show(t.Context(), "sub/a.txt"); err != nil || f.Why == "" {
		t.Errorf("by a second instance: %+v %v", f, err)
	}
}

func TestAFileCannotBeTypedTooLarge(t *testing.T) {
	if testing.Short() {
		t.Skip("it moves much text: make test runs it without the race detector")
	}
	w := newWorld(t, map[string]string{"a.txt": "one\n"})
	p := w.open()
	e := w.show(p, "a.txt")
	e.typed("one", strings.Repeat("x", workspace.DefaultMaxEditable-100))
	if err := e.replace("\n", strings.Repeat("y", 200)); err == nil || !strings.Contains(err.Error(), "16 MB") {
		t.Errorf("it grew beyond what can be edited: %v", err)
	}
	e.typed("\n", strings.Repeat("y", 100))
}
