package ignore

import (
	"bytes"
	"fmt"
	"go/build"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"waferpair/build/testseed"
)

// askGit returns git's answer for each path: the rule in the form of Match.
func askGit(t *testing.T, root string, paths []string) []Rule {
	t.Helper()
	var in bytes.Buffer
	for _, p := range paths {
		in.WriteString("./" + p + "\x00") // ./ because a leading : means something to git
	}
	cmd := exec.Command("git", "check-ignore", "--no-index", "-z", "--stdin", "-v", "-n")
	cmd.Dir = root
	cmd.Stdin = &in
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if exit, ok := err.(*exec.ExitError); err != nil && (!ok || exit.ExitCode() != 1) {
		t.Fatalf("git check-ignore: %v\n%s", err, errs.String())
	}
	fields := strings.Split(string(out), "\x00")
	if len(fields) != 4*len(paths)+1 {
		t.Fatalf("git check-ignore: %d fields for %d paths\n%s", len(fields), len(paths), errs.String())
	}
	rules := make([]Rule, len(paths))
	for i := range paths {
		f := fields[4*i : 4*i+4]
		line, _ := strconv.Atoi(f[1])
		rules[i] = Rule{Source: f[0], Line: line, Pattern: f[2]}
	}
	return rules
}

// compare compares Match with git for every path and returns the number of disagreements.
func compare(t *testing.T, root string, paths []string) (wrong, ignored int) {
	t.Helper()
	m := New(root)
	for i, want := range askGit(t, root, paths) {
		info, err := os.Lstat(filepath.Join(root, paths[i]))
		got, isIgnored := m.Match(paths[i], err == nil && info.IsDir())
		wantIgnored := want.Pattern != "" && want.Pattern[0] != '!'
		if isIgnored {
			ignored++
		}
		if relativeSource(root, got) != relativeSource(root, want) || isIgnored != wantIgnored {
			wrong++
			if wrong <= 10 {
				t.Errorf("%q in %s:\n got %#v %v\ngit %#v", paths[i], root, got, isIgnored, want)
			}
		}
	}
	return wrong, ignored
}

// relativeSource makes sources comparable: git may print them absolute.
func relativeSource(root string, r Rule) Rule {
	if filepath.IsAbs(r.Source) {
		r.Source, _ = filepath.Rel(root, r.Source)
	}
	return r
}

// emptyGitEnv isolates a test from the computer's own git configuration.
func emptyGitEnv(t *testing.T) (home string) {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("no git to compare with")
	}
	home = t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("XDG_CONFIG_HOME", filepath.Join(home, "xdg"))
	t.Setenv("GIT_CONFIG_NOSYSTEM", "1")
	for _, name := range []string{"GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"} {
		t.Setenv(name, "")
		os.Unsetenv(name)
	}
	return home
}

// memoryDir is a temporary directory, in memory where possible: many thousands of
// files are made in it.
func memoryDir(t *testing.T) string {
	dir, err := os.MkdirTemp("/dev/shm", "ignore-test-")
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

func git(t *testing.T, dir string, args ...string) {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
}

func write(t *testing.T, file, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestAgainstGit builds random repositories from hostile names and rules and expects git's
// answer for every path in them, with the same source, line and pattern.
func TestAgainstGit(t *testing.T) {
	repos, paths, ignored, wrong := 8, 0, 0, 0
	if os.Getenv("WAFERPAIR_LONG") != "" {
		repos *= 20
	}
	seed := testseed.New(t)
	for i := range repos {
		g := newGenerator(t, seed+uint64(i))
		all := g.repository()
		w, n := compare(t, g.root, all)
		if w > 0 {
			t.Errorf("reproduce with WAFERPAIR_SEED=%d\n%s", seed+uint64(i), g.describe())
		}
		paths, ignored, wrong = paths+len(all), ignored+n, wrong+w
		os.RemoveAll(g.root)
		if wrong > 0 {
			break
		}
	}
	t.Logf("%d paths, %d ignored, %d disagreements", paths, ignored, wrong)
	if wrong == 0 && (ignored < paths/20 || ignored > paths*19/20) {
		t.Errorf("%d of %d paths ignored: the generator tests too little", ignored, paths)
	}
}

type generator struct {
	t     *testing.T
	r     *rand.Rand
	root  string
	home  string
	paths []string // everything in the tree
	files []string // ignore files and their content, for messages
}

func newGenerator(t *testing.T, seed uint64) *generator {
	home := emptyGitEnv(t)
	return &generator{t: t, r: rand.New(rand.NewPCG(seed, 1)), home: home, root: memoryDir(t)}
}

var pieces = []string{
	"a", "b", "c", "A", "B", "foo", "bar", "Foo", "x1", "9", ".", "-", "_", "~", "+",
	" ", "  ", "\t", "\r", "\n", "\v", "\x7f", "\x01", "!", "#", "*", "**", "?", "[", "]", "[a", "\\", "\\a", "^", ":",
	"{", "}", ",", "$", "'", `"`, "é", "É", "日", "\xff", "\xc3", ".o", ".go", ".txt", "[!", "|",
}

func (g *generator) pick(from []string) string { return from[g.r.IntN(len(from))] }

func (g *generator) name() string {
	plain := []string{"a", "b", "foo", "bar", "Foo", "a.o", "b.go", "foo.txt", "build", "src"}
	if g.r.IntN(2) == 0 {
		return g.pick(plain)
	}
	for {
		s := ""
		for range 1 + g.r.IntN(4) {
			s += g.pick(pieces)
		}
		if s != "." && s != ".." && !strings.EqualFold(s, ".git") {
			return s
		}
	}
}

// repository creates the repository and returns the paths to test: all that exist, and some
// that do not.
func (g *generator) repository() []string {
	git(g.t, g.root, "init", "-q")
	g.tree("", 4)
	if g.r.IntN(3) == 0 {
		git(g.t, g.root, "config", "core.ignorecase", "true")
	}
	g.ignoreFiles()
	asked := slices.Clone(g.paths)
	for range 60 {
		p := g.name()
		for g.r.IntN(2) == 0 {
			p += "/" + g.name()
		}
		if in := g.pick(g.paths); g.r.IntN(2) == 0 && g.isDir(in) {
			p = in + "/" + p
		}
		if g.passable(p) {
			asked = append(asked, p)
		}
	}
	return asked
}

func (g *generator) isDir(p string) bool {
	info, err := os.Lstat(filepath.Join(g.root, p))
	return err == nil && info.IsDir()
}

// passable is false behind a link, where git refuses to answer.
func (g *generator) passable(p string) bool {
	for ; p != "."; p = filepath.Dir(p) {
		if info, err := os.Lstat(filepath.Join(g.root, p)); err == nil && info.Mode()&fs.ModeSymlink != 0 {
			return false
		}
	}
	return true
}

func (g *generator) tree(dir string, depth int) {
	for range 4 + g.r.IntN(9) {
		p := filepath.ToSlash(filepath.Join(dir, g.name()))
		full := filepath.Join(g.root, p)
		if _, err := os.Lstat(full); err == nil {
			continue
		}
		g.paths = append(g.paths, p)
		switch kind := g.r.IntN(10); {
		case kind == 0:
			if err := os.Symlink(g.pick([]string{".", "nowhere", ".."}), full); err != nil {
				g.t.Fatal(err)
			}
		case kind < 6 && depth > 0:
			if err := os.Mkdir(full, 0o755); err != nil {
				g.t.Fatal(err)
			}
			g.tree(p, depth-1)
		default:
			write(g.t, full, "")
		}
	}
}

func (g *generator) ignoreFiles() {
	g.put(g.root, ".gitignore", "")
	for _, p := range g.paths {
		if g.isDir(p) && g.r.IntN(4) == 0 {
			g.put(g.root, p+"/.gitignore", p)
		}
	}
	if g.r.IntN(2) == 0 {
		g.put(g.root, ".git/info/exclude", "")
	}
	switch g.r.IntN(4) {
	case 0:
		g.put(g.home, "xdg/git/ignore", "")
	case 1:
		g.put(g.home, "excludes", "")
		write(g.t, filepath.Join(g.home, ".gitconfig"), "[core]\n\texcludesFile = ~/excludes\n")
	}
}

func (g *generator) put(base, file, dir string) {
	var b strings.Builder
	if g.r.IntN(10) == 0 {
		b.WriteString("\ufeff")
	}
	end := g.pick([]string{"\n", "\n", "\n", "\r\n"})
	for range g.r.IntN(9) {
		b.WriteString(g.rule(dir) + end)
	}
	if g.r.IntN(3) == 0 {
		b.WriteString(g.rule(dir))
	}
	write(g.t, filepath.Join(base, file), b.String())
	g.files = append(g.files, fmt.Sprintf("%s: %q", file, b.String()))
}

// rule usually derives a rule from a path that exists below dir, so that it may match.
func (g *generator) rule(dir string) string {
	s := g.name()
	for range 20 {
		p, below := strings.CutPrefix(g.pick(g.paths), dir+"/")
		if dir == "" || below {
			s = p
			break
		}
	}
	parts := strings.Split(s, "/")
	if g.r.IntN(3) == 0 {
		parts = parts[len(parts)-1:]
	}
	for i := range parts {
		parts[i] = g.blur(parts[i])
	}
	s = strings.Join(parts, g.pick([]string{"/", "/", "/", "/**/", "/*/", "**/", "/**", "*", `\/`, "//"}))
	wrap := func(n int, with string) string {
		if g.r.IntN(n) == 0 {
			return with
		}
		return ""
	}
	s = wrap(4, "/") + s
	s = wrap(10, "**/") + s
	s += wrap(10, "/**") + wrap(15, "/*") + wrap(5, "/") + wrap(12, " ") + wrap(15, "  ") + wrap(15, `\ `) +
		wrap(30, `\`) + wrap(30, "\t") + wrap(60, "\x00z")
	s = wrap(5, "!") + s
	return wrap(50, "#") + s
}

// blur turns a name into a pattern that is likely to match it.
func (g *generator) blur(name string) string {
	var b strings.Builder
	for i := 0; i < len(name); i++ {
		c := name[i : i+1]
		switch g.r.IntN(14) {
		case 0:
			b.WriteString(g.pick([]string{"*", "*", "**", "***", "*?"}))
			i += g.r.IntN(3)
		case 1:
			b.WriteString("?")
		case 2:
			b.WriteString(`\` + c)
		case 3:
			b.WriteString(g.bracket(c))
		case 4:
			if g.r.IntN(3) == 0 {
				b.WriteString(g.pick(pieces))
			}
		default:
			if strings.Contains(special, c) && g.r.IntN(2) == 0 {
				b.WriteString(`\`)
			}
			b.WriteString(c)
		}
	}
	return b.String()
}

func (g *generator) bracket(c string) string {
	var class []string
	for name := range classes {
		class = append(class, name)
	}
	slices.Sort(class)
	parts := []string{
		c, c, "a-z", "A-Z", "0-9", "!", "^", "]", "-", `\]`, `\-`, `\` + c, "a-", "z-a", "+--", "[", "[:", ":]", "/", ".-b",
		`a-\z`, "\xc0-\xff", "[:" + g.pick(class) + ":]", "[:" + g.pick(class) + ":]", "[:nosuch:]", "[:Alpha:]", "[:]",
	}
	s := "["
	for range 1 + g.r.IntN(3) {
		s += g.pick(parts)
	}
	if g.r.IntN(15) == 0 {
		return s
	}
	return s + "]"
}

func (g *generator) describe() string { return strings.Join(g.files, "\n") }

// TestRealTrees tests every path of real projects, with everyday rules.
func TestRealTrees(t *testing.T) {
	home := emptyGitEnv(t)
	write(t, filepath.Join(home, "xdg/git/ignore"), "*.swp\n.DS_Store\ntestdata/\n!go/**/testdata/\n")
	src := filepath.Join(build.Default.GOROOT, "src")
	rules := "*.s\n!/runtime/*.s\ninternal/\n!/internal/\n/internal/*/\n!/internal/abi/\ncrypto/**/*_test.go\n/net/http/**\n!/net/http/*.go\nz*_[a-l]*.go\n**/doc.go\n"
	root := memoryDir(t)
	git(t, root, "init", "-q")
	write(t, filepath.Join(root, ".gitignore"), rules)
	var paths []string
	err := filepath.WalkDir(src, func(p string, d fs.DirEntry, err error) error {
		rel, _ := filepath.Rel(src, p)
		if err != nil || rel == "." {
			return err
		}
		paths = append(paths, filepath.ToSlash(rel))
		if d.IsDir() {
			return os.Mkdir(filepath.Join(root, rel), 0o755)
		}
		return os.WriteFile(filepath.Join(root, rel), nil, 0o644)
	})
	if err != nil {
		t.Fatal(err)
	}
	wrong, ignored := compare(t, root, paths)
	t.Logf("%d paths, %d ignored, %d disagreements", len(paths), ignored, wrong)
	if ignored == 0 || ignored == len(paths) {
		t.Error("the rules tell nothing apart")
	}
}
