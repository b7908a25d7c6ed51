package golang

import (
	"bytes"
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
	"waferpair/engine/refactor"
)

// memSource is a project in memory; root is where the go command runs.
type memSource struct {
	root  string
	files map[string][]byte
}

func (s memSource) Files(context.Context) ([]string, error) {
	var out []string
	for f := range s.files {
		out = append(out, f)
	}
	sort.Strings(out)
	return out, nil
}

func (s memSource) Read(p string) ([]byte, error) {
	b, ok := s.files[p]
	if !ok {
		return nil, fs.ErrNotExist
	}
	return b, nil
}

func (s memSource) Root() string { return s.root }

// apply gives the project after the result.
func (s memSource) apply(t testing.TB, res refactor.Result) memSource {
	t.Helper()
	out := memSource{s.root, map[string][]byte{}}
	for f, b := range s.files {
		out.files[f] = b
	}
	for _, e := range res.Edits {
		old, exists := s.files[e.Path]
		if e.Create == exists {
			t.Fatalf("%s: Create is %v, the file exists: %v", e.Path, e.Create, exists)
		}
		at := 0
		for _, c := range e.Changes {
			if int(c.From) < at || c.To < c.From || int(c.To) > len(old) {
				t.Fatalf("%s: bad change %+v", e.Path, c)
			}
			at = int(c.To)
		}
		out.files[e.Path] = applyChanges(old, e.Changes)
	}
	return out
}

func txtarSource(t testing.TB, archive string) memSource {
	s := memSource{t.TempDir(), map[string][]byte{}}
	for _, f := range txtar.Parse([]byte(archive)).Files {
		s.files[f.Name] = f.Data
	}
	if _, ok := s.files["go.mod"]; !ok {
		s.files["go.mod"] = []byte("module example.com/m\n\ngo 1.24\n")
	}
	for _, name := range []string{"go.mod", "go.work"} {
		if b, ok := s.files[name]; ok {
			if err := os.WriteFile(filepath.Join(s.root, name), b, 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	return s
}

// dirSource reads a folder into memory.
func dirSource(t testing.TB, dir string) memSource {
	t.Helper()
	s := memSource{dir, map[string][]byte{}}
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		rel, _ := filepath.Rel(dir, p)
		b, err := os.ReadFile(p)
		s.files[filepath.ToSlash(rel)] = b
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func op(name string, kv ...string) refactor.Op {
	args := map[string]string{}
	for i := 0; i < len(kv); i += 2 {
		args[kv[i]] = kv[i+1]
	}
	return refactor.Op{Name: name, Args: args}
}

func equalFiles(t testing.TB, got, want memSource) {
	t.Helper()
	for f, b := range want.files {
		if !bytes.Equal(got.files[f], b) {
			t.Errorf("%s:\n--- got\n%s--- want\n%s", f, got.files[f], b)
		}
	}
	for f := range got.files {
		if _, ok := want.files[f]; !ok {
			t.Errorf("unexpected file %s", f)
		}
	}
}

func wantDeclined(t testing.TB, err error, part string) {
	t.Helper()
	d, ok := err.(*refactor.Declined)
	if !ok {
		t.Fatalf("error is %v, want a Declined with %q", err, part)
	}
	if !strings.Contains(d.Error(), part) {
		t.Errorf("declined with %q, want %q in it", d.Error(), part)
	}
}

func checkNote(t testing.TB, notes []string, part string) {
	t.Helper()
	if part != "" && !strings.Contains(strings.Join(notes, "\n"), part) {
		t.Errorf("notes %q, want %q", notes, part)
	}
}
