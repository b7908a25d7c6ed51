package app_test

import (
	"errors"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"waferpair/app"
	"waferpair/history"
	"waferpair/workspace"
)

// replace moves the project's folder away and puts another one in its place. It returns
// where the project's folder is.
func (w *world) replace(files map[string]string) (away string) {
	w.Helper()
	away = w.dir + ".away"
	if err := errors.Join(os.Rename(w.dir, away), os.Mkdir(w.dir, 0o755)); err != nil {
		w.Fatal(err)
	}
	for name, body := range files {
		w.write(name, body)
	}
	return away
}

func (w *world) holds(dir, name, want string) {
	w.Helper()
	if b, err := os.ReadFile(filepath.Join(dir, name)); err != nil || string(b) != want {
		w.Errorf("%s in %s: %q %v", name, filepath.Base(dir), b, err)
	}
}

func TestNothingIsDoneToAFolderInTheProjectsPlace(t *testing.T) {
	w := newWorld(t, map[string]string{"sub/a.txt": "ours\n", "b.txt": "b\n"})
	p := w.open()
	away := w.replace(map[string]string{"sub/a.txt": "theirs\n", "sub/more.txt": "more\n"})
	_, deleted := p.Remove(t.Context(), "sub", "")
	_, made := p.MakeFile(t.Context(), "new/c.txt")
	_, renamed := p.Rename(t.Context(), "sub", "lib")
	for what, err := range map[string]error{"delete": deleted, "create a file": made, "rename": renamed,
		"create a folder": p.MakeFolder(t.Context(), "new/d")} {
		if !errors.Is(err, workspace.ErrGone) {
			t.Errorf("%s: %v", what, err)
		}
	}
	w.holds(w.dir, "sub/a.txt", "theirs\n")
	w.holds(w.dir, "sub/more.txt", "more\n")
	w.holds(away, "sub/a.txt", "ours\n")
	for _, dir := range []string{w.dir, away} {
		if _, err := os.Stat(filepath.Join(dir, "new")); err == nil {
			t.Errorf("a folder was made in %s", dir)
		}
	}
	if got := w.authors(p); got != "" {
		t.Errorf("recorded: %s", got)
	}
}

func TestAnotherFolderInTheProjectsPlaceIsAskedAbout(t *testing.T) {
	w := newWorld(t, map[string]string{"a.txt": "one\n", "b.txt": "b\n"})
	h := &heard{}
	p := w.openWith(app.Options{Listener: h})
	if err := p.Watch(t.Context()); err != nil {
		t.Fatal(err)
	}
	e := w.show(p, "a.txt")
	away := w.replace(map[string]string{"a.txt": "theirs\n"})
	w.until(func() bool { return p.Other() != "" })
	e.typed("one", "one more")
	if err := p.SaveFile(t.Context(), "a.txt"); !errors.Is(err, workspace.ErrGone) {
		t.Errorf("saved: %v", err)
	}
	w.holds(w.dir, "a.txt", "theirs\n")
	if v, err := p.History().Head(t.Context(), "b.txt"); err != nil || !v.Exists {
		t.Errorf("b.txt counts as deleted: %v", err)
	}

	if err := errors.Join(os.RemoveAll(w.dir), os.Rename(away, w.dir)); err != nil {
		t.Fatal(err)
	}
	w.until(func() bool { return w.disk("a.txt") == "one more\n" && p.Other() == "" })
	if err := p.UseFolder(); !errors.Is(err, workspace.ErrGone) {
		t.Errorf("a folder that is not there any more is used: %v", err)
	}
	if got := w.authors(p); got != "user:text" {
		t.Errorf("recorded: %s", got)
	}
}

func TestAnotherFolderIsUsedWhenTheUserSaysSo(t *testing.T) {
	w := newWorld(t, map[string]string{"a.txt": "one\n", "b.txt": "b\n"})
	p := w.open()
	if err := p.Watch(t.Context()); err != nil {
		t.Fatal(err)
	}
	w.replace(map[string]string{"a.txt": "one\ntwo\n"})
	w.until(func() bool { return p.Other() != "" })
	if err := p.UseFolder(); err != nil {
		t.Fatal(err)
	}
	w.until(func() bool { v, err := p.History().Head(t.Context(), "b.txt"); return err == nil && !v.Exists })
	e := w.show(p, "a.txt")
	e.typed("two", "three")
	if err := p.SaveFile(t.Context(), "a.txt"); err != nil || w.disk("a.txt") != "one\nthree\n" || p.Other() != "" {
		t.Errorf("%q %v", w.disk("a.txt"), err)
	}
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	w.open() // it is the project's folder now
}

func TestAnotherFolderBetweenTwoRuns(t *testing.T) {
	files := map[string]string{"a.txt": "one\n", "b.txt": "b\n", "sub/c.txt": "c\n"}
	again := func(w *world, use bool) (*app.Project, error) {
		return app.Open(w.Context(), w.dir, app.Options{DataHome: w.data, Notice: w.tell, UseFolder: use})
	}
	for name, c := range map[string]struct {
		files map[string]string
		asked bool
	}{
		"a mount point without its disk": {nil, true},
		"another project":                {map[string]string{"x.txt": "x\n", "y.txt": "y\n", "b.txt": "b\n"}, true},
		"the same names, other content":  {map[string]string{"a.txt": "1\n", "b.txt": "2\n", "sub/c.txt": "3\n"}, true},
		"a copy":                         {files, false},
		"a clone that is a little newer": {map[string]string{"a.txt": "one\ntwo\n", "b.txt": "b\n",
			"sub/c.txt": "c\n"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, files)
			if err := w.open().Close(); err != nil {
				t.Fatal(err)
			}
			w.replace(c.files)
			p, err := again(w, false)
			if !c.asked {
				if err != nil {
					t.Fatal(err)
				}
				p.Close()
				return
			}
			if !errors.As(err, new(*app.OtherFolderError)) {
				t.Fatalf("it was taken for the project: %v", err)
			}
			if p, err = again(w, true); err != nil {
				t.Fatal(err)
			}
			defer p.Close()
			want := 0
			for name := range files {
				if c.files[name] != files[name] {
					want++ // only this time
				}
			}
			edits, err := p.History().List(t.Context(), history.Filter{})
			if n := strings.Count(w.authors(p), "outside:"); err != nil || n < want || len(edits) < want {
				t.Errorf("%d of %d recorded: %s", n, want, w.authors(p))
			}
		})
	}
}

func TestManyFilesLessInTheSameFolderAreNotAskedAbout(t *testing.T) {
	w := newWorld(t, map[string]string{"a.txt": "one\n", "b.txt": "b\n", "sub/c.txt": "c\n"})
	if err := w.open().Close(); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"a.txt", "b.txt", "sub"} { // like git checkout
		if err := os.RemoveAll(filepath.Join(w.dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	w.write("other.txt", "other\n")
	if got := w.authors(w.open()); strings.Count(got, "outside:delete") != 3 {
		t.Errorf("recorded: %s", got)
	}
}

// inMounts runs the test again in a process that has its own mounts, and reports whether
// this is that process.
func inMounts(t *testing.T) bool {
	t.Helper()
	if os.Getenv("WAFERPAIR_MOUNTS") != "" {
		if err := syscall.Mount("none", "/", "", syscall.MS_REC|syscall.MS_PRIVATE, ""); err != nil {
			t.Fatal(err)
		}
		return true
	}
	cmd := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$", "-test.v")
	cmd.Env = append(os.Environ(), "WAFERPAIR_MOUNTS=1")
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNS}
	if os.Getuid() != 0 {
		cmd.SysProcAttr.Cloneflags |= syscall.CLONE_NEWUSER
		cmd.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{HostID: os.Getuid(), Size: 1}}
		cmd.SysProcAttr.GidMappings = []syscall.SysProcIDMap{{HostID: os.Getgid(), Size: 1}}
	}
	out, err := cmd.CombinedOutput()
	if errors.Is(err, syscall.EPERM) || errors.Is(err, syscall.ENOSPC) {
		t.Skipf("this user may not have mounts of its own: %v", err)
	}
	if err != nil || strings.Contains(string(out), "--- SKIP") || !strings.Contains(string(out), "--- PASS") {
		t.Errorf("%v\n%s", err, out)
	}
	return false
}

func TestAProjectWhoseDiskIsUnmountedAndMountedAgain(t *testing.T) {
	if !inMounts(t) {
		return
	}
	w := newWorld(t, map[string]string{"under.txt": "below the mount point\n"})
	disk := filepath.Join(t.TempDir(), "disk")
	if err := errors.Join(os.Mkdir(disk, 0o755), syscall.Mount("none", disk, "tmpfs", 0, "")); err != nil {
		t.Fatal(err)
	}
	mount := func() {
		t.Helper()
		if err := syscall.Mount(disk, w.dir, "", syscall.MS_BIND, ""); err != nil {
			t.Fatal(err)
		}
	}
	mount()
	t.Cleanup(func() {
		for syscall.Unmount(w.dir, syscall.MNT_DETACH) == nil || syscall.Unmount(disk, syscall.MNT_DETACH) == nil {
		}
	})
	w.write("a.txt", "one\n")
	w.write("sub/b.txt", "b\n")
	p := w.open()
	if err := p.Watch(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Unmount(w.dir, syscall.MNT_DETACH); err != nil {
		t.Fatal(err)
	}
	if err := p.MakeFolder(t.Context(), "below"); !errors.Is(err, workspace.ErrGone) {
		t.Errorf("a folder was made below the mount point: %v", err)
	}
	if _, err := p.Remove(t.Context(), "sub", ""); !errors.Is(err, workspace.ErrGone) {
		t.Errorf("deleted: %v", err)
	}
	w.until(func() bool { return p.Other() != "" })
	mount()
	w.until(func() bool { return p.Other() == "" && p.MakeFolder(t.Context(), "back") == nil })
	w.holds(w.dir, "sub/b.txt", "b\n")
	w.holds(w.dir, "a.txt", "one\n")
	if got := w.authors(p); got != "" {
		t.Errorf("recorded: %s", got)
	}
}

func TestAFolderIsOpenByOnePath(t *testing.T) {
	if !inMounts(t) {
		return
	}
	w := newWorld(t, map[string]string{"a.txt": "one\n"})
	bound := filepath.Join(t.TempDir(), "bound")
	if err := errors.Join(os.Mkdir(bound, 0o755), syscall.Mount(w.dir, bound, "", syscall.MS_BIND, "")); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = syscall.Unmount(bound, syscall.MNT_DETACH) })
	p := w.open()
	open := func() (*app.Project, error) {
		return app.Open(t.Context(), bound, app.Options{DataHome: w.data})
	}
	if second, err := open(); !errors.Is(err, workspace.ErrLocked) || !strings.Contains(err.Error(), "by another path") {
		t.Errorf("opened by two paths: %v", err)
		if err == nil {
			second.Close()
		}
	}
	if again := w.open(); !again.ReadOnly() {
		t.Error("a second instance by the same path may write")
	}
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	second, err := open()
	if err != nil {
		t.Fatal(err)
	}
	second.Close()
}

// leaving moves the project's folder away as soon as one of its files is gone. An operation
// on several files records what it has done at that moment, before its end.
type leaving struct {
	heard
	w    *world
	file string
	away string
}

func (l *leaving) FilesChanged() {
	l.heard.FilesChanged()
	if _, err := os.Lstat(filepath.Join(l.w.dir, l.file)); l.away == "" && err != nil {
		l.away = l.w.replace(map[string]string{"b.txt": "theirs\n"})
	}
}

// back puts the project's folder in its place again.
func (l *leaving) back() {
	l.w.Helper()
	if l.away == "" {
		l.w.Fatal("the folder did not go away")
	}
	if err := errors.Join(os.RemoveAll(l.w.dir), os.Rename(l.away, l.w.dir)); err != nil {
		l.w.Fatal(err)
	}
}

// TestAFolderThatGoesAwayInTheMiddleOfADeletion checks that files that are recorded as
// deleted are reported as deleted, with those that stayed and the reason.
func TestAFolderThatGoesAwayInTheMiddleOfADeletion(t *testing.T) {
	w := newWorld(t, map[string]string{".gitignore": "*.log\n", "lib/a.txt": "a\n", "lib/sub/b.txt": "b\n",
		"lib/run.log": "log\n", "b.txt": "b\n"})
	l := &leaving{w: w, file: "lib/a.txt"}
	p := w.openWith(app.Options{Listener: l})
	r, err := p.Removal(t.Context(), "lib")
	if err != nil {
		t.Fatal(err)
	}
	done, err := p.Remove(t.Context(), "lib", r.Sum)
	if err != nil || len(done.Edits) != 2 || strings.Join(done.Stayed, " ") != "lib/run.log lib/sub" ||
		!strings.Contains(done.Why, workspace.ErrGone.Error()) {
		t.Errorf("%d edits; stayed %v: %q; %v", len(done.Edits), done.Stayed, done.Why, err)
	}
	if _, err := p.Remove(t.Context(), "b.txt", ""); !errors.Is(err, workspace.ErrGone) {
		t.Errorf("deleted in the other folder: %v", err)
	}
	w.holds(w.dir, "b.txt", "theirs\n")
	if err := p.Close(); err != nil {
		t.Error(err)
	}
	l.back()
	p = w.open()
	want := map[string]string{".gitignore": "*.log\n", "lib/run.log": "log\n", "b.txt": "b\n"}
	if got, have := w.authors(p), w.files(""); got != "user:delete user:delete" || !maps.Equal(have, want) {
		t.Errorf("recorded: %s; on disk: %v", got, have)
	}
	if _, err := p.Revert(t.Context(), app.RevertRequest{IDs: done.Edits}); err != nil ||
		w.disk("lib/a.txt")+w.disk("lib/sub/b.txt") != "a\nb\n" {
		t.Errorf("not brought back: %v", err)
	}
}

// TestAFolderThatGoesAwayInTheMiddleOfARename checks that files that are recorded as
// renamed are reported as renamed, and that the user is notified of those that stayed.
func TestAFolderThatGoesAwayInTheMiddleOfARename(t *testing.T) {
	for name, c := range map[string]struct {
		from, to string
		told     bool
	}{
		"a file":   {"lib/a.txt", "new/a.txt", false},
		"a folder": {"lib", "new", true},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, map[string]string{".gitignore": "*.log\n", "lib/a.txt": "a\n", "lib/run.log": "log\n"})
			l := &leaving{w: w, file: "lib/a.txt"}
			p := w.openWith(app.Options{Listener: l})
			done, err := p.Rename(t.Context(), c.from, c.to)
			if err != nil || len(done.Edits) != 1 {
				t.Errorf("%d edits; %v", len(done.Edits), err)
			}
			if told := strings.Contains(w.told(), workspace.ErrGone.Error()); told != c.told {
				t.Errorf("told: %q", w.told())
			}
			if err := p.Close(); err != nil {
				t.Error(err)
			}
			l.back()
			p = w.open()
			want := map[string]string{".gitignore": "*.log\n", "new/a.txt": "a\n", "lib/run.log": "log\n"}
			if got, have := w.authors(p), w.files(""); got != "user:rename" || !maps.Equal(have, want) {
				t.Errorf("recorded: %s; on disk: %v", got, have)
			}
		})
	}
}
