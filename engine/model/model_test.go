package model

import (
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
		{"a/**", "a/b/c.go", true}, {"a/**", "b/a/c.go", false}, {"a/**/z.go", "a/z.go", true},
		{"a/**/z.go", "a/b/c/z.go", true}, {".", "x", true}, {"./a", "a/x", true}, {"a b", "b/x", true},
		{"[ab].go", "b.go", true},
	} {
		if got := (Fence{strings.Fields(c.globs)}).Allows(c.file); got != c.want {
			t.Errorf("%q allows %s: %v", c.globs, c.file, got)
		}
	}
	if CheckGlob("[") == nil || CheckGlob("a/**/*.go") != nil {
		t.Error("CheckGlob")
	}
}

// TestPriceOf checks that cached tokens are counted at their own price only.
func TestPriceOf(t *testing.T) {
	p := Price{Input: 2, Cached: 0.5, Output: 8}
	if got := p.Of(Usage{Input: 3e6, Cached: 1e6, Output: 5e5}); got != 2*2+0.5+4 {
		t.Errorf("$%v", got)
	}
}
