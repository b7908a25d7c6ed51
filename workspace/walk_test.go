package workspace

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// plainWalk is the slow, obvious version of Walk.
func plainWalk(t *testing.T, root string) []string {
	var out []string
	err := filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(root, p)
		if rel == "." {
			return nil
		}
		if isDotGit(d.Name()) || IsTemp(rel) {
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		out = append(out, filepath.ToSlash(rel))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func walked(t *testing.T, f *Folder) []string {
	t.Helper()
	var out []string
	if err := f.Walk(context.Background(), func(e Entry) error { out = append(out, e.Path); return nil }); err != nil {
		t.Fatal(err)
	}
	return out
}

func goSources(t testing.TB) string {
	out, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Join(strings.TrimSpace(string(out)), "src")
}

// TestWalkGoRoot walks Go's own sources, which have every shape of tree.
func TestWalkGoRoot(t *testing.T) {
	f, err := Open(goSources(t), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	start := time.Now()
	got := walked(t, f)
	t.Logf("%d entries in %v", len(got), time.Since(start))
	if want := plainWalk(t, f.Root()); !slices.Equal(got, want) {
		t.Errorf("%d entries, want %d", len(got), len(want))
	}
}

func TestWalkStrange(t *testing.T) {
	w := open1(t, "a/b/c.txt", "c", ".git/config", "x", "a/.git", "gitdir: ../x", "a/b/.GIT/x", "x",
		".gitignore", "x", "ignored/deep/x", "x", "a/"+newTemp(), "x", "z", "z")
	w.opt.Ignored = func(p string, dir bool) bool { return p == "ignored" && dir }
	must(t, unix.Mkfifo(filepath.Join(w.root, "fifo"), 0o600))
	must(t, os.Symlink("a", filepath.Join(w.root, "link")))
	must(t, os.Symlink("..", filepath.Join(w.root, "a/loop")))
	kinds := map[string]Kind{}
	must(t, w.Walk(context.Background(), func(e Entry) error { kinds[e.Path] = e.Kind; return nil }))
	want := map[string]Kind{".gitignore": Regular, "a": Directory, "a/b": Directory, "a/b/c.txt": Regular,
		"a/loop": Symlink, "fifo": Special, "link": Symlink, "z": Regular}
	if fmt.Sprint(kinds) != fmt.Sprint(want) {
		t.Errorf("got  %v\nwant %v", kinds, want)
	}
	stop := errors.New("stop")
	n := 0
	if err := w.Walk(context.Background(), func(e Entry) error { n++; return stop }); err != stop || n != 1 {
		t.Errorf("stopped by %v after %d", err, n)
	}
	var skipped []string
	must(t, w.Walk(context.Background(), func(e Entry) error {
		skipped = append(skipped, e.Path)
		if e.Path == "a" {
			return fs.SkipDir
		}
		return nil
	}))
	if strings.Join(skipped, " ") != ".gitignore a fifo link z" {
		t.Errorf("SkipDir: %v", skipped)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestWalkVanishedRoot(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "p")
	put(t, dir, "a", "a")
	w := openAt(t, dir)
	must(t, os.Rename(dir, dir+"2"))
	err := w.Walk(context.Background(), func(Entry) error { return nil })
	if !errors.Is(err, ErrGone) {
		t.Errorf("moved root: %v", err)
	}
	must(t, os.Mkdir(dir, 0o777))
	if err := w.CheckRoot(); !errors.Is(err, ErrGone) {
		t.Errorf("replaced root: %v", err)
	}
	must(t, os.RemoveAll(dir+"2"))
	if err := w.CheckRoot(); !errors.Is(err, ErrGone) {
		t.Errorf("deleted root: %v", err)
	}
}

func TestRenew(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "p")
	put(t, dir, "a", "a")
	w := openAt(t, dir)
	must(t, os.RemoveAll(dir))
	was, err := w.Identity()
	must(t, err)
	if err := w.Renew(was); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("there is no folder: %v", err)
	}
	put(t, dir, "b", "b")
	if err := w.Renew(was); !errors.Is(err, ErrGone) {
		t.Errorf("another folder was taken for the one that was: %v", err)
	}
	now, err := w.CurrentIdentity()
	must(t, err)
	if again, ok := ParseIdentity(now.String()); !ok || again != now {
		t.Errorf("%v was read as %v", now, again)
	}
	must(t, w.Renew(now))
	must(t, w.CheckRoot())
	if f, err := w.Read(context.Background(), "b"); err != nil || string(f.Bytes) != "b" {
		t.Errorf("%q %v", f.Bytes, err)
	}
	must(t, w.Close())
	if err := w.Renew(now); err == nil {
		t.Error("a closed folder was opened again")
	}
}

func BenchmarkWalk(b *testing.B) {
	f, err := Open(goSources(b), Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	for b.Loop() {
		n := 0
		if err := f.Walk(context.Background(), func(Entry) error { n++; return nil }); err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(n), "entries")
	}
}
