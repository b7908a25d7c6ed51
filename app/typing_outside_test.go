package app_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"waferpair/app"
	"waferpair/history"
	"waferpair/workspace"
	"waferpair/workspace/text"
)

func TestOutsideSaveMergesWithTyping(t *testing.T) {
	w := newWorld(t, map[string]string{"a.txt": lines(10)})
	p := w.open()
	if err := p.Watch(t.Context()); err != nil {
		t.Fatal(err)
	}
	e := w.show(p, "a.txt")
	e.typed("line 2", "line two")
	w.write("a.txt", strings.Replace(lines(10), "line 7", "line seven", 1))
	want := strings.NewReplacer("line 2", "line two", "line 7", "line seven").Replace(lines(10))
	w.until(func() bool { return w.disk("a.txt") == want })
	e.pull()
	if got := w.authors(p); e.Text.String() != want || got != "user:text outside:text" {
		t.Errorf("%s: %q", got, e.Text)
	}
	w.at(p, history.Newest, "a.txt", want)
}

func TestOutsideSaveOfWhatWasTypedWinsAndTheTypingIsKept(t *testing.T) {
	w := newWorld(t, map[string]string{"a.txt": "one\ntwo\n"})
	p := w.open()
	e := w.show(p, "a.txt")
	e.typed("two", "zwei")
	w.write("a.txt", "one\ndeux\n")
	if err := p.SaveFile(t.Context(), "a.txt"); err != nil {
		t.Fatal(err)
	}
	e.pull()
	if e.Text.String() != "one\ndeux\n" || w.disk("a.txt") != "one\ndeux\n" ||
		!strings.Contains(w.told(), "yours is edit 1") {
		t.Errorf("%q, told %s", e.Text, w.told())
	}
	w.at(p, 1, "a.txt", "one\nzwei\n")
	w.at(p, history.Newest, "a.txt", "one\ndeux\n")
}

func TestAnOpenFileVanishesAndComesBack(t *testing.T) {
	w := newWorld(t, map[string]string{"a.txt": "one\n"})
	h := &heard{}
	p := w.openWith(app.Options{Listener: h})
	if err := p.Watch(t.Context()); err != nil {
		t.Fatal(err)
	}
	e := w.show(p, "a.txt")
	e.typed("one", "one more")
	if err := os.Remove(filepath.Join(w.dir, "a.txt")); err != nil {
		t.Fatal(err)
	}
	w.until(func() bool { _, err := p.Since("a.txt", e.ID, e.Version); return errors.Is(err, app.ErrReplaced) })
	if f := w.show(p, "a.txt"); f.Kind != "missing" {
		t.Errorf("%+v", f.File)
	}
	w.at(p, 1, "a.txt", "one more\n") // what was typed
	w.write("a.txt", "new\n")
	w.until(func() bool { return w.show(p, "a.txt").Kind == "text" })
	if f := w.show(p, "a.txt"); f.Text.String() != "new\n" {
		t.Errorf("%q", f.Text)
	}
	w.until(func() bool { return w.authors(p) == "user:text outside:delete outside:create" })
}

func TestAnOpenFileTurnsBinary(t *testing.T) {
	w := newWorld(t, map[string]string{"a.txt": "one\n"})
	p := w.open()
	if err := p.Watch(t.Context()); err != nil {
		t.Fatal(err)
	}
	e := w.show(p, "a.txt")
	e.typed("one", "one more")
	w.write("a.txt", "one\x00\x01\n")
	w.until(func() bool { return w.show(p, "a.txt").Kind == "binary" })
	if err := p.Close(); err != nil || w.disk("a.txt") != "one\x00\x01\n" {
		t.Errorf("%q %v", w.disk("a.txt"), err)
	}
	p = w.open()
	w.at(p, 1, "a.txt", "one more\n")
	w.write("a.txt", "text again\n")
	if f := w.show(p, "a.txt"); f.Kind != "text" {
		t.Errorf("%+v", f.File)
	}
	w.at(p, history.Newest, "a.txt", "text again\n")
}

func TestTypingWhileTheFolderIsAway(t *testing.T) {
	w := newWorld(t, map[string]string{"a.txt": "one\n"})
	h := &heard{}
	p := w.openWith(app.Options{Listener: h})
	if err := p.Watch(t.Context()); err != nil {
		t.Fatal(err)
	}
	e := w.show(p, "a.txt")
	if err := os.Rename(w.dir, w.dir+".away"); err != nil {
		t.Fatal(err)
	}
	gone := func() int { h.mu.Lock(); defer h.mu.Unlock(); return len(h.gone) }
	w.until(func() bool { return gone() == 1 })
	e.typed("one", "one more")
	if err := p.SaveFile(t.Context(), "a.txt"); !errors.Is(err, workspace.ErrGone) {
		t.Errorf("saved: %v", err)
	}
	w.at(p, history.Newest, "a.txt", "one more\n")
	_, err := p.Edit(t.Context(), app.EditRequest{Text: "rename one to two"})
	if !errors.Is(err, workspace.ErrGone) ||
		!strings.Contains(err.Error(), "put "+w.dir+" back, or open it at its new place, then send the request again") {
		t.Errorf("a request meanwhile: %v", err)
	}
	if err := os.Rename(w.dir+".away", w.dir); err != nil {
		t.Fatal(err)
	}
	w.until(func() bool { return w.disk("a.txt") == "one more\n" })
	if got := w.authors(p); gone() != 2 || got != "user:text" || strings.Count(w.told(), "gone") != 1 {
		t.Errorf("%s; told %s", got, w.told())
	}
}

func TestABinaryFileThatIsTextAgainIsTold(t *testing.T) {
	w := newWorld(t, map[string]string{"a.txt": "one\n"})
	h := &heard{}
	p := w.openWith(app.Options{Listener: h})
	if err := p.Watch(t.Context()); err != nil {
		t.Fatal(err)
	}
	w.show(p, "a.txt")
	w.write("a.txt", "one\x00\n")
	w.until(func() bool { return w.show(p, "a.txt").Kind == "binary" })
	h.mu.Lock()
	told := h.files
	h.mu.Unlock()
	w.write("a.txt", "text again\n")
	w.until(func() bool { h.mu.Lock(); defer h.mu.Unlock(); return h.files > told })
}

func TestFilesThatAreNotKept(t *testing.T) {
	secret := "hunter2-hunter2-hunter2"
	w := newWorld(t, map[string]string{".gitignore": "local.txt\n", ".env": "A=1\n", "local.txt": "x\n"})
	p := w.open()
	e, l := w.show(p, ".env"), w.show(p, "local.txt")
	if e.Kept || e.Why != "" || l.Kept {
		t.Fatalf("%+v %+v", e.File, l.File)
	}
	e.typed("A=1", "A="+secret)
	l.typed("x", secret)
	if err := p.SaveFile(t.Context(), ".env"); err != nil || w.disk(".env") != "A="+secret+"\n" {
		t.Errorf("%q %v", w.disk(".env"), err)
	}
	out := w.run(p, w.script(patch("*** Update File: .env\n-A=1\n+A=2\n")))
	if out.Status != "declined" || w.disk(".env") != "A="+secret+"\n" {
		t.Errorf("%+v", out)
	}
	w.write("local.txt", secret+"\nsaved outside\n") // there is no watcher
	l.typed(secret, secret+"!")
	if err := p.Close(); err != nil || w.disk("local.txt") != secret+"!\nsaved outside\n" {
		t.Errorf("%q %v", w.disk("local.txt"), err)
	}
	w.nowhere(secret)
}

func TestASecondInstanceFollowsTheFirst(t *testing.T) {
	w := newWorld(t, map[string]string{"a.txt": "one\n"})
	p, second := w.open(), w.open()
	if err := second.Watch(t.Context()); err != nil {
		t.Fatal(err)
	}
	e, other := w.show(p, "a.txt"), w.show(second, "a.txt")
	if err := other.replace("one", "1"); !errors.Is(err, app.ErrReadOnly) {
		t.Errorf("typed in a second instance: %v", err)
	}
	e.typed("one", "one more")
	if err := p.SaveFile(t.Context(), "a.txt"); err != nil {
		t.Fatal(err)
	}
	w.until(func() bool { other.pull(); return other.Text.String() == "one more\n" })
	if got := w.authors(p); got != "user:text" {
		t.Errorf("recorded %s", got)
	}
}

func TestAForkChangesOpenFilesInPlace(t *testing.T) {
	w := newWorld(t, map[string]string{"a.txt": "one\n", "b.txt": "b\n"})
	p := w.open()
	e := w.show(p, "a.txt")
	e.typed("one", "two")
	if err := p.SaveFile(t.Context(), "a.txt"); err != nil {
		t.Fatal(err)
	}
	e.typed("two", "three") // not recorded when the fork is created: it stays on main
	if _, err := p.Fork(t.Context(), "other", 1); err != nil {
		t.Fatal(err)
	}
	if e.pull(); e.Text.String() != "two\n" || w.disk("a.txt") != "two\n" {
		t.Errorf("on the fork: %q, on disk %q", e.Text, w.disk("a.txt"))
	}
	e.typed("two", "zwei")
	if _, err := p.SwitchFork(t.Context(), "main"); err != nil {
		t.Fatal(err)
	}
	if e.pull(); e.Text.String() != "three\n" || w.disk("a.txt") != "three\n" {
		t.Errorf("on main: %q, on disk %q", e.Text, w.disk("a.txt"))
	}
	if _, err := p.SwitchFork(t.Context(), "other"); err != nil {
		t.Fatal(err)
	}
	w.at(p, history.Newest, "a.txt", "zwei\n")
}

func TestRevertWhileTyping(t *testing.T) {
	w := newWorld(t, map[string]string{"a.txt": lines(10)})
	p := w.open()
	w.run(p, w.script(patch("*** Update File: a.txt\n@@\n line 3\n-line 4\n+line four\n")))
	e := w.show(p, "a.txt")
	e.typed("line 8", "line eight")
	if _, err := p.Revert(t.Context(), app.RevertRequest{Turn: 1}); err != nil {
		t.Fatal(err)
	}
	want := strings.Replace(lines(10), "line 8", "line eight", 1)
	if e.pull(); e.Text.String() != want || w.disk("a.txt") != want {
		t.Errorf("%q, on disk %q", e.Text, w.disk("a.txt"))
	}
	w.at(p, history.Newest, "a.txt", want)
}

func TestResolveIsOneEdit(t *testing.T) {
	w := newWorld(t, map[string]string{"a.txt": "one\ntwo\n"})
	p := w.open()
	w.run(p, w.script(patch("*** Update File: a.txt\n one\n-two\n+zwei\n")))
	e := w.show(p, "a.txt")
	done, err := p.Resolve(t.Context(), "a.txt", e.ID, e.Version, text.OfString("one\ntwo and zwei\n"),
		[]history.EditID{1})
	if err != nil || len(done.Edits) != 1 || w.disk("a.txt") != "one\ntwo and zwei\n" {
		t.Fatalf("%+v %v", done, err)
	}
	d, err := p.History().Get(t.Context(), done.Edits[0])
	if err != nil || d.Author != history.Revert || len(d.Reverts) != 1 {
		t.Errorf("%+v %v", d, err)
	}
	var old *workspace.VersionError
	if _, err := p.Resolve(t.Context(), "a.txt", e.ID, e.Version, text.Text{}, nil); !errors.As(err, &old) {
		t.Errorf("of a version that is gone: %v", err)
	}
}
