package cli

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func TestTheProjectAroundAFolder(t *testing.T) {
	home := t.TempDir()
	at := func(path string) string { return filepath.Join(home, path) }
	for _, dir := range []string{"git/.git", "git/sub/deep", "git/sub/used/x", "plain/a", "used/a/b", ".git"} {
		if err := os.MkdirAll(at(dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(at("plain/a/.git"), []byte("gitdir: elsewhere\n"), 0o644); err != nil { // as in a worktree
		t.Fatal(err)
	}
	list := []string{at("used"), at("git/sub/used"), home}
	opened := func(dir string) bool { return slices.Contains(list, dir) }
	for here, want := range map[string]string{
		"git":            "git",
		"git/sub/deep":   "git",
		"git/sub/used/x": "git/sub/used",
		"plain":          "",
		"plain/a":        "plain/a",
		"used/a/b":       "used",
		"":               "", // home itself, although it has a .git and was opened
	} {
		if want != "" {
			want = at(want)
		}
		if got := projectAround(at(here), home, opened); got != want {
			t.Errorf("%q: %q, want %q", here, got, want)
		}
	}
	if got := projectAround("/", home, opened); got != "" {
		t.Errorf("/: %q", got)
	}
}
