package workspace

import (
	"context"
	"crypto/sha256"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// world is an open folder with its notices and preserved versions.
type world struct {
	*Folder
	t         *testing.T
	journal   *MemoryJournal
	notices   chan Notice
	preserved chan Displaced
}

func open1(t *testing.T, files ...string) *world {
	t.Helper()
	dir := t.TempDir()
	for i := 0; i < len(files); i += 2 {
		put(t, dir, files[i], files[i+1])
	}
	return openAt(t, dir)
}

func openAt(t *testing.T, dir string) *world {
	t.Helper()
	w := &world{t: t, journal: NewMemoryJournal(), notices: make(chan Notice, 10000),
		preserved: make(chan Displaced, 10000)}
	f, err := Open(dir, Options{
		Journal:  w.journal,
		Notify:   func(n Notice) { w.notices <- n },
		Preserve: func(d Displaced) error { w.preserved <- d; return nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	w.Folder = f
	t.Cleanup(func() { _ = f.Close() })
	return w
}

func put(t *testing.T, dir, name, content string) {
	t.Helper()
	full := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(full), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(full, []byte(content), 0o666); err != nil {
		t.Fatal(err)
	}
}

func (w *world) save(writes ...Write) []Saved {
	w.t.Helper()
	saved, err := w.Save(context.Background(), writes)
	if err != nil {
		w.t.Fatal(err)
	}
	return saved
}

func (w *world) cat(name string) string {
	w.t.Helper()
	b, err := os.ReadFile(filepath.Join(w.root, name))
	if err != nil {
		w.t.Fatal(err)
	}
	return string(b)
}

// files lists everything in the folder, temporary files among them.
func (w *world) files() []string {
	var out []string
	_ = filepath.WalkDir(w.root, func(p string, d fs.DirEntry, err error) error {
		if err == nil && p != w.root {
			rel, _ := filepath.Rel(w.root, p)
			out = append(out, rel)
		}
		return nil
	})
	return out
}

func (w *world) tidy() {
	w.t.Helper()
	for _, name := range w.files() {
		if IsTemp(name) {
			w.t.Errorf("temporary file left: %s", name)
		}
	}
	if pending, _ := w.journal.Pending(context.Background()); len(pending) > 0 {
		w.t.Errorf("intents left: %+v", pending)
	}
}

func hashOf(s string) [32]byte { return sha256.Sum256([]byte(s)) }

func update(path, before, after string) Write {
	return Write{Path: path, Op: Update, Before: hashOf(before), Content: []byte(after)}
}

func TestSaveBatch(t *testing.T) {
	w := open1(t, "a.txt", "one", "dir/b.txt", "two", "c.txt", "three", "d.txt", "four")
	saved := w.save(
		Write{Path: "c.txt", Op: Delete, Before: hashOf("three")},
		update("a.txt", "one", "ONE"),
		Write{Path: "new/deep/e.txt", Op: Create, Content: []byte("five")},
		Write{Path: "dir/b.txt", Op: Rename, To: "moved/b.txt", Before: hashOf("two")},
		Write{Path: "d.txt", Op: Rename, To: "moved/d.txt", Before: hashOf("four"), Content: []byte("FOUR")},
	)
	for _, s := range saved {
		if s.State != Written || s.Err != nil {
			t.Errorf("%+v", s)
		}
	}
	if got := strings.Join(w.files(), " "); got != "a.txt dir moved moved/b.txt moved/d.txt new new/deep new/deep/e.txt" {
		t.Errorf("files: %s", got)
	}
	for name, want := range map[string]string{"a.txt": "ONE", "moved/b.txt": "two", "moved/d.txt": "FOUR",
		"new/deep/e.txt": "five"} {
		if got := w.cat(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	w.tidy()
}

func TestStaleWritesNothing(t *testing.T) {
	w := open1(t, "a.txt", "theirs", "b.txt", "b")
	saved, err := w.Save(context.Background(), []Write{update("a.txt", "ours", "new"), update("b.txt", "b", "B"),
		update("gone.txt", "x", "y"), {Path: "b2/x", Op: Create, Content: []byte("x")}, {Path: "a.txt", Op: Create}})
	var stale *StaleError
	if !errors.As(saved[0].Err, &stale) || string(stale.Disk.Bytes) != "theirs" {
		t.Errorf("stale: %v", err)
	}
	if saved[1].State != Written || saved[3].State != Written {
		t.Errorf("the others were not written: %+v", saved)
	}
	if !errors.As(saved[2].Err, &stale) || stale.Disk != nil {
		t.Errorf("missing: %v", saved[2].Err)
	}
	if w.cat("a.txt") != "theirs" {
		t.Error("stale file was overwritten")
	}
	w.tidy()
}

// SaveAll carries out a batch as a whole, without recording it.
func (w *world) SaveAll(ctx context.Context, writes []Write) ([]Saved, error) {
	c := w.Begin()
	defer c.End()
	saved, err := c.Apply(ctx, writes)
	if err == nil {
		c.Commit()
	}
	return saved, err
}

func TestSaveAllIsAllOrNothing(t *testing.T) {
	w := open1(t, "a.txt", "a", "b.txt", "b")
	_, err := w.SaveAll(context.Background(), []Write{update("a.txt", "a", "A"), update("b.txt", "not b", "B"),
		{Path: "n/x", Op: Create}})
	if err == nil || w.cat("a.txt") != "a" || len(w.files()) != 2 {
		t.Errorf("err %v, files %v", err, w.files())
	}
	w.tidy()
}
