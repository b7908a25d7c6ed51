package app_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestAHardLinkIntoGitIsNotEdited(t *testing.T) {
	w := newWorld(t, map[string]string{".git/config": "[core]\n", "a.txt": "one\n"})
	if err := os.Link(filepath.Join(w.dir, ".git/config"), filepath.Join(w.dir, "notes.txt")); err != nil {
		t.Fatal(err)
	}
	p := w.open()
	if f := w.show(p, "notes.txt"); !strings.Contains(f.Why, "hard link") || !strings.Contains(f.Why, ".git") {
		t.Errorf("it may be typed in: %q", f.Why)
	}
	out := w.run(p, w.script(patch("*** Update File: notes.txt\n-[core]\n+[evil]\n")))
	if w.disk(".git/config") != "[core]\n" || out.Status == "done" {
		t.Errorf("%q %s", w.disk(".git/config"), out.Status)
	}
	if got := w.authors(p); got != "" {
		t.Errorf("recorded: %s", got)
	}
}
