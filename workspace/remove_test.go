package workspace

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func (w *world) tree(name string) []Entry {
	w.t.Helper()
	all, err := w.Tree(context.Background(), name)
	must(w.t, err)
	return all
}

func TestTreeFindsRepositories(t *testing.T) {
	w := open1(t, "a/b/c.txt", "c", "a/d.txt", "d", "ok/x.txt", "x")
	for _, repo := range []string{"a/b/.git", "a/.GIT", "a/b/git~1"} {
		put(t, w.Root(), repo, "gitdir: elsewhere")
		if _, err := w.Tree(context.Background(), "a"); !errors.Is(err, ErrRepository) ||
			!strings.Contains(err.Error(), repo) {
			t.Errorf("%s: %v", repo, err)
		}
		must(t, os.Remove(filepath.Join(w.Root(), repo)))
	}
	for _, name := range []string{"a/b/HEAD", "a/b/objects/.keep", "a/b/refs/heads/main"} {
		put(t, w.Root(), name, "")
	}
	for _, name := range []string{"a", "a/b"} {
		if _, err := w.Tree(context.Background(), name); !errors.Is(err, ErrRepository) ||
			!strings.Contains(err.Error(), "a/b") {
			t.Errorf("%s with a bare repository: %v", name, err)
		}
	}
	for _, name := range []string{"HEAD", "objects", "refs"} {
		must(t, os.RemoveAll(filepath.Join(w.Root(), "a/b", name)))
	}
	var got []string
	for _, e := range w.tree("a") {
		got = append(got, e.Path)
	}
	if strings.Join(got, " ") != "a a/b a/b/c.txt a/d.txt" {
		t.Error(got)
	}
}

func TestDiscardTakesOnlyWhatWasSeen(t *testing.T) {
	w := open1(t, "d/same", "same", "d/other", "other", "d/gone", "gone", "d/open", "open")
	must(t, os.Symlink("same", filepath.Join(w.Root(), "d/link")))
	seen := w.tree("d")[1:]
	put(t, w.Root(), "d/other", "other now")
	must(t, os.Remove(filepath.Join(w.Root(), "d/gone")))
	writer, err := os.OpenFile(filepath.Join(w.Root(), "d/open"), os.O_WRONLY, 0)
	must(t, err)
	defer writer.Close()
	stayed, err := w.Discard(context.Background(), seen)
	if err != nil || strings.Join(stayed, " ") != "d/open d/other" {
		t.Errorf("stayed %v: %v", stayed, err)
	}
	names, err := os.ReadDir(filepath.Join(w.Root(), "d"))
	if err != nil || len(names) != 2 {
		t.Errorf("left: %v %v", names, err)
	}
	must(t, w.RemoveDirs([]string{"d"}))
	if _, err := w.Stat("d/other"); err != nil {
		t.Error(err)
	}
	if in, _ := w.journal.Pending(context.Background()); len(in) > 0 {
		t.Errorf("pending: %v", in)
	}
}

// TestDiscardIsRecovered: a deletion that a crash interrupts has not happened: the file
// that was moved aside gets its name back or, if something else has it, is kept and
// reported.
func TestDiscardIsRecovered(t *testing.T) {
	for _, taken := range []bool{false, true} {
		w := open1(t, "d/one", "one", "d/two", "two")
		seen := w.tree("d")[1:]
		ask, n := w.sys.leaseRead, 0
		w.sys.leaseRead = func(fd int) writers {
			if n++; n == 2 {
				panic(crash{})
			}
			return ask(fd)
		}
		crashing(func() { _, _ = w.Discard(context.Background(), seen) })
		if _, err := w.Stat("d/two"); err == nil {
			t.Fatal("it was not moved aside")
		}
		if taken {
			put(t, w.Root(), "d/two", "another")
		}
		again, err := Open(w.Root(), Options{Journal: w.journal, Notify: func(n Notice) { w.notices <- n }})
		must(t, err)
		report, err := again.Recover(context.Background(), nil)
		must(t, err)
		f, err := again.Read(context.Background(), "d/two")
		must(t, err)
		pending, _ := w.journal.Pending(context.Background())
		switch {
		case !taken && (string(f.Bytes) != "two" || len(pending) > 0):
			t.Errorf("%q, pending %v, %+v", f.Bytes, pending, report)
		case taken && (string(f.Bytes) != "another" || len(pending) != 1 || len(w.notices) == 0):
			t.Errorf("%q, pending %v, %+v", f.Bytes, pending, report)
		case taken:
			kept := pending[0].Writes[1].Temp
			if b, err := os.ReadFile(filepath.Join(w.Root(), kept)); err != nil || string(b) != "two" {
				t.Errorf("%s: %q %v", kept, b, err)
			}
		}
		must(t, again.Close())
	}
}
