package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"waferpair/app/owner"
	"waferpair/history"
)

// user is somebody at a shell, with a home, a data folder and a project.
type user struct {
	t    *testing.T
	dir  string
	env  []string
	prog string
}

func newUser(t *testing.T) *user {
	t.Helper()
	prog, err := exec.LookPath("waferpair")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	u := &user{t: t, dir: dir, prog: prog, env: []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir,
		"XDG_DATA_HOME=" + dir + "/data", "GIT_CONFIG_NOSYSTEM=1", "GOCACHE=" + goCache(t), "GOPROXY=off", "GOFLAGS=-mod=mod",
		"GOTOOLCHAIN=local", "TZ=UTC", "GORACE=" + raceOptions()}}
	u.write("p/go.mod", "module example.com/p\n\ngo 1.21\n")
	u.write("p/foo.go", "package p\n\nfunc foo() int { return 1 }\n\nfunc Bar() int { return foo() }\n")
	u.write("p/a.txt", "1\n2\n3\n")
	u.write("one.patch",
		"*** Begin Patch\n*** Update File: a.txt\n@@\n-1\n+ONE\n*** Add File: new.txt\n+new\n*** End Patch\n")
	u.write("twice.patch", "*** Begin Patch\n*** Update File: a.txt\n@@\n-nowhere\n+ONE\n*** End Patch\n")
	u.write("answer.jsonl", `{"text":"Done.\n*** Begin Patch\n*** Update File: a.txt\n@@\n-3\n+THREE\n*** End Patch\n"}`+
		"\n")
	return u
}

func (u *user) write(name, text string) {
	u.t.Helper()
	name = filepath.Join(u.dir, name)
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		u.t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		u.t.Fatal(err)
	}
}

// command returns a command that runs waferpair in the user's folder.
func (u *user) command(args ...string) *exec.Cmd {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	u.t.Cleanup(cancel)
	c := exec.CommandContext(ctx, u.prog, args...)
	c.Dir, c.Env = u.dir, u.env
	return c
}

// run runs a command, and returns its output and exit code.
func (u *user) run(in string, args ...string) string {
	u.t.Helper()
	c := u.command(args...)
	var out, diag bytes.Buffer
	c.Stdin, c.Stdout, c.Stderr = strings.NewReader(in), &out, &diag
	err := c.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		u.t.Fatal(err)
	}
	return fmt.Sprintf("$ waferpair %s\n%s--- stderr\n%s--- exit code %d\n", strings.Join(args, " "), out.String(),
		diag.String(), c.ProcessState.ExitCode())
}

// owner starts a process that others attach to, and waits until they can.
func (u *user) owner(args ...string) *exec.Cmd {
	u.t.Helper()
	c := u.command(append([]string{"serve", "--json"}, args...)...)
	var out buffer
	c.Stdout, c.Stderr = &out, &out
	if err := c.Start(); err != nil {
		u.t.Fatal(err)
	}
	u.t.Cleanup(func() { _ = c.Process.Kill(); _ = c.Wait() })
	for end := time.Now().Add(patience); !strings.Contains(out.String(), `"ui"`); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(end) {
			u.t.Fatal("serve did not start: ", out.String())
		}
	}
	return c
}

// files returns the contents and modes of all files of the project.
func (u *user) files() map[string]string {
	out := map[string]string{}
	root := filepath.Join(u.dir, "p")
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		b, err := os.ReadFile(path)
		out[strings.TrimPrefix(path, root)] = info.Mode().String() + " " + string(b)
		return err
	})
	if err != nil {
		u.t.Fatal(err)
	}
	return out
}

// byNature matches what differs between runs: times, durations and sizes.
var byNature = regexp.MustCompile(`Date: [^\n]*|\d{4}-\d\d-\d\d[ T]\d\d:\d\d(:\d\d)?(\.\d+)?Z?|\d+(\.\d+)? ms|"(time|created|last|started)":"[^"]*"|"timing":\{[^}]*\}|"chain":"[^"]*"|"at":\d+|[0-9.]+ MB|[0-9.]+ kB|\d+ bytes|"(database|log|backups|total|counted|ballast)":\d+|/[^ "]*/TestAttachedIsAlone\w*/\d+`)

// day returns the output of a user's commands, one after the other.
func (u *user) day() []string {
	var said []string
	do := func(in string, args ...string) {
		said = append(said, byNature.ReplaceAllString(u.run(in, args...), "~"))
	}
	do("", "history", "list", "-C", "p")
	do("", "edit", "-C", "p", "rename foo to baz")
	do("rename baz to foo\n", "edit", "-C", "p", "--json", "-")
	do("", "edit", "-C", "p", "--dry-run", "rename foo to baz")
	do("", "edit", "-C", "p", "write me a poem")
	do("", "edit", "-C", "p", "--scope", "*.md", "rename foo to baz")
	do("", "edit", "-C", "p", "--file", "missing.go", "rename foo to baz")
	do("", "edit", "-C", "p", "--model", "script:answer.jsonl", "--session", "new", "count")
	do("", "edit", "-C", "p", "--model", "script:missing.jsonl", "count")
	do("", "edit", "-C", "p", "--model", "nobody", "count")
	do("", "apply", "-C", "p", "one.patch")
	do("", "apply", "-C", "p", "--json", "twice.patch")
	do("*** Begin Patch\n*** Delete File: new.txt\n*** End Patch\n", "apply", "-C", "p")
	do("nonsense", "apply", "-C", "p")
	u.write("p/outside.txt", "from outside\n")
	do("", "history", "list", "-C", "p")
	do("", "history", "list", "-C", "p", "--json", "--author", "model")
	do("", "history", "show", "-C", "p", "1")
	do("", "history", "show", "-C", "p", "99")
	do("", "history", "cat", "-C", "p", "--at", "0", "a.txt")
	do("", "history", "cat", "-C", "p", "../etc/passwd")
	do("", "history", "diff", "-C", "p", "2")
	do("", "history", "revert", "-C", "p", "--dry-run", "3")
	do("", "history", "revert", "-C", "p", "3")
	do("", "history", "revert", "-C", "p", "3")
	do("", "history", "restore", "-C", "p", "--at", "0", "--json")
	do("", "history", "fork", "-C", "p", "--at", "1", "other")
	do("", "history", "fork", "-C", "p")
	do("", "history", "fork", "-C", "p", "--switch", "main")
	do("", "history", "export", "-C", "p", "--format", "patches")
	do("", "history", "export", "-C", "p", "-o", "missing/out.jsonl")
	do("", "history", "purge", "-C", "p", "--path", "outside.txt", "--yes")
	do("", "history", "check", "-C", "p", "--json")
	do("", "sessions", "list", "-C", "p")
	do("", "sessions", "show", "-C", "p", "1")
	do("", "sessions", "resume", "-C", "p", "1", "rename foo to last")
	do("", "sessions", "resume", "-C", "p", "9")
	do("", "edit", "-C", "nowhere", "rename foo to baz")
	return said
}

// TestAttachedIsAlone compares the same commands run alone, with an owner that has the
// project open, and with one that does not: output, exit codes and files must be the same.
func TestAttachedIsAlone(t *testing.T) {
	var alone []string
	var files map[string]string
	t.Run("Alone", func(t *testing.T) {
		u := newUser(t)
		alone, files = u.day(), u.files()
	})
	for name, args := range map[string][]string{"ProjectOpen": {"-C", "p"}, "OtherProjectOpen": {"-C", "q"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			u := newUser(t)
			u.write("q/x.txt", "x\n")
			o := u.owner(args...)
			if diff := cmp.Diff(alone, u.day()); diff != "" {
				t.Errorf("attached it is another one (- alone, + attached):\n%s", diff)
			}
			if diff := cmp.Diff(files, u.files()); diff != "" {
				t.Errorf("the files differ (- alone, + attached):\n%s", diff)
			}
			if err := o.Process.Signal(syscall.Signal(0)); err != nil {
				t.Errorf("the owner has not lived to see it: %v", err)
			}
		})
	}
}

// TestAReaderWhoHasSeenEnough checks that a closed pipe is not an error, alone and
// attached.
func TestAReaderWhoHasSeenEnough(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	u.run("", "apply", "-C", "p", "one.patch")
	enough := func(by string) {
		for _, format := range []string{"jsonl", "patches"} {
			r, w, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			r.Close()
			c := u.command("history", "export", "-C", "p", "--format", format)
			var diag bytes.Buffer
			c.Stdout, c.Stderr = w, &diag
			if err := c.Run(); err != nil || diag.Len() > 0 {
				t.Errorf("%s, %s: %v: %s", by, format, err, diag.String())
			}
			w.Close()
		}
	}
	enough("alone")
	u.owner("-C", "p")
	enough("attached")
}

// TestOutputThatIsLost checks that output that a full disk loses is an error, alone and
// attached.
func TestOutputThatIsLost(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	u.run("", "apply", "-C", "p", "one.patch")
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip(err)
	}
	defer full.Close()
	lost := func(by string) {
		for _, args := range [][]string{{"models", "list"}, {"models", "list", "--json"}, {"--help"},
			{"history", "list", "-C", "p"}} {
			c := u.command(args...)
			var diag bytes.Buffer
			c.Stdout, c.Stderr = full, &diag
			err := c.Run()
			if exit := (*exec.ExitError)(nil); !errors.As(err, &exit) || exit.ExitCode() != 1 ||
				strings.Count(diag.String(), "no space left on device") != 1 {
				t.Errorf("%s, %s: %v: %s", by, strings.Join(args, " "), err, diag.String())
			}
		}
	}
	lost("alone")
	u.owner("-C", "p")
	lost("attached")
}

// TestOwnerIsKilled checks that whenever the owner is killed, its client ends, what was
// acknowledged to the client is kept, and the next command works.
func TestOwnerIsKilled(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	const rounds = 6
	for i := range rounds {
		o := u.owner("-C", "p")
		c := u.command("apply", "-C", "p", "-")
		name := fmt.Sprintf("f%d.txt", i)
		c.Stdin = strings.NewReader("*** Begin Patch\n*** Add File: " + name + "\n+kept\n*** End Patch\n")
		var out bytes.Buffer
		c.Stdout = &out
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(i) * 8 * time.Millisecond)
		_ = o.Process.Kill()
		_ = o.Wait()
		err := c.Wait()
		check := u.run("", "history", "check", "-C", "p")
		if !strings.Contains(check, "no damage") || !strings.Contains(check, "exit code 0") {
			t.Fatal(check)
		}
		b, _ := os.ReadFile(filepath.Join(u.dir, "p", name))
		if acked := err == nil || strings.Contains(out.String(), "Success"); acked && string(b) != "kept\n" {
			t.Errorf("round %d: it was said to be done (%v, %q), and holds %q", i, err, out.String(), b)
		}
	}
}

// editing starts an edit that has made one change, and whose model then says nothing for an
// hour.
func (u *user) editing() (c *exec.Cmd, out *buffer) {
	u.t.Helper()
	u.write("slow.jsonl", `{"text":"*** Begin Patch\n*** Update File: a.txt\n@@\n-1\n+ONE\n@@\n"}`+"\n"+
		`{"after_ms":3600000,"text":"-3\n+THREE\n*** End Patch\n"}`+"\n")
	c, out = u.command("edit", "-C", "p", "--json", "--model", "script:slow.jsonl", "count"), &buffer{}
	c.Stdout, c.Stderr = out, out
	if err := c.Start(); err != nil {
		u.t.Fatal(err)
	}
	for end := time.Now().Add(patience); !strings.Contains(out.String(), "edit.acked"); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(end) {
			u.t.Fatal("nothing was edited: ", out.String())
		}
	}
	return c, out
}

// TestClientIsInterrupted checks that Ctrl-C in a client, or its kill, stops its turn, and
// that what was acknowledged stays.
func TestClientIsInterrupted(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	u.owner("-C", "p")
	for turn, with := range []syscall.Signal{syscall.SIGINT, syscall.SIGKILL} {
		c, out := u.editing()
		_ = c.Process.Signal(with)
		_ = c.Wait()
		if code := c.ProcessState.ExitCode(); with == syscall.SIGINT && code != exitFailed {
			t.Errorf("exit code %d: %s", code, out.String())
		}
		for end := time.Now().Add(patience); ; time.Sleep(5 * time.Millisecond) {
			said := u.run("", "sessions", "show", "-C", "p", "1", "--json")
			if strings.Count(said, `"status":"stopped"`) == turn+1 {
				break
			}
			if time.Now().After(end) {
				t.Fatal("the turn runs on: ", said)
			}
		}
		if b, err := os.ReadFile(filepath.Join(u.dir, "p/a.txt")); err != nil || string(b) != "ONE\n2\n3\n" {
			t.Errorf("the file holds %q, %v", b, err)
		}
		u.write("p/a.txt", "1\n2\n3\n")
	}
}

// TestRaceToBeTheOwner checks that commands that start at the same time all work, whichever
// becomes the owner.
func TestRaceToBeTheOwner(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	const n = 6
	cmds := make([]*exec.Cmd, n)
	outs := make([]bytes.Buffer, n)
	for i := range cmds {
		cmds[i] = u.command("apply", "-C", "p")
		cmds[i].Stdin = strings.NewReader(fmt.Sprintf("*** Begin Patch\n*** Add File: r%d.txt\n+x\n*** End Patch\n", i))
		cmds[i].Stdout, cmds[i].Stderr = &outs[i], &outs[i]
		if err := cmds[i].Start(); err != nil {
			t.Fatal(err)
		}
	}
	for i, c := range cmds {
		if err := c.Wait(); err != nil {
			t.Errorf("command %d: %v: %s", i, err, outs[i].String())
		}
	}
	if got := len(u.files()); got != 3+n {
		t.Errorf("%d files", got)
	}
	if check := u.run("", "history", "check", "-C", "p"); !strings.Contains(check, "no damage") {
		t.Error(check)
	}
}

// TestHungOwner checks that the error names a process that does not answer, and what to do
// about it.
func TestHungOwner(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	o := u.owner("-C", "p")
	if history.Reach(history.Dir(u.dir+"/data", u.dir+"/p")) == "" {
		t.Fatal("the owner cannot be reached")
	}
	_ = o.Process.Signal(syscall.SIGSTOP)
	defer o.Process.Signal(syscall.SIGCONT)
	said := u.run("", "history", "list", "-C", "p")
	if !strings.Contains(said, fmt.Sprintf("does not answer (waited 5s); if it hangs, end it: kill %d", o.Process.Pid)) ||
		!strings.Contains(said, "exit code 1") {
		t.Error(said)
	}
	u.write("q/x.txt", "x\n")
	if said := u.run("", "history", "list", "-C", "q"); !strings.Contains(said, "continuing without it") ||
		!strings.Contains(said, "exit code 0") {
		t.Error(said)
	}
}

// TestServeOfAnotherVersion checks that a server that finds an owner of another version
// says so, and what to do; that it shows the project meanwhile; and that it opens the
// project when the owner ends.
func TestServeOfAnotherVersion(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	old := u.owner("-C", "p")
	c := u.command("serve", "-C", "p")
	c.Env = append(c.Env, "STORY_VERSION=newer")
	var out buffer
	c.Stdout, c.Stderr = &out, &out
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Process.Kill(); _ = c.Wait() }()
	for end := time.Now().Add(patience); !strings.Contains(out.String(), "Ctrl-C stops"); time.Sleep(
		2 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("it shows nothing: ", out.String())
		}
	}
	want := fmt.Sprintf("process %d is another version of waferpair (dev, this is newer); close it, or use the same version; until then its project is read-only here", old.Process.Pid)
	if !strings.Contains(out.String(), want) {
		t.Errorf("it does not say %q:\n%s", want, out.String())
	}
	_ = old.Process.Signal(os.Interrupt)
	_ = old.Wait()
	for end := time.Now().Add(patience); owner.PID(history.Reach(history.Dir(u.dir+"/data", u.dir+"/p"))) !=
		c.Process.Pid; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("it only looks on: ", out.String())
		}
	}
}

// TestServeTakesOver checks that a server that finds the project in use by a command shows
// it, and opens it when the command ends.
func TestServeTakesOver(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	c, _ := u.editing()
	o := u.owner("-C", "p")
	_ = c.Process.Signal(os.Interrupt)
	_ = c.Wait()
	for end := time.Now().Add(patience); owner.PID(history.Reach(history.Dir(u.dir+"/data", u.dir+"/p"))) !=
		o.Process.Pid; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("the server only looks on")
		}
	}
	// The interrupted edit has made ONE of 1, so that the patch does not apply.
	if said := u.run("", "apply", "-C", "p", "one.patch"); !strings.Contains(said, "exit code 4") {
		t.Error(said)
	}
}
