package workspace

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestPath(t *testing.T) {
	w := open1(t)
	long := strings.Repeat("n", 255)
	good := map[string]string{
		"a.txt": "a.txt", "./a//b/": "a/b", "a/./b": "a/b", `back\slash`: `back\slash`, ".gitignore": ".gitignore",
		".github/x": ".github/x", "git": "git", ".git-x": ".git-x", "x.git": "x.git", "git~x": "git~x", long: long,
		"..a/b..": "..a/b..", "a b\n\t": "a b\n\t", "\xff\xfe": "\xff\xfe", "C:/x": "C:/x", "~/x": "~/x",
		w.root + "/sub/f": "sub/f", w.root + "//f": "f",
	}
	for in, want := range good {
		if got, err := w.Path(in); err != nil || got != want {
			t.Errorf("Path(%q) = %q, %v", in, got, err)
		}
	}
	for _, in := range refusedPaths(w.root) {
		got, err := w.Path(in)
		if !errors.As(err, new(*PathError)) {
			t.Errorf("Path(%q) = %q, %v", in, got, err)
		}
	}
}

// refusedPaths are names that no write may reach.
func refusedPaths(root string) []string {
	out := []string{
		"", strings.Repeat("a/", 2048), ".", "./", "/", "..", "../x", "a/../../x", "a/..", "a/../b", "/etc/passwd", root,
		root + "/", root + "x/f", root + "/../x", filepath.Dir(root) + "/x", "a\x00b", strings.Repeat("n", 256),
		"a/" + strings.Repeat("é", 128),
	}
	for _, git := range []string{
		".git", ".GIT", ".Git", ".gIt", "git~1", "GIT~1", "git~2", ".git.", ".git ", ".git. .", ".git::$INDEX_ALLOCATION",
		".git:x", ".GIT::$DATA", ".g\u200cit", "\u200d.git", ".git\ufeff", ".g\u206fit", ".\u202egit", `.git\hooks`,
		`x\.git\hooks`, "git~1.", "GIT~1 ", ".giT...",
	} {
		out = append(out, git, git+"/hooks/pre-commit", "sub/"+git, "sub/"+git+"/config", "./"+git+"/x", root+"/"+git+"/x")
	}
	return out
}

// TestNothingOutsideIsWritten sends every refused path, and paths through
// hostile links, through every operation.
func TestNothingOutsideIsWritten(t *testing.T) {
	top := t.TempDir()
	root := filepath.Join(top, "project")
	put(t, top, "secret", "secret")
	put(t, root, ".git/config", "config")
	put(t, root, ".git/hooks/pre-commit.sample", "sample")
	put(t, root, "f", "f")
	for link, target := range map[string]string{
		"out": "..", "abs": top, "etc": "/etc", "hooks": ".git/hooks", "conf": ".git/config", "deep": "hooks",
		"secret": "../secret", "abssecret": filepath.Join(top, "secret"), "self": "self", "up": "sub/../../secret",
		"absgit": filepath.Join(root, ".git"), "dangling": "../new", "a": "b", "b": "a",
	} {
		must(t, os.Symlink(target, filepath.Join(root, link)))
	}
	paths := append(refusedPaths(root), "out/secret", "out/new", "abs/new", "etc/passwd", "hooks/pre-commit",
		"conf", "deep/x", "secret", "abssecret", "self", "self/x", "up", "absgit/config", "absgit/hooks/x",
		"dangling", "a", "a/b")
	w := openAt(t, root)
	before := snapshot(t, top)
	for _, p := range paths {
		for _, write := range []Write{
			{Path: p, Op: Create, Content: []byte("evil")},
			update(p, "secret", "evil"), update(p, "config", "evil"),
			{Path: p, Op: Delete, Before: hashOf("secret")}, {Path: p, Op: Delete, Before: hashOf("config")},
			{Path: "f", Op: Rename, To: p, Before: hashOf("f")},
			{Path: "f", Op: Rename, To: p, Before: hashOf("f"), Content: []byte("evil")},
			{Path: p, Op: Rename, To: "g", Before: hashOf("config")},
		} {
			if saved, err := w.Save(context.Background(), []Write{write}); err == nil {
				t.Errorf("%v %q -> %q was accepted: %+v", write.Op, write.Path, write.To, saved)
			}
		}
		if _, err := w.Read(context.Background(), p); err == nil {
			t.Errorf("read %q", p)
		}
	}
	if after := snapshot(t, top); after != before {
		t.Errorf("changed:\n%s\nwas:\n%s", after, before)
	}
}

// snapshot is everything below dir: names, kinds, contents, modes, mtimes.
func snapshot(t *testing.T, dir string) string {
	var out strings.Builder
	err := filepath.Walk(dir, func(p string, info os.FileInfo, err error) error {
		if err != nil {
			return err
		}
		out.WriteString(p + " " + info.Mode().String())
		if info.Mode().IsRegular() {
			b, err := os.ReadFile(p)
			if err != nil {
				return err
			}
			out.WriteString(" " + info.ModTime().String() + " " + string(b))
		} else if info.Mode()&os.ModeSymlink != 0 {
			target, _ := os.Readlink(p)
			out.WriteString(" -> " + target)
		}
		out.WriteByte('\n')
		return nil
	})
	must(t, err)
	return out.String()
}

// TestPathAnswersAreClean: for any input, an accepted path is relative and clean, stays so,
// and has no refused component.
func TestPathAnswersAreClean(t *testing.T) {
	w := open1(t)
	part := rapid.OneOf(rapid.SampledFrom([]string{"", ".", "..", ".git", ".GIT ", "a", "b\\c", "git~1", w.root, "\x00"}),
		rapid.StringN(0, 6, 300))
	rapid.Check(t, func(t *rapid.T) {
		in := strings.Join(rapid.SliceOfN(part, 0, 5).Draw(t, "parts"), "/")
		out, err := w.Path(in)
		if err != nil {
			return
		}
		if again, err := w.Path(out); err != nil || again != out {
			t.Fatalf("%q -> %q -> %q, %v", in, out, again, err)
		}
		if !filepath.IsLocal(out) || filepath.Clean(out) != out {
			t.Fatalf("%q -> %q", in, out)
		}
	})
}

// TestResolveFastAgreesWithWalk compares the one-call resolution with the walk.
func TestResolveFastAgreesWithWalk(t *testing.T) {
	w := open1(t, "a/b/c.txt", "x", "d.txt", "x")
	must(t, os.Symlink("a/b", filepath.Join(w.root, "l")))
	for _, p := range []string{"a", "a/b", "a/b/c.txt", "d.txt", "new", "a/new", "a/b/new", "d.txt/x",
		"none/x", "l/c.txt", "l"} {
		for _, how := range []resolveFlags{0, follow} {
			fast, ok := w.resolveFast(p, how)
			slow, err := (&walker{f: w.Folder, how: how, pending: split(p)}).run()
			if ok && (err != nil || fast.path() != slow.path()) {
				t.Errorf("%s: fast %q, walk %q, %v", p, fast.path(), slow.path(), err)
			}
			if !ok && err == nil && !strings.HasPrefix(p, "l") {
				t.Errorf("%s: the walk finds %q, the fast way nothing", p, slow.path())
			}
		}
	}
}

func TestLinksInside(t *testing.T) {
	w := open1(t, "real/f.txt", "one")
	for link, target := range map[string]string{"l.txt": "real/f.txt", "dir": "real", "real/up": "../dir/f.txt",
		"abs": filepath.Join(w.root, "real/f.txt"), "chain": "l.txt"} {
		must(t, os.Symlink(target, filepath.Join(w.root, link)))
	}
	before := "one"
	for i, p := range []string{"l.txt", "dir/f.txt", "real/up", "abs", "chain", "dir/up"} {
		after := before + string(rune('0'+i))
		w.save(update(p, before, after))
		if got := w.cat("real/f.txt"); got != after {
			t.Errorf("%s: %q, want %q", p, got, after)
		}
		before = after
		if f, err := w.Read(context.Background(), p); err != nil || f.Real != "real/f.txt" || f.Path != p ||
			string(f.Bytes) != after {
			t.Errorf("read %s: %+v, %v", p, f, err)
		}
	}
	for _, link := range []string{"l.txt", "dir", "real/up", "abs", "chain"} {
		if e, err := w.Stat(link); err != nil || e.Kind != Symlink {
			t.Errorf("%s is no link any more: %v %v", link, e.Kind, err)
		}
	}
	w.tidy()
}

func TestOpenRefuses(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, "file", "x")
	put(t, dir, "repo/.git/config", "x")
	put(t, dir, "home/x", "x")
	t.Setenv("HOME", filepath.Join(dir, "home"))
	must(t, os.Symlink("home", filepath.Join(dir, "homelink")))
	for path, says := range map[string]string{
		"/": "root of the filesystem", filepath.Join(dir, "none"): "create the folder",
		filepath.Join(dir, "file"): "name the folder", filepath.Join(dir, "home"): "home folder",
		filepath.Join(dir, "homelink"): "home folder", filepath.Join(dir, "repo/.git"): "inside a .git",
	} {
		f, err := Open(path, Options{})
		if err == nil {
			_ = f.Close()
		}
		if err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("open %s: %v", path, err)
		}
	}
}

func FuzzDotGit(f *testing.F) {
	for _, s := range []string{".git", "git~1", ".gi\u200ct", "x"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		// Decorations that filesystems ignore never make a refused name acceptable.
		if isDotGit(s) != isDotGit(s+". ") && !strings.ContainsAny(s, `:\`) {
			t.Errorf("%q", s)
		}
		if isDotGit(s) && !isDotGit(strings.ToUpper(s)) && strings.ToLower(strings.ToUpper(s)) == s {
			t.Errorf("%q", s)
		}
	})
}

// TestInSettings checks the names under which file systems find the settings folder.
func TestInSettings(t *testing.T) {
	for path, want := range map[string]bool{
		".waferpair": true, ".waferpair/a": true, "sub/.WaferPair/a": true, ".waferpair./a": true, "WAFERP~1/a": true,
		".wafer\u200cpair/a": true, ".waferpair::$INDEX_ALLOCATION/a": true, `.waferpair\a`: true,
		".waferpairignore": false, "waferpair/a": false, "waferp~x": false, "a.waferpair": false,
	} {
		if got := InSettings(path); got != want {
			t.Errorf("%s: %t", path, got)
		}
	}
}
