package app_test

import (
	"bufio"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"waferpair/app"
	"waferpair/engine"
	"waferpair/history"
	"waferpair/workspace"
)

// immutable sets or clears a file's immutable flag, which stops even root from changing it.
func (w *world) immutable(name string, yes bool) {
	w.Helper()
	f, err := os.Open(filepath.Join(w.dir, name))
	if !yes && errors.Is(err, fs.ErrNotExist) {
		return // it is gone, and so is what was done to it
	}
	if err != nil {
		w.Fatal(err)
	}
	defer f.Close()
	flags := 0
	if yes {
		flags = 0x10 // FS_IMMUTABLE_FL
	}
	if err := unix.IoctlSetPointerInt(int(f.Fd()), unix.FS_IOC_SETFLAGS, flags); err != nil {
		w.Skip("chattr +i is not allowed here, or not known to the filesystem:", err)
	}
}

// everything returns the contents of the folder, including temporary files.
func (w *world) everything() map[string]string {
	out := map[string]string{}
	err := filepath.WalkDir(w.dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		out[strings.TrimPrefix(path, w.dir+"/")] = string(b)
		return err
	})
	if err != nil {
		w.Fatal(err)
	}
	return out
}

// TestWhatFailedHasNotHappened checks that a change of several files changes none of them
// and records nothing if one cannot be changed, and that it works once all can be.
func TestWhatFailedHasNotHappened(t *testing.T) {
	five := patch("*** Update File: a.txt\n@@\n-a\n+A\n*** Add File: b.txt\n+B\n*** Update File: c.txt\n@@\n-c\n+C\n" +
		"*** Delete File: d.txt\n*** Update File: e.txt\n*** Move to: moved/e.txt\n@@\n-e\n+E\n")
	files := map[string]string{"a.txt": "a\n", "c.txt": "c\n", "d.txt": "d\n", "e.txt": "e\n"}
	apply := func(w *world, p *app.Project) error {
		r, err := p.ApplyPatch(w.Context(), []byte(five), false)
		if err == nil && r.Outcome.Status != engine.Completed {
			err = errors.New(r.Outcome.Message)
		}
		return err
	}
	applied := func(w *world, p *app.Project) {
		if err := apply(w, p); err != nil {
			w.Fatal(err)
		}
	}
	for _, c := range []struct {
		name   string
		before func(w *world, p *app.Project)
		do     func(w *world, p *app.Project) error
		seal   []string
		want   map[string]string
	}{
		{"apply", nil, apply, []string{"a.txt", "c.txt", "d.txt", "e.txt", ""},
			map[string]string{"a.txt": "A\n", "b.txt": "B\n", "c.txt": "C\n", "moved/e.txt": "E\n"}},
		{"revert", applied, func(w *world, p *app.Project) error {
			_, err := p.Revert(w.Context(), app.RevertRequest{Turn: 1})
			return err
		}, []string{"a.txt", "b.txt", "c.txt", "moved/e.txt", ""}, files},
		{"restore", applied, func(w *world, p *app.Project) error {
			_, err := p.Restore(w.Context(), app.RestoreRequest{At: 0})
			return err
		}, []string{"a.txt", "b.txt", "c.txt", "moved/e.txt", ""}, files},
		{"fork", applied, func(w *world, p *app.Project) error {
			_, err := p.Fork(w.Context(), "other", 0)
			return err
		}, []string{"a.txt", "b.txt", "c.txt", "moved/e.txt", ""}, files},
		{"switch", func(w *world, p *app.Project) {
			applied(w, p)
			if _, err := p.Fork(w.Context(), "other", 0); err != nil {
				w.Fatal(err)
			}
		}, func(w *world, p *app.Project) error {
			_, err := p.SwitchFork(w.Context(), "main")
			return err
		}, []string{"a.txt", "c.txt", "d.txt", "e.txt", ""}, map[string]string{"a.txt": "A\n", "b.txt": "B\n", "c.txt": "C\n",
			"moved/e.txt": "E\n"}},
	} {
		for _, sealed := range c.seal {
			t.Run(c.name+" "+sealed, func(t *testing.T) {
				t.Parallel() // it mostly waits
				w := newWorld(t, files)
				p := w.open()
				if c.before != nil {
					c.before(w, p)
				}
				w.failsAndThenWorks(p, sealed, func() error { return c.do(w, p) })
				if got := w.everything(); !maps.Equal(got, c.want) {
					t.Errorf("in the end %q", got)
				}
				for name, body := range c.want {
					w.at(p, history.Newest, name, body)
				}
				if f, err := p.Show(t.Context(), "c.txt"); err != nil || f.Text.String() != c.want["c.txt"] {
					t.Errorf("c.txt is shown as %q, %v", f.Text, err)
				}
			})
		}
	}
}

func (w *world) failsAndThenWorks(p *app.Project, sealed string, do func() error) {
	w.Helper()
	state := func() (out string) {
		edits, err := p.History().List(w.Context(), history.Filter{})
		forks, ferr := p.History().Branches(w.Context())
		waiting, werr := p.History().Unreviewed(w.Context())
		if err := errors.Join(err, ferr, werr); err != nil {
			w.Fatal(err)
		}
		for _, e := range edits {
			out += fmt.Sprintf("%d %s %s %d\n", e.ID, e.Author, e.Path, e.RevertedBy)
		}
		return fmt.Sprintf("%s%+v\n%d to review", out, forks, len(waiting))
	}
	before, was := w.everything(), state()
	w.immutable(sealed, true)
	err := do()
	w.immutable(sealed, false)
	if !errors.Is(err, fs.ErrPermission) || !strings.Contains(err.Error(), "chattr") ||
		!strings.Contains(err.Error(), "nothing was changed") {
		w.Errorf("with %q immutable: %v", sealed, err)
	}
	if now := w.everything(); !maps.Equal(now, before) {
		w.Errorf("with %q immutable: %q", sealed, now)
	}
	if now := state(); now != was {
		w.Errorf("with %q immutable, the history has\n%s\nand had\n%s", sealed, now, was)
	}
	if err := do(); err != nil {
		w.Errorf("again: %v", err)
	}
}

// halfDone leaves a.txt in the middle of a change of several files that was not recorded,
// as after a crash or a failed rollback. The displaced text is beside it.
func (w *world) halfDone(p *app.Project) (temp string) {
	w.Helper()
	temp = ".waferpair-wc4koc46.tmp"
	intent := history.IntentWrite{Path: "a.txt", Op: workspace.Update.String(),
		Before: history.Hash(sha256.Sum256([]byte("one\n"))), After: history.Hash(sha256.Sum256([]byte("two\n"))), Temp: temp,
		Part: ".waferpair-wc4koc47.tmp", Whole: true}
	if _, err := p.History().Intend(w.Context(), []history.IntentWrite{intent}); err != nil {
		w.Fatal(err)
	}
	w.write(temp, "two\n")
	if err := unix.Renameat2(unix.AT_FDCWD, filepath.Join(w.dir, temp), unix.AT_FDCWD, filepath.Join(w.dir, "a.txt"),
		unix.RENAME_EXCHANGE); err != nil {
		w.Fatal(err)
	}
	return temp
}

// TestWhatCannotBePutBackIsLeftAlone checks that an unrecorded change that a start cannot
// roll back does not count as an edit in that run either, and that the next start can roll
// it back.
func TestWhatCannotBePutBackIsLeftAlone(t *testing.T) {
	w := newWorld(t, map[string]string{"a.txt": "one\n", "b.txt": "one\n"})
	p := w.open()
	temp := w.halfDone(p)
	p.Close()
	w.immutable(temp, true)
	defer w.immutable(temp, false)
	p = w.watched(app.Options{Notice: w.tell})
	if !strings.Contains(w.told(), "could not be rolled back") {
		t.Errorf("told %q", w.told())
	}
	if f, err := p.Show(t.Context(), "a.txt"); err != nil || !strings.Contains(f.Why, "restart waferpair") {
		t.Errorf("it can be typed in: %+v, %v", f, err)
	}
	if r, err := p.ApplyPatch(t.Context(),
		[]byte(patch("*** Update File: a.txt\n@@\n-two\n+three\n*** Update File: b.txt\n@@\n-one\n+three\n")), false); err ==
		nil && r.Outcome.Status == engine.Completed {
		t.Error("it was edited")
	}
	w.at(p, history.Newest, "a.txt", "one\n")
	if got := w.authors(p); got != "" {
		t.Errorf("recorded %s", got)
	}
	p.Close()
	w.immutable(temp, false)
	p = w.open()
	w.at(p, history.Newest, "a.txt", "one\n")
	if got := w.everything(); !maps.Equal(got, map[string]string{"a.txt": "one\n", "b.txt": "one\n"}) ||
		w.authors(p) != "" {
		t.Errorf("in the end %q, recorded %q", got, w.authors(p))
	}
}

// TestWhatWasTakenInStands checks that an unrecorded change stays once the running program
// has recorded the file with it: a rollback would lose what was typed on top.
func TestWhatWasTakenInStands(t *testing.T) {
	w := newWorld(t, map[string]string{"a.txt": "one\n", "b.txt": "one\n"})
	p := w.watched(app.Options{})
	e := w.show(p, "a.txt")
	w.halfDone(p)
	w.until(func() bool {
		v, err := p.History().Head(t.Context(), "a.txt")
		return err == nil && string(v.Bytes) == "two\n"
	})
	w.immutable("a.txt", true)
	defer w.immutable("a.txt", false)
	if err := e.replace("two", "two and more"); err != nil {
		t.Fatal(err)
	}
	_ = p.Settle(t.Context())
	p.Close()
	w.immutable("a.txt", false)
	if got := w.disk("a.txt"); got != "two\n" {
		t.Fatalf("it was saved: %q", got)
	}
	p = w.open()
	w.at(p, history.Newest, "a.txt", "two and more\n")
	if got := w.everything(); !maps.Equal(got, map[string]string{"a.txt": "two and more\n", "b.txt": "one\n"}) {
		t.Errorf("in the end %q; told %q", got, w.told())
	}
}

// TestRevertOntoATakenName checks that a file can be reverted to a path at which another
// file is until then.
func TestRevertOntoATakenName(t *testing.T) {
	w := newWorld(t, map[string]string{"a.txt": "first\n"})
	p := w.open()
	if _, err := p.Rename(t.Context(), "a.txt", "b.txt"); err != nil {
		t.Fatal(err)
	}
	if r, err := p.ApplyPatch(t.Context(), []byte(patch("*** Add File: a.txt\n+second\n")), false); err != nil ||
		r.Outcome.Status != engine.Completed {
		t.Fatal(r.Outcome, err)
	}
	if _, err := p.Revert(t.Context(), app.RevertRequest{IDs: []history.EditID{1, 2}}); err != nil {
		t.Fatal(err)
	}
	if got := w.everything(); !maps.Equal(got, map[string]string{"a.txt": "first\n"}) {
		t.Errorf("%q", got)
	}
	w.at(p, history.Newest, "a.txt", "first\n")
	p.Close()
	p = w.open()
	w.at(p, history.Newest, "a.txt", "first\n")
	if got := w.authors(p); got != "user:rename model:create revert:delete revert:rename" {
		t.Errorf("recorded %s", got)
	}
}

// applier repeatedly changes five files from one number to the next, and prints each number
// that was acknowledged, until it is killed.
func applier(dir, data string) {
	ctx := context.Background()
	p, err := app.Open(ctx, dir, app.Options{DataHome: data})
	for n := 0; err == nil; n++ {
		var r app.PatchResult
		if r, err = p.ApplyPatch(ctx, []byte(patch(numbered(n, n+1))), false); err == nil &&
			r.Outcome.Status != engine.Completed {
			err = errors.New(r.Outcome.Message)
		}
		if err == nil {
			fmt.Println(n + 1)
		}
	}
	fmt.Println("error", err)
	os.Exit(1)
}

// numbered changes a to e, of which b is linked, and moves a file along.
func numbered(from, to int) (out string) {
	for _, name := range []string{"a", "b", "c", "d", "e"} {
		out += fmt.Sprintf("*** Update File: %s.txt\n@@\n-%d\n+%d\n", name, from, to)
	}
	return out +
		fmt.Sprintf("*** Add File: new-%d.txt\n+%d\n*** Update File: moved-%d.txt\n*** Move to: moved-%d.txt\n@@\n-%d\n+%d\n",
			to, to, from, to, from, to)
}

// TestKillWhileApplying checks that a patch is in all of its files or in none, on disk and
// in the history, whenever the process is killed, and that an acknowledged patch is there.
func TestKillWhileApplying(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range kills {
		killApplier(t, time.Duration(50+r.IntN(400))*time.Millisecond)
	}
}

func killApplier(t *testing.T, after time.Duration) {
	files := map[string]string{"moved-0.txt": "0\n"}
	for _, name := range []string{"a", "b", "c", "d", "e"} {
		files[name+".txt"] = "0\n"
	}
	w := newWorld(t, files)
	if err := os.Link(filepath.Join(w.dir, "b.txt"), filepath.Join(w.dir, "b2.txt")); err != nil {
		t.Fatal(err)
	}
	w.open().Close()
	acked := w.runApplier(after)
	p := w.open()
	got := w.everything()
	var n int
	if _, err := fmt.Sscanf(got["a.txt"], "%d\n", &n); err != nil || n < acked {
		t.Fatalf("%d was acknowledged, a.txt holds %q", acked, got["a.txt"])
	}
	want := map[string]string{fmt.Sprintf("moved-%d.txt", n): fmt.Sprintf("%d\n", n), "b2.txt": fmt.Sprintf("%d\n", n)}
	for _, name := range []string{"a", "b", "c", "d", "e"} {
		want[name+".txt"] = fmt.Sprintf("%d\n", n)
		w.at(p, history.Newest, name+".txt", fmt.Sprintf("%d\n", n))
	}
	for i := range n {
		want[fmt.Sprintf("new-%d.txt", i+1)] = fmt.Sprintf("%d\n", i+1)
	}
	if !maps.Equal(got, want) {
		t.Fatalf("killed after %v, %d acknowledged:\n%q\n%s", after, acked, got, w.told())
	}
	t.Logf("killed after %v, %d acknowledged, %d there; %s", after, acked, n, w.told())
	edits, err := p.History().List(t.Context(), history.Filter{})
	// b2.txt is the other name of b.txt.
	edits = slices.DeleteFunc(edits, func(e history.Edit) bool { return e.Path == "b2.txt" })
	if err != nil || len(edits) != 8*n {
		t.Errorf("%d edits, %v", len(edits), err)
	}
	for _, e := range edits {
		if e.Author != history.Model {
			t.Errorf("edit %d of %s is by %s: %s", e.ID, e.Path, e.Author, e.Note)
		}
	}
	for name := range got {
		if workspace.IsTemp(name) {
			t.Errorf("%s is left", name)
		}
	}
}

func (w *world) runApplier(after time.Duration) (acked int) {
	w.Helper()
	c := exec.Command(os.Args[0])
	c.Env = append(os.Environ(), "WAFERPAIR_APPLIER="+w.dir, "WAFERPAIR_TYPIST_DATA="+w.data)
	out, err := c.StdoutPipe()
	if err == nil {
		err = c.Start()
	}
	if err != nil {
		w.Fatal(err)
	}
	for s := bufio.NewScanner(out); s.Scan(); {
		if _, err := fmt.Sscanf(s.Text(), "%d", &acked); err != nil {
			w.Fatalf("the applier says %q", s.Text())
		}
		if acked == 1 {
			time.AfterFunc(after, func() { _ = c.Process.Kill() })
		}
	}
	_ = c.Wait()
	return acked
}
