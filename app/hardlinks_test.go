package app_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"waferpair/app"
	"waferpair/engine"
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

func TestTheDeletionOfAFileThatMayNotBeWrittenIsTakenBack(t *testing.T) {
	for name, seal := range map[string]func(path string) error{
		"hard link": func(path string) error { return os.Link(path, filepath.Join(t.TempDir(), "other")) },
		"read-only": func(path string) error { return os.Chmod(path, 0o444) },
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, map[string]string{"a.txt": "one\n"})
			if err := seal(filepath.Join(w.dir, "a.txt")); err != nil {
				t.Fatal(err)
			}
			p := w.open()
			if f := w.show(p, "a.txt"); f.Why == "" {
				t.Fatal("it may be typed in")
			}
			gone, err := p.Remove(t.Context(), "a.txt", "")
			if err != nil || len(gone.Edits) != 1 {
				t.Fatalf("%+v %v", gone, err)
			}
			if _, err := p.Revert(t.Context(), app.RevertRequest{IDs: gone.Edits}); err != nil {
				t.Error(err)
			}
			if got := w.disk("a.txt"); got != "one\n" {
				t.Errorf("it is %q", got)
			}
		})
	}
}

// TestAFileThatMayBeWrittenAgainIs checks that permissions that changed since a file was
// opened count at once, even without a notification.
func TestAFileThatMayBeWrittenAgainIs(t *testing.T) {
	w := newWorld(t, map[string]string{"a.txt": "one\n"})
	name := filepath.Join(w.dir, "a.txt")
	w.ok(os.Chmod(name, 0o444))
	p := w.open() // it does not watch
	w.show(p, "a.txt")
	if o := w.run(p, w.script(patch("*** Update File: a.txt\n-one\n+two\n"))); o.Status == engine.Completed {
		t.Errorf("a read-only file is edited: %+v", o)
	}
	w.ok(os.Chmod(name, 0o644))
	if o := w.run(p, w.script(patch("*** Update File: a.txt\n-one\n+two\n"))); o.Status != engine.Completed {
		t.Errorf("a file that may be written again is not edited: %+v", o)
	}
	w.is(w.disk("a.txt"), "two\n")
}
