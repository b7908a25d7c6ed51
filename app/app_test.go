package app_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"waferpair/app"
	"waferpair/build/testdir"
	"waferpair/engine"
	"waferpair/history"
)

// world is a project folder with a history of its own.
type world struct {
	*testing.T
	dir, data string

	mu      sync.Mutex
	notices []string
}

func (w *world) tell(s string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.notices = append(w.notices, s)
}

func (w *world) told() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return strings.Join(w.notices, "\n")
}

func newWorld(t *testing.T, files map[string]string) *world {
	w := &world{T: t, dir: filepath.Join(t.TempDir(), "project"), data: testdir.InMemory(t)}
	for name, body := range files {
		w.write(name, body)
	}
	return w
}

func (w *world) write(name, body string) {
	w.Helper()
	path := filepath.Join(w.dir, name)
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(body), 0o644)); err != nil {
		w.Fatal(err)
	}
}

func (w *world) disk(name string) string {
	w.Helper()
	b, err := os.ReadFile(filepath.Join(w.dir, name))
	if err != nil {
		w.Fatal(err)
	}
	return string(b)
}

func (w *world) open() *app.Project {
	w.Helper()
	p, err := app.Open(w.Context(), w.dir, app.Options{DataHome: w.data, Notice: w.tell})
	if err != nil {
		w.Fatal(err)
	}
	w.Cleanup(func() { p.Close() })
	return p
}

// script writes an answer. Each part is a chunk, with the pause before it.
func (w *world) script(parts ...any) string {
	w.Helper()
	f, err := os.Create(filepath.Join(w.TempDir(), "answer.jsonl"))
	if err != nil {
		w.Fatal(err)
	}
	defer f.Close()
	enc, wait := json.NewEncoder(f), 0.0
	for _, p := range parts {
		switch p := p.(type) {
		case int:
			wait = float64(p)
		case string:
			if err := enc.Encode(map[string]any{"after_ms": wait, "text": p}); err != nil {
				w.Fatal(err)
			}
			wait = 0
		}
	}
	return "script:" + f.Name()
}

func (w *world) start(p *app.Project, model string) *engine.Turn {
	w.Helper()
	turn, err := p.Edit(context.Background(), app.EditRequest{Text: "go", Model: model})
	if err != nil {
		w.Fatal(err)
	}
	return turn
}

func (w *world) run(p *app.Project, model string) engine.Outcome {
	w.Helper()
	turn := w.start(p, model)
	for range turn.Events() {
	}
	return turn.Wait()
}

// at checks a version of a file in the history, and that every version can be rebuilt.
func (w *world) at(p *app.Project, id history.EditID, name, want string) {
	w.Helper()
	v, err := p.History().At(w.Context(), id, name)
	if err != nil || string(v.Bytes) != want {
		w.Errorf("%s at %d is %q (%v), want %q", name, id, v.Bytes, err, want)
	}
	r, err := p.History().Check(w.Context(), nil)
	if err != nil || !r.OK() {
		w.Errorf("check: %+v %v", r, err)
	}
}

func (w *world) authors(p *app.Project) string {
	w.Helper()
	edits, err := p.History().List(w.Context(), history.Filter{})
	if err != nil {
		w.Fatal(err)
	}
	var out []string
	for _, e := range edits {
		out = append(out, fmt.Sprintf("%s:%s", e.Author, e.Kind))
	}
	return strings.Join(out, " ")
}

func lines(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "line %d\n", i)
	}
	return b.String()
}

func patch(body string) string { return "*** Begin Patch\n" + body + "*** End Patch\n" }

func TestOutsideEditWhileTheTurnStreams(t *testing.T) {
	w := newWorld(t, map[string]string{"a.txt": lines(40)})
	p := w.open()
	turn := w.start(p, w.script(
		"*** Begin Patch\n*** Update File: a.txt\n@@\n line 3\n-line 4\n+line four\n line 5\n"+
			"@@\n line 20\n-line 21\n+line twenty-one\n",
		400, " line 22\n*** End Patch\n"))
	for ev := range turn.Events() {
		if e, ok := ev.(engine.HunkChanged); ok && e.Inserted == "line twenty-one\n" {
			// A program that had read the file before our first edit was saved would
			// undo that edit; this one reads it afterwards.
			w.until(func() bool { return strings.Contains(w.disk("a.txt"), "line four\n") })
			body := w.disk("a.txt")
			w.write("a.txt", strings.Replace(body, "line 35\n", "line thirty-five\n", 1))
		}
	}
	out := turn.Wait()
	want := strings.NewReplacer("line 4\n", "line four\n", "line 21\n", "line twenty-one\n", "line 35\n",
		"line thirty-five\n").Replace(lines(40))
	if out.Status != engine.Completed || w.disk("a.txt") != want {
		t.Fatalf("%+v\n%s", out, w.disk("a.txt"))
	}
	w.at(p, history.Newest, "a.txt", want)
	if got := w.authors(p); !strings.Contains(got, "outside:text") {
		t.Errorf("the edits are by %s", got)
	}
}

func TestOutsideEditOfTheSameLinesWins(t *testing.T) {
	w := newWorld(t, map[string]string{"a.txt": lines(40)})
	p := w.open()
	turn := w.start(p, w.script(
		"*** Begin Patch\n*** Update File: a.txt\n@@\n line 3\n-line 4\n+line four\n",
		300, " line 5\n*** End Patch\n"))
	theirs := strings.Replace(lines(40), "line 4\n", "line IV\n", 1)
	for ev := range turn.Events() {
		if _, ok := ev.(engine.HunkChanged); ok {
			w.write("a.txt", theirs)
		}
	}
	if out := turn.Wait(); out.Status != engine.Conflict {
		t.Errorf("%+v", out)
	}
	if w.disk("a.txt") != theirs {
		t.Errorf("the other program's lines are gone: %q", w.disk("a.txt"))
	}
	w.at(p, history.Newest, "a.txt", theirs)
	w.at(p, 1, "a.txt", strings.Replace(lines(40), "line 4\n", "line four\n", 1)) // ours is kept
}

func TestWatchRecordsWhatOthersDo(t *testing.T) {
	w := newWorld(t, map[string]string{"a.txt": "one\n", "sub/b.txt": "two\n"})
	p := w.open()
	if err := p.Watch(t.Context()); err != nil {
		t.Fatal(err)
	}
	w.write("a.txt", "one more\n")
	w.write("new/deep/c.txt", "three\n")
	if err := os.RemoveAll(filepath.Join(w.dir, "sub")); err != nil {
		t.Fatal(err)
	}
	w.until(func() bool {
		s := w.authors(p)
		return strings.Contains(s, "outside:text") && strings.Contains(s, "outside:create") &&
			strings.Contains(s, "outside:delete")
	})
	w.at(p, history.Newest, "a.txt", "one more\n")
	w.at(p, history.Newest, "new/deep/c.txt", "three\n")
	w.at(p, 0, "sub/b.txt", "two\n")
}

// patience bounds waits for something that is certain to happen.
const patience = time.Minute

func (w *world) until(done func() bool) {
	w.Helper()
	for deadline := time.Now().Add(patience); !done(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			w.Fatal("nothing happened for too long")
		}
	}
}

func TestReopeningRecordsWhatHappenedMeanwhile(t *testing.T) {
	w := newWorld(t, map[string]string{"a.txt": "one\n", "b.txt": "two\n"})
	w.open().Close()
	w.write("a.txt", "one, changed\n")
	w.write("c.txt", "three\n")
	if err := os.Remove(filepath.Join(w.dir, "b.txt")); err != nil {
		t.Fatal(err)
	}
	p := w.open()
	if got := w.authors(p); got != "outside:text outside:create outside:delete" {
		t.Errorf("got %s", got)
	}
	if _, err := p.Revert(t.Context(), app.RevertRequest{HasSince: true, AllAuthors: true}); err != nil {
		t.Fatal(err)
	}
	if w.disk("a.txt") != "one\n" || w.disk("b.txt") != "two\n" {
		t.Errorf("%q %q", w.disk("a.txt"), w.disk("b.txt"))
	}
	if _, err := os.Stat(filepath.Join(w.dir, "c.txt")); !os.IsNotExist(err) {
		t.Errorf("c.txt is still there: %v", err)
	}
}

func TestRevertOutOfTheMiddleAndBack(t *testing.T) {
	w := newWorld(t, map[string]string{"a.txt": lines(30)})
	p := w.open()
	for _, n := range []int{3, 13, 23} {
		w.run(p,
			w.script(patch(fmt.Sprintf("*** Update File: a.txt\n@@\n line %d\n-line %d\n+changed %d\n+and more\n", n-1, n, n))))
	}
	done, err := p.Revert(t.Context(), app.RevertRequest{IDs: []history.EditID{2}})
	if err != nil {
		t.Fatal(err)
	}
	want := strings.NewReplacer("line 3\n", "changed 3\nand more\n", "line 23\n", "changed 23\nand more\n").
		Replace(lines(30))
	if w.disk("a.txt") != want {
		t.Errorf("after the revert %q", w.disk("a.txt"))
	}
	if _, err := p.Revert(t.Context(), app.RevertRequest{IDs: done.Edits}); err != nil {
		t.Fatal(err)
	}
	if want = strings.Replace(want, "line 13\n", "changed 13\nand more\n", 1); w.disk("a.txt") != want {
		t.Errorf("after the revert of the revert %q", w.disk("a.txt"))
	}
}

func TestRestoreLeavesOtherFilesAlone(t *testing.T) {
	w := newWorld(t, map[string]string{"a.txt": "a\n", "b.txt": "b\n"})
	p := w.open()
	old := time.Now().Add(-time.Hour).Truncate(time.Second)
	if err := os.Chtimes(filepath.Join(w.dir, "b.txt"), old, old); err != nil {
		t.Fatal(err)
	}
	w.run(p, w.script(patch("*** Update File: a.txt\n-a\n+A\n*** Add File: c.txt\n+c\n")))
	if _, err := p.Restore(t.Context(), app.RestoreRequest{At: 0}); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(filepath.Join(w.dir, "b.txt"))
	if err != nil || !info.ModTime().Equal(old) {
		t.Errorf("b.txt was touched: %v %v", info.ModTime(), err)
	}
	if _, err := os.Stat(filepath.Join(w.dir, "c.txt")); w.disk("a.txt") != "a\n" || !os.IsNotExist(err) {
		t.Errorf("%q %v", w.disk("a.txt"), err)
	}
}

func TestForksKeepBothLines(t *testing.T) {
	w := newWorld(t, map[string]string{"a.txt": "a\n"})
	p := w.open()
	edit := func(from, to string) {
		t.Helper()
		if out := w.run(p, w.script(patch("*** Update File: a.txt\n-"+from+"\n+"+to+"\n"))); out.Status != engine.Completed {
			t.Fatalf("%+v", out)
		}
	}
	edit("a", "b")
	edit("b", "c")
	if _, err := p.Fork(t.Context(), "other", 1); err != nil {
		t.Fatal(err)
	}
	if w.disk("a.txt") != "b\n" {
		t.Fatalf("the fork begins at %q", w.disk("a.txt"))
	}
	edit("b", "B")
	if _, err := p.SwitchFork(t.Context(), "main"); err != nil || w.disk("a.txt") != "c\n" {
		t.Fatalf("back on main: %q %v", w.disk("a.txt"), err)
	}
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	p = w.open()
	if _, err := p.SwitchFork(t.Context(), "other"); err != nil || w.disk("a.txt") != "B\n" {
		t.Fatalf("on the fork again: %q %v", w.disk("a.txt"), err)
	}
}

func TestMoveAndDelete(t *testing.T) {
	w := newWorld(t, map[string]string{"a.txt": "a\nb\n", "b.txt": "gone\n"})
	p := w.open()
	out := w.run(p,
		w.script(patch("*** Update File: a.txt\n*** Move to: sub/c.txt\n@@\n a\n-b\n+B\n*** Delete File: b.txt\n")))
	if out.Status != engine.Completed || w.disk("sub/c.txt") != "a\nB\n" {
		t.Fatalf("%+v", out)
	}
	for _, name := range []string{"a.txt", "b.txt"} {
		if _, err := os.Stat(filepath.Join(w.dir, name)); !os.IsNotExist(err) {
			t.Errorf("%s is still there", name)
		}
	}
	if _, err := p.Revert(t.Context(), app.RevertRequest{Turn: 1}); err != nil {
		t.Fatal(err)
	}
	if w.disk("a.txt") != "a\nb\n" || w.disk("b.txt") != "gone\n" {
		t.Errorf("%q %q", w.disk("a.txt"), w.disk("b.txt"))
	}
}

func TestSecretsStayOutOfTheHistory(t *testing.T) {
	secret := "ghp_" + strings.Repeat("a1B2c3D4e5F6", 3)
	w := newWorld(t, map[string]string{"a.py": "token = \"" + secret + "\"\nx = 1\n"})
	p := w.open()
	if out := w.run(p, w.script(patch("*** Update File: a.py\n-x = 1\n+x = 2\n"))); out.Status != engine.Completed {
		t.Fatalf("%+v", out)
	}
	if _, err := p.Revert(t.Context(), app.RevertRequest{IDs: []history.EditID{1}}); err != nil {
		t.Fatal(err)
	}
	if want := "token = \"" + secret + "\"\nx = 1\n"; w.disk("a.py") != want {
		t.Errorf("the file is %q", w.disk("a.py"))
	}
	w.run(p, w.script(patch("*** Update File: a.py\n-x = 1\n+other = \""+strings.ToUpper(secret[:4])+"\"\n+again = \""+
		secret+"\"\n")))
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	w.nowhere(secret)
}

// nowhere checks that no file of the history contains s.
func (w *world) nowhere(s string) {
	w.Helper()
	err := filepath.WalkDir(w.data, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		if strings.Contains(string(b), s) {
			w.Errorf("%s holds the secret", path)
		}
		return err
	})
	if err != nil {
		w.Fatal(err)
	}
}

func TestSecondInstanceOnlyReads(t *testing.T) {
	w := newWorld(t, map[string]string{"a.txt": "a\n"})
	p := w.open()
	w.run(p, w.script(patch("*** Update File: a.txt\n-a\n+b\n")))
	second := w.open()
	if !second.ReadOnly() {
		t.Fatal("two writers")
	}
	w.at(second, 1, "a.txt", "b\n")
	if _, err := second.Edit(t.Context(), app.EditRequest{Text: "rename a to b"}); !errors.Is(err, app.ErrReadOnly) {
		t.Errorf("edit: %v", err)
	}
	if _, err := second.Revert(t.Context(),
		app.RevertRequest{IDs: []history.EditID{1}}); !errors.Is(err, app.ErrReadOnly) {
		t.Errorf("revert: %v", err)
	}
}
