package history

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// eventful creates a history with every kind of edit.
func eventful(t testing.TB, s *Store) {
	baseline(t, s, map[string]string{"a.go": "one\ntwo\nthree\n", "d/b \"q\".go": "b\r\nc", "bin": "\x00\xff\x00"})
	do(t, s, Model, replace(t, s, "a.go", "two", "TWO"), replace(t, s, "d/b \"q\".go", "c", "see\n"))
	do(t, s, User, NewEdit{Path: "new.txt", Kind: Create, Content: []byte("no newline at the end"), Mode: 0o755})
	do(t, s, User, replace(t, s, "new.txt", "end", "End"))
	do(t, s, User, NewEdit{Path: "new.txt", Kind: Rename, To: "d/renamed.txt"})
	do(t, s, Outside, NewEdit{Path: "bin", Kind: Blob, Content: []byte{0, 1, 2, 0xfe}})
	do(t, s, Outside, NewEdit{Path: "link", Kind: Symlink, Content: []byte("a.go")})
	do(t, s, User, NewEdit{Path: "a.go", Kind: Mode, Mode: 0o755})
	do(t, s, User, replace(t, s, "d/renamed.txt", "no", "with no"))
	do(t, s, User, NewEdit{Path: "d/b \"q\".go", Kind: Delete})
}

func git(t testing.TB, dir string, args ...string) string {
	t.Helper()
	c := exec.Command("git", args...)
	c.Dir = dir
	c.Env = append(os.Environ(), "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null",
		"GIT_AUTHOR_NAME=t", "GIT_AUTHOR_EMAIL=t@t", "GIT_COMMITTER_NAME=t", "GIT_COMMITTER_EMAIL=t@t")
	out, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("git %v: %v: %s", args, err, out)
	}
	return string(out)
}

// sameTree compares a folder with the newest state of the history.
func sameTree(t testing.TB, s *Store, dir string) {
	t.Helper()
	files := must[[]PathState](t)(s.Paths(context.Background(), Newest))
	for _, f := range files {
		v := must[Version](t)(s.Head(context.Background(), f.Path))
		path := filepath.Join(dir, f.Path)
		if f.Mode&os.ModeSymlink != 0 {
			want(t, must[string](t)(os.Readlink(path)), string(v.Bytes))
			continue
		}
		want(t, string(must[[]byte](t)(os.ReadFile(path))), string(v.Bytes))
		if fi := must[os.FileInfo](t)(os.Stat(path)); (fi.Mode()&0o100 != 0) != (f.Mode&0o100 != 0) {
			t.Errorf("%s has mode %v, want %v", f.Path, fi.Mode(), f.Mode)
		}
	}
	n := 0
	filepath.WalkDir(dir, func(p string, d os.DirEntry, err error) error {
		if d.IsDir() && d.Name() == ".git" {
			return filepath.SkipDir
		}
		if !d.IsDir() {
			n++
		}
		return err
	})
	if n != len(files) {
		t.Errorf("%d files, want %d", n, len(files))
	}
}

func TestExportGitBundle(t *testing.T) {
	s := newStore(t)
	eventful(t, s)
	dir := t.TempDir()
	if err := s.ExportGitBundle(context.Background(), filepath.Join(dir, "h.bundle")); err != nil {
		t.Fatal(err)
	}
	git(t, dir, "clone", "-q", "h.bundle", "clone")
	sameTree(t, s, filepath.Join(dir, "clone"))
	log := git(t, filepath.Join(dir, "clone"), "log", "--format=%an", "--reverse")
	want(t, log, "outside\nmodel\nuser\nuser\nuser\noutside\noutside\nuser\nuser\nuser\n")
}

func TestExportPatchesApply(t *testing.T) {
	s := newStore(t)
	eventful(t, s)
	var mbox bytes.Buffer
	if err := s.ExportPatches(context.Background(), &mbox); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	git(t, dir, "init", "-q")
	for _, f := range must[[]PathState](t)(s.Paths(context.Background(), 0)) {
		v := must[Version](t)(s.At(context.Background(), 0, f.Path))
		os.MkdirAll(filepath.Dir(filepath.Join(dir, f.Path)), 0o755)
		if err := os.WriteFile(filepath.Join(dir, f.Path), v.Bytes, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	git(t, dir, "add", ".")
	git(t, dir, "commit", "-qm", "baseline")
	file := filepath.Join(t.TempDir(), "series.mbox")
	if err := os.WriteFile(file, mbox.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	git(t, dir, "am", "-q", "--keep-cr", file)
	sameTree(t, s, dir)
}

func TestExportJSONLines(t *testing.T) {
	s := newStore(t)
	eventful(t, s)
	var out bytes.Buffer
	if err := s.Export(context.Background(), &out); err != nil {
		t.Fatal(err)
	}
	count := map[string]int{}
	for d := json.NewDecoder(&out); d.More(); {
		var line map[string]any
		if err := d.Decode(&line); err != nil {
			t.Fatal(err)
		}
		count[line["type"].(string)]++
	}
	if count["edit"] != 10 || count["baseline"] != 3 || count["branch"] != 1 {
		t.Fatal(count)
	}
}

func TestCheckIsCleanOnAnEventfulHistory(t *testing.T) {
	s := newStore(t)
	eventful(t, s)
	r := must[Report](t)(s.Check(context.Background(), nil))
	if !r.OK() || r.Edits != 10 || r.Files != 3 {
		t.Fatalf("%+v", r)
	}
}
