package server_test

import (
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"waferpair/app/server"
)

func TestFilesOfTheTree(t *testing.T) {
	w := newWorld(t, map[string]string{"src/a.txt": "one\n", "src/deep/b.txt": "two\n", "src/logo.bin": "\x00\x01",
		".gitignore": "*.log\n", "src/run.log": "noise\n"})
	s := w.serve()
	a, b := dial(t, s), dial(t, s)

	a.must("create", map[string]any{"path": "new/c.txt", "dir": false}, nil)
	if w.disk("new/c.txt") != "" {
		t.Error("the new file is not empty")
	}
	a.must("create", map[string]any{"path": "empty/folder", "dir": true}, nil)
	if st, err := os.Stat(filepath.Join(w.dir, "empty/folder")); err != nil || !st.IsDir() {
		t.Error("there is no new folder")
	}

	b.open("src/a.txt")
	b.typeAt("src/a.txt", at(0, "typed "))
	b.settle("src/a.txt")
	a.must("rename", map[string]any{"path": "src", "to": "lib"}, nil)
	b.wait("the open file has its new name", func() bool { return b.docs["lib/a.txt"] != nil })
	b.typeAt("lib/a.txt", at(0, "still "))
	b.settle("lib/a.txt")
	b.must("save", map[string]any{"path": "lib/a.txt"}, nil)
	w.onDisk("lib/a.txt", "still typed one\n")
	for name, want := range map[string]string{"lib/deep/b.txt": "two\n", "lib/logo.bin": "\x00\x01",
		"lib/run.log": "noise\n"} {
		if got := w.disk(name); got != want {
			t.Errorf("%s holds %q", name, got)
		}
	}
	if _, err := os.Stat(filepath.Join(w.dir, "src")); !os.IsNotExist(err) {
		t.Errorf("the old folder is there: %v", err)
	}

	var found server.Removal
	must(t, get(t, s, "removal", url.Values{"path": {"lib"}}, &found))
	if found.Kept != 2 || found.Total != 2 || found.Lost[0].Path != "lib/logo.bin" || found.Lost[1].Path != "lib/run.log" {
		t.Errorf("%+v", found)
	}
	if f := a.call("remove", map[string]any{"path": "lib", "sum": ""}, nil); f == nil || f.Code != "stale" {
		t.Errorf("deleted unseen: %+v", f)
	}
	a.must("remove", map[string]any{"path": "lib", "sum": found.Sum}, nil)
	if _, err := os.Stat(filepath.Join(w.dir, "lib")); !os.IsNotExist(err) {
		t.Errorf("the folder is there: %v", err)
	}
	b.wait("the open file is missing", func() bool { return b.docs["lib/a.txt"].kind == "missing" })
	var tl server.Timeline
	if f := get(t, s, "timeline", nil, &tl); f != nil {
		t.Fatal(f)
	}
	var deletes []int64
	for i, id := range tl.IDs {
		if strings.HasPrefix(tl.PathNames[tl.Paths[i]], "lib/") && int64(id) > int64(tl.Head)-2 {
			deletes = append(deletes, int64(id))
		}
	}
	a.must("revert", map[string]any{"edits": deletes}, nil)
	w.onDisk("lib/a.txt", "still typed one\n")
	w.onDisk("lib/deep/b.txt", "two\n")
}

func TestFilesThatCannotBeMade(t *testing.T) {
	w := newWorld(t, map[string]string{"a.txt": "one\n", "b.txt": "two\n", "d/x.txt": "x\n"})
	s := w.serve()
	a := dial(t, s)
	outside := t.TempDir()
	if err := os.Symlink(outside, filepath.Join(w.dir, "out")); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		cmd  string
		args map[string]any
		code server.FailureCode
	}{
		{"create", map[string]any{"path": "a.txt"}, "usage"},
		{"create", map[string]any{"path": "d", "dir": true}, "usage"},
		{"create", map[string]any{"path": "../up.txt"}, "usage"},
		{"create", map[string]any{"path": "/etc/up.txt"}, "usage"},
		{"create", map[string]any{"path": ""}, ""},
		{"create", map[string]any{"path": "out/x.txt"}, ""},
		{"create", map[string]any{"path": "out/x", "dir": true}, ""},
		{"create", map[string]any{"path": "a\x00b"}, "usage"},
		{"rename", map[string]any{"path": "a.txt", "to": "b.txt"}, "usage"},
		{"rename", map[string]any{"path": "missing.txt", "to": "c.txt"}, "gone"},
		{"rename", map[string]any{"path": "d", "to": "d/e"}, ""},
		{"rename", map[string]any{"path": "a.txt", "to": "../c.txt"}, "usage"},
		{"rename", map[string]any{"path": "a.txt", "to": "out/c.txt"}, ""},
		{"rename", map[string]any{"path": "a.txt", "to": ".env"}, ""},
		{"rename", map[string]any{"path": ".", "to": "c"}, ""},
		{"remove", map[string]any{"path": "missing.txt"}, "gone"},
		{"remove", map[string]any{"path": "."}, ""},
		{"remove", map[string]any{"path": ".."}, "usage"},
		{"remove", map[string]any{"path": "out/../../project"}, "usage"},
	} {
		f := a.call(c.cmd, c.args, nil)
		if f == nil || c.code != "" && f.Code != c.code {
			t.Errorf("%s %v: %+v, want %s", c.cmd, c.args, f, c.code)
		}
	}
	if left, err := os.ReadDir(outside); err != nil || len(left) > 0 {
		t.Errorf("outside of the project: %v %v", left, err)
	}
	var found server.Removal
	must(t, get(t, s, "removal", url.Values{"path": {"out"}}, &found))
	a.must("remove", map[string]any{"path": "out", "sum": found.Sum}, nil) // the link, not what it leads to
	if _, err := os.Stat(outside); err != nil {
		t.Error(err)
	}
	if w.disk("a.txt") != "one\n" || w.disk("d/x.txt") != "x\n" {
		t.Error("files changed")
	}
}

func TestAMissingFileIsCreatedByTyping(t *testing.T) {
	w := newWorld(t, nil)
	a := dial(t, w.serve())
	a.open("notes.md")
	a.look(func() {
		if a.docs["notes.md"].kind != "missing" {
			t.Errorf("it is %s", a.docs["notes.md"].kind)
		}
	})
	a.typeAt("notes.md", at(0, "# Notes\n"))
	a.settle("notes.md")
	a.wait("it is a text file now", func() bool { return a.docs["notes.md"].kind == "text" })
	a.must("save", map[string]any{"path": "notes.md"}, nil)
	w.onDisk("notes.md", "# Notes\n")
}

func TestFilesThatAreNotTypedIn(t *testing.T) {
	w := newWorld(t, map[string]string{"logo.bin": "\x00\x01\x02", "fixed.txt": "fixed\n"})
	if err := os.Chmod(filepath.Join(w.dir, "fixed.txt"), 0o444); err != nil {
		t.Fatal(err)
	}
	a := dial(t, w.serve())
	for name, kind := range map[string]string{"logo.bin": "binary", "fixed.txt": "text"} {
		a.open(name)
		if d := a.docs[name]; d.kind != kind || d.why == "" {
			t.Errorf("%s: %s, %q", name, d.kind, d.why)
		}
	}
	if err := os.WriteFile(filepath.Join(w.dir, "turns.txt"), []byte("text\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	a.open("turns.txt")
	if err := os.WriteFile(filepath.Join(w.dir, "turns.txt"), []byte("bin\x00ary"), 0o644); err != nil {
		t.Fatal(err)
	}
	a.wait("it is binary now", func() bool { return a.docs["turns.txt"].kind == "binary" })
}
