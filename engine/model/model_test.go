package model

import (
	"context"
	"strings"
	"testing"
)

func TestFence(t *testing.T) {
	for _, c := range []struct {
		globs string
		file  string
		want  bool
	}{
		{"", "a/b.go", true}, {"a", "a/b.go", true}, {"a/", "a/b/c.go", true}, {"a", "ab/c.go", false},
		{"*.go", "b.go", true}, {"*.go", "a/b.go", false}, {"**/*.go", "b.go", true}, {"**/*.go", "a/b/c.go", true},
		{"a/**", "a/b/c.go", true}, {"a/**", "b/a/c.go", false}, {"a/**/z.go", "a/z.go", true}, {"a/**/z.go", "a/b/c/z.go", true},
		{".", "x", true}, {"./a", "a/x", true}, {"a b", "b/x", true}, {"[ab].go", "b.go", true},
	} {
		if got := (Fence{strings.Fields(c.globs)}).Allows(c.file); got != c.want {
			t.Errorf("%q allows %s: %v", c.globs, c.file, got)
		}
	}
	if CheckGlob("[") == nil || CheckGlob("a/**/*.go") != nil {
		t.Error("CheckGlob")
	}
}

type named struct{ name string }

func (n named) Info() Info { return Info{Name: n.name} }
func (named) Generate(context.Context, Prompt, func(Delta) error) (Result, error) {
	return Result{}, nil
}

// TestRegistry: by name, by prefix, the first by default; a name that is unknown
// is told what there is.
func TestRegistry(t *testing.T) {
	r := NewRegistry([]Model{named{"a"}, named{"b"}}, Opener{Prefix: "file:", Open: func(rest string) (Model, error) { return named{"of " + rest}, nil }})
	for name, want := range map[string]string{"": "a", "a": "a", "b": "b", "file:b": "of b"} {
		if m, err := r.Open(name); err != nil || m.Info().Name != want {
			t.Errorf("%q: %v, %v", name, m, err)
		}
	}
	for _, name := range []string{"c", "file:", "file", "a "} {
		if _, err := r.Open(name); err == nil || !strings.Contains(err.Error(), "a, b, file:FILE") {
			t.Errorf("%q: %v", name, err)
		}
	}
	if got := strings.Join(r.Names(), " "); got != "a b file:" {
		t.Error(got)
	}
}
