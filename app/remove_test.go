package app_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"waferpair/app"
	"waferpair/history"
	"waferpair/workspace"
)

func TestAGitRepositoryIsNeverDeletedOrMoved(t *testing.T) {
	for name, repo := range map[string]string{
		"below":          "lib/deep/sub/.git/config",
		"itself":         "lib/.git/config",
		"a worktree":     "lib/tree/.git",
		"another case":   "lib/tree/.GIT/config",
		"an ignored one": "lib/build/x/.git/config",
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, map[string]string{"lib/a.txt": "a\n", repo: "[core]\n", ".gitignore": "build\n"})
			p := w.open()
			_, looked := p.Removal(t.Context(), "lib")
			_, deleted := p.Remove(t.Context(), "lib", "")
			_, renamed := p.Rename(t.Context(), "lib", "other")
			for what, err := range map[string]error{"look": looked, "delete": deleted, "rename": renamed} {
				if !errors.Is(err, workspace.ErrRepository) || !strings.Contains(err.Error(), filepath.Dir(repo)) &&
					!strings.Contains(err.Error(), repo) {
					t.Errorf("%s: %v", what, err)
				}
			}
			if got := w.disk(repo) + w.disk("lib/a.txt") + w.authors(p); got != "[core]\na\n" {
				t.Errorf("left: %q", got)
			}
		})
	}
}

func TestWhatCannotBeBroughtBackIsAskedFor(t *testing.T) {
	key := "AKIAQYLPMN5HHHFPZAM2"
	w := newWorld(t, map[string]string{".gitignore": "*.log\n", "lib/a.txt": "a\n", "lib/deep/b.txt": "b\n",
		"lib/logo.bin": "\x00\x01", "lib/run.log": "noise\n", "lib/.env": "A=1\n", "lib/key.txt": "key = " + key + "\n"})
	if err := errors.Join(os.Symlink("a.txt", filepath.Join(w.dir, "lib/link")),
		os.Truncate(filepath.Join(w.dir, "lib/run.log"), 20<<20)); err != nil {
		t.Fatal(err)
	}
	p := w.open()
	r, err := p.Removal(t.Context(), "lib")
	if err != nil {
		t.Fatal(err)
	}
	var lost []string
	for _, l := range r.Lost {
		if l.Why == "" {
			t.Errorf("%s: nothing says why", l.Path)
		}
		lost = append(lost, l.Path)
	}
	if got := strings.Join(lost, " "); got != "lib/.env lib/key.txt lib/link lib/logo.bin lib/run.log" ||
		r.Kept != 2 || !r.Dir {
		t.Errorf("lost %s, kept %d", got, r.Kept)
	}
	all := w.files("lib")
	refused := func(sum string) {
		t.Helper()
		if _, err := p.Remove(t.Context(), "lib", sum); !errors.Is(err, app.ErrUnseen) {
			t.Errorf("deleted unseen: %v", err)
		}
		if now := w.files("lib"); !maps.Equal(all, now) || w.authors(p) != "" {
			t.Errorf("left: %v; recorded %s", slices.Sorted(maps.Keys(now)), w.authors(p))
		}
	}
	refused("")
	refused("0123")
	w.write("lib/logo.bin", "\x00\x02\x03")
	all = w.files("lib")
	refused(r.Sum) // for other files than are there now
	if r, err = p.Removal(t.Context(), "lib"); err != nil {
		t.Fatal(err)
	}
	done, err := p.Remove(t.Context(), "lib", r.Sum)
	if _, gone := os.Lstat(filepath.Join(w.dir, "lib")); err != nil || len(done.Stayed) > 0 ||
		!errors.Is(gone, fs.ErrNotExist) {
		t.Errorf("%+v %v %v", done, err, gone)
	}
	if _, err := p.Revert(t.Context(), app.RevertRequest{IDs: done.Edits}); err != nil ||
		w.disk("lib/a.txt")+w.disk("lib/deep/b.txt") != "a\nb\n" {
		t.Errorf("not brought back: %v", err)
	}
}

// files returns the contents of the files below a path.
func (w *world) files(name string) map[string]string {
	w.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(filepath.Join(w.dir, name), func(path string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			b, _ := os.ReadFile(path)
			rel, _ := filepath.Rel(w.dir, path)
			out[rel] = string(b)
		}
		return nil
	})
	if err != nil {
		w.Fatal(err)
	}
	return out
}

func TestReadOnlyFilesAreDeletedWithTheirFolder(t *testing.T) {
	w := newWorld(t, map[string]string{"lib/a.txt": "a\n", "lib/fixed.txt": "fixed\n"})
	if err := os.Chmod(filepath.Join(w.dir, "lib/fixed.txt"), 0o444); err != nil {
		t.Fatal(err)
	}
	p := w.open()
	if done, err := p.Remove(t.Context(), "lib", ""); err != nil || len(done.Stayed) > 0 || len(w.files("")) > 0 {
		t.Errorf("%+v %v: %v", done, err, w.files(""))
	}
	if got := w.authors(p); got != "user:delete outside:delete" {
		t.Errorf("recorded: %s", got)
	}
}

// TestDeletingWhileAnotherProgramWrites checks that everything that the other program
// created or changed since the deletion began is on disk or in the history.
func TestDeletingWhileAnotherProgramWrites(t *testing.T) {
	w := newWorld(t, map[string]string{".gitignore": "*.log\n"})
	p := w.open()
	if err := p.Watch(t.Context()); err != nil {
		t.Fatal(err)
	}
	stayed, rounds := 0, 2
	if os.Getenv("WAFERPAIR_LONG") != "" {
		rounds = 20
	}
	for round := range rounds {
		o := &otherWriter{w: w, rand: rand.New(rand.NewPCG(8, uint64(round))), now: map[string]string{}}
		w.write("lib/0/a.txt", "the first to go\n")
		for i := range 60 {
			w.write(fmt.Sprintf("lib/%d/f%d.txt", i%7, i), fmt.Sprintf("was %d in %d\n", i, round))
			if i%5 == 0 {
				w.write(fmt.Sprintf("lib/%d/f%d.log", i%7, i), fmt.Sprintf("log %d in %d\n", i, round))
			}
		}
		w.until(func() bool { v, err := p.History().Head(t.Context(), "lib/3/f59.txt"); return err == nil && v.Exists })
		r, err := p.Removal(t.Context(), "lib")
		if err != nil {
			t.Fatal(err)
		}
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan struct{})
		begun := make(chan struct{})
		go func() { defer close(ended); o.write(ctx, begun) }()
		<-begun
		done, err := p.Remove(t.Context(), "lib", r.Sum)
		stop()
		<-ended
		if err != nil && !errors.Is(err, app.ErrUnseen) {
			t.Errorf("round %d: %v", round, err)
		}
		stayed += len(done.Stayed)
		if err := p.Settle(t.Context()); err != nil {
			t.Error(err)
		}
		have := w.files("")
		for name, body := range o.now {
			if have[name] != body && !w.inHistory(p, name, body) {
				t.Errorf("round %d: %s with %q is lost; on disk is %q", round, name, body, have[name])
			}
		}
		if err := os.RemoveAll(filepath.Join(w.dir, "lib")); err != nil {
			t.Fatal(err)
		}
	}
	if stayed == 0 {
		t.Error("the other program never wrote while something was deleted")
	}
	t.Logf("%d files stayed", stayed)
}

// otherWriter creates, rewrites and renames files without a pause.
type otherWriter struct {
	w    *world
	rand *rand.Rand
	now  map[string]string // what it wrote since it started
}

func (o *otherWriter) write(ctx context.Context, begun chan struct{}) {
	for n := 0; ctx.Err() == nil; n++ {
		_, err := os.Stat(filepath.Join(o.w.dir, "lib/0/a.txt"))
		deleting := err != nil // before that, an ignored file would change what the user has to confirm
		name := fmt.Sprintf("lib/%d/f%d.txt", o.rand.IntN(7), o.rand.IntN(60))
		if o.rand.IntN(3) == 0 {
			name = fmt.Sprintf("lib/%d/new%d.%s", o.rand.IntN(9), n%40,
				map[bool]string{true: "log", false: "txt"}[deleting && n%2 == 0])
		}
		path := filepath.Join(o.w.dir, name)
		body := fmt.Sprintf("version %d of %s\n", n, name)
		switch o.rand.IntN(4) {
		case 0: // like an editor's save
			if os.WriteFile(path+".tmp~", []byte(body), 0o644) == nil && os.Rename(path+".tmp~", path) == nil {
				o.now[name] = body
			}
		case 1: // a renamed file
			to := fmt.Sprintf("lib/%d/moved%d.txt", o.rand.IntN(7), n%20)
			if old, ok := o.now[name]; ok && os.Rename(path, filepath.Join(o.w.dir, to)) == nil {
				delete(o.now, name)
				delete(o.now, to)
				if b, _ := os.ReadFile(filepath.Join(o.w.dir, to)); string(b) == old {
					o.now[to] = old
				}
			}
		default:
			_ = os.MkdirAll(filepath.Dir(path), 0o755)
			if os.WriteFile(path, []byte(body), 0o644) == nil {
				o.now[name] = body
			}
		}
		if n == 20 {
			close(begun)
		}
	}
}

// inHistory reports whether some version of a file has this content.
func (w *world) inHistory(p *app.Project, name, body string) bool {
	edits, err := p.History().List(w.Context(), history.Filter{Path: name})
	if err != nil {
		w.Error(err)
	}
	for _, e := range edits {
		for _, at := range []history.EditID{e.ID, e.ID - 1} { // the first version may have come without an edit
			if v, err := p.History().At(w.Context(), at, name); err == nil && string(v.Bytes) == body {
				return true
			}
		}
	}
	return false
}

// deleter deletes the folder lib, and prints a line when it begins. It is killed.
func deleter(dir, data string) {
	ctx := context.Background()
	p, err := app.Open(ctx, dir, app.Options{DataHome: data})
	if err == nil {
		var r app.Removal
		if r, err = p.Removal(ctx, "lib"); err == nil {
			fmt.Println("begins")
			_, err = p.Remove(ctx, "lib", r.Sum)
		}
	}
	fmt.Println("ended", err)
	os.Exit(0)
}

// TestKillWhileDeleting checks that after a kill each file is in its place or, if the
// history has it, in the history, and that no file stays under a temporary name.
func TestKillWhileDeleting(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 4))
	cut := 0
	for range kills {
		files := map[string]string{".gitignore": "*.log\n", "stays.txt": "stays\n"}
		for i := range 150 {
			files[fmt.Sprintf("lib/%d/f%d.txt", i%5, i)] = fmt.Sprintf("text %d\n", i)
			files[fmt.Sprintf("lib/%d/f%d.log", i%5, i)] = fmt.Sprintf("log %d\n", i)
		}
		w := newWorld(t, files)
		w.open().Close()
		w.runDeleter(time.Duration(rnd.IntN(120)) * time.Millisecond)
		left := len(w.files("lib"))
		p := w.open()
		have := w.files("")
		if n := len(w.files("lib")); left > 0 && n > 0 && n < 300 {
			cut++
		}
		for name, body := range files {
			if have[name] != body && !strings.HasSuffix(name, ".log") && !w.inHistory(p, name, body) {
				t.Errorf("%s is lost; it holds %q", name, have[name])
			}
			if strings.HasSuffix(name, ".log") && have[name] != body && have[name] != "" {
				t.Errorf("%s is torn: %q", name, have[name])
			}
		}
		for name := range have {
			if _, ours := files[name]; !ours {
				t.Errorf("%s is left", name)
			}
		}
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	}
	t.Logf("%d of %d were cut short", cut, kills)
}

func (w *world) runDeleter(after time.Duration) {
	w.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "WAFERPAIR_DELETES="+w.dir, "WAFERPAIR_TYPIST_DATA="+w.data)
	out, err := cmd.StdoutPipe()
	if err != nil {
		w.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		w.Fatal(err)
	}
	said := bufio.NewScanner(out)
	for said.Scan() && said.Text() != "begins" {
	}
	time.Sleep(after) // the moment of the kill
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
}
