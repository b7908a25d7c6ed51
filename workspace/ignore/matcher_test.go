package ignore

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"

	_ "waferpair/build/testseed/rapidseed"
)

// tree writes files: a name that ends in / is a directory.
func tree(t *testing.T, root string, files map[string]string) {
	t.Helper()
	for name, content := range files {
		if strings.HasSuffix(name, "/") {
			if err := os.MkdirAll(filepath.Join(root, name), 0o755); err != nil {
				t.Fatal(err)
			}
			continue
		}
		write(t, filepath.Join(root, name), content)
	}
}

func expect(t *testing.T, m *Matcher, ignored bool, paths ...string) {
	t.Helper()
	for _, p := range paths {
		if rule, got := m.Match(p, strings.HasSuffix(p, "/")); got != ignored {
			t.Errorf("%q: ignored %v, want %v; decided by %+v", p, got, ignored, rule)
		}
	}
}

func TestOwnIgnoreFile(t *testing.T) {
	emptyGitEnv(t)
	root := t.TempDir()
	tree(t, root, map[string]string{
		".gitignore":                "vendor/\n*.gen.go\n",
		".waferpairignore":          "# ours\n!vendor/\nsecret/\n*.bin\n",
		"sub/.waferpairignore":      "!*.bin\n",
		"sub/.gitignore":            "*.bin\nlocal\n",
		"vendor/.waferpairignore":   "inner\n",
		"secret/.waferpairignore":   "!*\n",
		"sub/deep/.waferpairignore": "local\n",
	})
	m := New(root)
	expect(t, m, true, "a.gen.go", "secret/", "secret/x", "a.bin", "sub/local", "vendor/inner", "sub/deep/local", ".git/",
		"sub/.git/config")
	expect(t, m, false, "vendor/", "vendor/x", "sub/a.bin", "a.go", "", ".", ".github/x", "x.git",
		"../outside", "/absolute")
	rule, _ := m.Match("sub/deep/local", false)
	if want := (Rule{"sub/deep/.waferpairignore", 1, "local"}); rule != want {
		t.Errorf("decided by %+v, want %+v", rule, want)
	}
}

func TestPlainFolder(t *testing.T) {
	home := emptyGitEnv(t)
	write(t, filepath.Join(home, "xdg/git/ignore"), "*.swp\n")
	root := t.TempDir()
	tree(t, root, map[string]string{".gitignore": "out/\n", "a/.gitignore": "/b\n"})
	m := New(root)
	expect(t, m, true, "out/", "out/x", "a/b", "x.swp", "a/c/y.swp")
	expect(t, m, false, "out", "a/c/b", "x")
}

// TestConfig: settings come from the same places as git's.
func TestConfig(t *testing.T) {
	for name, config := range map[string]string{
		"plain":       "[core]\n\texcludesFile = ~/mine\n",
		"quoted":      "# c\n[user] name = x\n[CORE]\nexcludesfile = \"~/mi\"ne ; c\n",
		"one line":    "[core] bare = false\n[core \"sub\"] excludesfile = ~/other\n[core] excludesFile=~/mine",
		"continued":   "[core]\n\texcludesFile = ~/\\\nmine\n",
		"included":    "[include]\n\tpath = inc\n",
		"if gitdir":   "[includeIf \"gitdir:**/repo/.git\"]\n\tpath = ~/inc\n",
		"if dir/":     "[includeIf \"gitdir:repo/\"]\n\tpath = inc\n",
		"if not":      "[core]\nexcludesfile=~/mine\n[includeIf \"gitdir:other/\"]\n\tpath = none\n",
		"if branch":   "[includeIf \"onbranch:top*\"]\n\tpath = inc\n",
		"last wins":   "[core]\nexcludesfile = ~/other\nexcludesfile = ~/mine\n",
		"none":        "[core]\nexcludesfile =\n",
		"case folded": "[core]\nignorecase\nexcludesfile = ~/MINE\n",
		"relative":    "[core]\nexcludesfile = rel\n",
	} {
		t.Run(name, func(t *testing.T) {
			home := emptyGitEnv(t)
			tree(t, home, map[string]string{
				".gitconfig": config, "inc": "[core]\nexcludesFile = ~/mine\n", "none": "[core]\nexcludesFile = ~/other\n",
				"mine": "*.mine\nA.c\n", "MINE": "*.mine\nA.c\n", "other": "*.other\n", "xdg/git/ignore": "*.standard\n",
				"repo/": "", "repo/sub/": "", "repo/rel": "*.relative\n",
			})
			root := filepath.Join(home, "repo")
			git(t, root, "init", "-q", "-b", "topic")
			_, ignored := compare(t, root, []string{"a.mine", "a.other", "a.standard", "a.relative", "sub/a.mine", "A.c",
				"a.C", "a.c", "X.MINE"})
			if (ignored > 0) == (name == "none") {
				t.Errorf("%d paths ignored", ignored)
			}
		})
	}
}

// TestWorkTreeAndSubmodule: .git may be a file, and the excludes elsewhere.
func TestWorkTreeAndSubmodule(t *testing.T) {
	home := emptyGitEnv(t)
	main, linked := filepath.Join(home, "main"), filepath.Join(home, "linked")
	tree(t, main, map[string]string{"f": "x", ".gitignore": "*.o\n"})
	git(t, main, "init", "-q")
	git(t, main, "add", ".")
	git(t, main, "-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "x")
	git(t, main, "worktree", "add", "-q", linked)
	git(t, main, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", main, "sub")
	write(t, filepath.Join(main, ".git/info/exclude"), "*.main\n")
	write(t, filepath.Join(main, ".git/modules/sub/info/exclude"), "*.sub\n")
	write(t, filepath.Join(home, "extra"), "*.extra\n")
	git(t, main, "config", "extensions.worktreeConfig", "true")
	git(t, linked, "config", "--worktree", "core.excludesFile", "~/extra")
	paths := []string{"a.o", "a.main", "a.sub", "a.extra", "f"}
	for _, root := range []string{main, linked, filepath.Join(main, "sub")} {
		if _, ignored := compare(t, root, paths); ignored < 2 {
			t.Errorf("%s: only %d paths ignored", root, ignored)
		}
	}
}

// TestBelowTop: the rules above the opened folder count, unless they ignore it.
func TestBelowTop(t *testing.T) {
	emptyGitEnv(t)
	top := t.TempDir()
	git(t, top, "init", "-q")
	tree(t, top, map[string]string{
		".gitignore": "/a/b/*.o\n*.tmp\nbuild/\n", "a/.gitignore": "b/x\n", "a/b/.gitignore": "y\n", "a/b/c/": "",
		".waferpairignore": "own\n", "build/pkg/.gitignore": "z\n", "build/pkg/d/": "",
	})
	root := filepath.Join(top, "a/b")
	m := New(root)
	paths := []string{"1.o", "c/1.o", "1.tmp", "c/1.tmp", "x", "c/x", "y", "c/y", "build", "z"}
	for i, want := range askGit(t, root, paths) {
		got, _ := m.Match(paths[i], false)
		if got.Pattern != want.Pattern || got.Line != want.Line {
			t.Errorf("%s: %+v, git %+v", paths[i], got, want)
		}
	}
	expect(t, m, true, "own", "c/own")

	m = New(filepath.Join(top, "build/pkg")) // ignored, but opened
	expect(t, m, true, "z", "d/z")
	expect(t, m, false, "main.go", "d/1.tmp")
}

// TestNestedRepository: seen from outside, it is a directory like any other.
func TestNestedRepository(t *testing.T) {
	emptyGitEnv(t)
	root := t.TempDir()
	git(t, root, "init", "-q")
	tree(t, root, map[string]string{".gitignore": "*.o\n", "in/.gitignore": "!keep.o\nlocal\n", "in/d/": ""})
	git(t, filepath.Join(root, "in"), "init", "-q")
	write(t, filepath.Join(root, "in/.git/info/exclude"), "hidden\n")
	if _, ignored := compare(t, root, []string{"in", "in/a.o", "in/keep.o", "in/local", "in/d/local",
		"in/hidden", "a.o"}); ignored != 4 {
		t.Errorf("%d paths ignored, want 4", ignored)
	}
}

// TestOddIgnoreFiles: links, directories and pipes are no ignore files; a link is
// followed for the user's own global file.
func TestOddIgnoreFiles(t *testing.T) {
	home := emptyGitEnv(t)
	root := t.TempDir()
	git(t, root, "init", "-q")
	tree(t, root, map[string]string{"rules": "*.linked\n", "a/.gitignore/": "", "b/": "",
		"c/.gitignore": "\xef\xbb\xbf*.bom\r\n\r\n*.crlf\r\n#x\r\n*.end\r"})
	tree(t, home, map[string]string{"xdg/git/": "", "real": "*.global\n"})
	os.Symlink("../rules", filepath.Join(root, "b/.gitignore"))
	os.Symlink(filepath.Join(home, "real"), filepath.Join(home, "xdg/git/ignore"))
	compare(t, root, []string{"b/x.linked", "a/x", "x.global", "c/x.bom", "c/x.crlf", "c/x.end", "c/#x", "c/x"})
}

func TestInvalidate(t *testing.T) {
	emptyGitEnv(t)
	root := t.TempDir()
	tree(t, root, map[string]string{".gitignore": "one\n", "a/b/.gitignore": "deep\n", "a/c/": ""})
	m := New(root)
	expect(t, m, true, "one", "a/b/one", "a/b/deep")
	write(t, filepath.Join(root, "a/b/.gitignore"), "other\n")
	m.Invalidate("a/b/.gitignore")
	expect(t, m, false, "a/b/deep")
	expect(t, m, true, "a/b/other", "a/one")
	write(t, filepath.Join(root, ".gitignore"), "two\na/c/\n")
	m.Invalidate(".gitignore")
	expect(t, m, false, "one", "a/b/one")
	expect(t, m, true, "two", "a/b/two", "a/c/", "a/c/x")
	git(t, root, "init", "-q")
	write(t, filepath.Join(root, ".git/info/exclude"), "three\n")
	m.Invalidate(".git/info/exclude")
	expect(t, m, true, "three", "a/three")
	if err := os.RemoveAll(filepath.Join(root, "a")); err != nil {
		t.Fatal(err)
	}
	m.Invalidate("a")
	expect(t, m, false, "a/b/other")
}

// TestConcurrent matches and invalidates from many goroutines, under the race detector, and
// checks the last answer.
func TestConcurrent(t *testing.T) {
	emptyGitEnv(t)
	root := t.TempDir()
	for i := range 20 {
		write(t, filepath.Join(root, fmt.Sprintf("d%d/.gitignore", i)), fmt.Sprintf("f%d\n", i))
	}
	m := New(root)
	var all sync.WaitGroup
	for g := range 4 {
		all.Go(func() {
			for i := range 2000 {
				d := (i + g) % 20
				if p := fmt.Sprintf("d%d/x/f%d", d, d); !m.Ignored(p, false) {
					t.Errorf("%s is not ignored", p)
					return
				}
				if i%50 == 0 {
					m.Invalidate(fmt.Sprintf("d%d/.gitignore", d))
				}
			}
		})
	}
	all.Wait()
}

// matchPlainly is the definition of a path pattern without brackets and escapes,
// by trying every length for every star.
func matchPlainly(p, s string, start bool) bool {
	if p == "" {
		return s == ""
	}
	if p[0] != '*' {
		ok := s != "" && (p[0] == s[0] || p[0] == '?' && s[0] != '/')
		return ok && matchPlainly(p[1:], s[1:], p[0] == '/')
	}
	stars := len(p) - len(strings.TrimLeft(p, "*"))
	rest := p[stars:]
	deep := stars > 1 && start && (rest == "" || rest[0] == '/')
	if deep && rest != "" && matchPlainly(rest[1:], s, true) {
		return true
	}
	for i := 0; ; i++ {
		if matchPlainly(rest, s[i:], false) {
			return true
		}
		if i == len(s) || s[i] == '/' && !deep {
			return false
		}
	}
}

func TestGlobAgainstDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := rapid.StringMatching(`([ab/?]|\*|\*\*|/\*\*/|\*\*/){0,8}`).Draw(t, "pattern")
		s := rapid.StringMatching(`[ab/]{0,12}`).Draw(t, "path")
		g := compileGlob(p, true, false)
		if got, want := g.match(s), matchPlainly(p, s, true); got != want {
			t.Fatalf("pattern %q, path %q: %v, want %v", p, s, got, want)
		}
	})
}

// TestHostilePattern: stars do not multiply the time.
func TestHostilePattern(t *testing.T) {
	g := compileGlob(strings.Repeat("*a", 60)+"*b", true, false)
	if g.match(strings.Repeat("a", 20000)) {
		t.Error("matched")
	}
	g = compileGlob(strings.Repeat("**/a*/", 20)+"b", true, false)
	if g.match(strings.Repeat("aaaa/", 500)) {
		t.Error("matched")
	}
}

// BenchmarkIgnored asks about 100,000 paths with the rules of a typical project.
func BenchmarkIgnored(b *testing.B) {
	root := b.TempDir()
	var rules strings.Builder
	for i := range 60 {
		fmt.Fprintf(&rules, "name%d\n/dir%d/out\n*.ext%d\nsub/**/gen%d_*.go\n", i, i, i, i)
	}
	os.WriteFile(filepath.Join(root, ".gitignore"), []byte(rules.String()), 0o644)
	var paths []string
	for i := range 100000 {
		dir := fmt.Sprintf("pkg%d/sub/d%d", i/1000, i/10)
		os.MkdirAll(filepath.Join(root, dir), 0o755)
		paths = append(paths, fmt.Sprintf("%s/file%d.go", dir, i))
	}
	b.Run("cold", func(b *testing.B) {
		for b.Loop() {
			m := New(root)
			for _, p := range paths {
				m.Ignored(p, false)
			}
		}
	})
	b.Run("warm", func(b *testing.B) {
		m := New(root)
		for b.Loop() {
			for _, p := range paths {
				m.Ignored(p, false)
			}
		}
	})
}
