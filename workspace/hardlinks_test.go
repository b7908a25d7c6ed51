package workspace

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestHardLinksOutOfTheProjectAreNotWrittenThrough(t *testing.T) {
	outside := filepath.Join(t.TempDir(), "outside.txt")
	must(t, os.WriteFile(outside, []byte("theirs"), 0o644))
	for name, other := range map[string]string{"outside": outside, "in .git": ".git/config",
		"in a .git below": "sub/.git/config"} {
		t.Run(name, func(t *testing.T) {
			w := open1(t, ".git/config", "theirs", "sub/.git/config", "theirs", "ok", "ok")
			if !filepath.IsAbs(other) {
				other = filepath.Join(w.Root(), other)
			}
			must(t, os.Link(other, filepath.Join(w.Root(), "a")))
			for range 2 { // the result is cached
				_, err := w.Save(context.Background(), []Write{update("a", "theirs", "ours")})
				if !errors.Is(err, errLinkedOutside) ||
					!strings.Contains(err.Error(), "1 of its 2 names are outside of the project or in .git") {
					t.Errorf("written: %v", err)
				}
			}
			if b, err := os.ReadFile(other); err != nil || string(b) != "theirs" {
				t.Errorf("%q %v", b, err)
			}
			must(t, os.Remove(other))
			if _, err := w.Save(context.Background(), []Write{update("a", "theirs", "ours")}); err != nil {
				t.Errorf("the only name is left: %v", err)
			}
			must(t, os.WriteFile(outside, []byte("theirs"), 0o644))
		})
	}
}

func TestHardLinksInTheProjectStayTogether(t *testing.T) {
	w := open1(t, "a", "0", "d/x", "x")
	must(t, os.Link(filepath.Join(w.Root(), "a"), filepath.Join(w.Root(), "d/b")))
	save := func(from, to string) error {
		_, err := w.Save(context.Background(), []Write{update("a", from, to)})
		return err
	}
	must(t, save("0", "1"))
	must(t, save("1", "2"))
	if f, err := w.Read(context.Background(), "d/b"); err != nil || string(f.Bytes) != "2" {
		t.Errorf("%q %v", f.Bytes, err)
	}
	must(t, os.Rename(filepath.Join(w.Root(), "d/b"), filepath.Join(t.TempDir(), "b")))
	if err := save("2", "3"); !errors.Is(err, errLinkedOutside) {
		t.Errorf("a name that left the project: %v", err)
	}
}

// TestManyHardLinks: one search of the folder is enough for all of them, and its result is
// checked again before it is used.
func TestManyHardLinks(t *testing.T) {
	w := open1(t, "a", "a", "b", "b", "c", "c")
	for _, name := range []string{"a", "b", "c"} {
		must(t, os.Link(filepath.Join(w.Root(), name), filepath.Join(w.Root(), name+"2")))
	}
	outside := filepath.Join(t.TempDir(), "c")
	_, err := w.Save(context.Background(), []Write{update("a", "a", "A")})
	must(t, err)
	if len(w.links.all) != 3 {
		t.Errorf("%d of 3 files are known", len(w.links.all))
	}
	_, err = w.Save(context.Background(), []Write{update("b", "b", "B")})
	must(t, err)
	must(t, os.Rename(filepath.Join(w.Root(), "c2"), outside))
	if _, err = w.Save(context.Background(), []Write{update("c", "c", "C")}); !errors.Is(err, errLinkedOutside) ||
		!strings.Contains(err.Error(), "1 of its 2 names") {
		t.Errorf("a name that left since the look: %v", err)
	}
	if b, err := os.ReadFile(outside); err != nil || string(b) != "c" {
		t.Errorf("%q %v", b, err)
	}
}
