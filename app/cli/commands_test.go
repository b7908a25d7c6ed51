package cli

import (
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"golang.org/x/sys/unix"

	"waferpair/engine/gguf"
	"waferpair/engine/local/localtest"
)

type command = func(ts *testscript.TestScript, neg bool, args []string)

// commands returns the commands of stories beside testscript's own.
//
//	rc N PROGRAM...       run a program that must end with exit code N
//	put FILE TEXT         write a file; TEXT has Go's escapes (\r \x00 \ufeff)
//	holds FILE TEXT       the file consists of exactly these bytes
//	mode FILE OCTAL       the file has these permissions
//	backdate FILE         set the file's time stamp to long ago
//	untouched FILE        the file still has that time stamp
//	sparse FILE BYTES     a large file without data
//	fifo FILE             a named pipe
//	socket FILE           a socket
//	nowhere DIR TEXT      no file below DIR contains TEXT
//	jsonis FILE WANT      the same JSON lines, apart from times and timings
//	answer FILE PATCH     make PATCH a script model that answers with it, in small chunks
//	modelfile FILE [TEXT|-uneven] a small model file with random weights, or one that answers with the lines of TEXT,
//	                      or one that eight bits are too few for
//	nobody PROGRAM...     run a program without root's rights, as rc does: nobody N PROGRAM...
//	sql STATEMENT         change the project's database while no program knows
//	garble OFFSET         overwrite the database from an offset on
//	start NAME PROGRAM... start a program in the background
//	until NAME TEXT       wait until it has printed TEXT
//	feed FIFO FILE|-hang  send FILE (text, or a script: FILE.jsonl), or a pause, to the script model that reads FIFO
//	hangup FIFO           end that model's answer
//	signal NAME SIGNAL    send it a signal
//	provider NAME KIND [KEY] start a model provider; its address is in NAME_URL
//	finish NAME N         wait for its end with exit code N; stories can check stdout and stderr then
func commands() map[string]command {
	return map[string]command{
		"rc": cmdRC, "put": cmdPut, "holds": cmdHolds, "mode": cmdMode,
		"backdate": cmdBackdate, "untouched": cmdUntouched,
		"sparse": cmdSparse, "fifo": cmdFifo, "socket": cmdSocket,
		"nowhere": cmdNowhere, "jsonis": cmdJSONIs, "answer": cmdAnswer, "modelfile": cmdModelFile, "nobody": cmdNobody,
		"sql": cmdSQL, "garble": cmdGarble,
		"start": cmdStart, "until": cmdUntil, "feed": cmdFeed, "hangup": cmdHangup, "signal": cmdSignal, "finish": cmdFinish,
		"provider": cmdProvider,
	}
}

// condition adds the condition [can-mount]: a story may mount a small disk.
func condition(name string) (bool, error) {
	switch name {
	case "can-mount":
		return exec.Command("unshare", "--user", "--map-root-user", "--mount", "true").Run() == nil, nil
	}
	return false, fmt.Errorf("unknown condition %q", name)
}

func need(ts *testscript.TestScript, neg bool, ok bool, usage string) {
	if neg || !ok {
		ts.Fatalf("usage: %s", usage)
	}
}

// checkCode compares a program's exit code with the code that the story expects.
func checkCode(ts *testscript.TestScript, want string, err error) {
	n, aerr := strconv.Atoi(want)
	ts.Check(aerr)
	got := 0
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		got = exit.ExitCode()
	} else {
		ts.Check(err)
	}
	if got != n {
		ts.Fatalf("exit code %d, want %d", got, n)
	}
}

func cmdRC(ts *testscript.TestScript, neg bool, args []string) {
	need(ts, neg, len(args) >= 2, "rc N PROGRAM...")
	checkCode(ts, args[0], ts.Exec(args[1], args[2:]...))
}

func cmdModelFile(ts *testscript.TestScript, neg bool, args []string) {
	need(ts, neg, len(args) == 1 || len(args) == 2, "modelfile FILE [TEXT|-uneven]")
	c := localtest.Shape("qwen2", 2, 64)
	switch {
	case len(args) == 2 && args[1] == "-uneven":
		ts.Check(localtest.WriteUneven(ts.MkAbs(args[0]), c, gguf.Q8_0, 1))
		return
	case len(args) == 2:
		lines := slices.Collect(strings.Lines(unquote(ts, args[1])))
		ts.Check(localtest.Answering(ts.MkAbs(args[0]), gguf.Q8_0, lines...))
		return
	}
	ts.Check(localtest.Write(ts.MkAbs(args[0]), c, gguf.Q8_0, 1))
}

func unquote(ts *testscript.TestScript, s string) string {
	out, err := strconv.Unquote(`"` + strings.ReplaceAll(s, `"`, `\"`) + `"`)
	ts.Check(err)
	return out
}

func cmdPut(ts *testscript.TestScript, neg bool, args []string) {
	need(ts, neg, len(args) == 2, "put FILE TEXT")
	name := ts.MkAbs(args[0])
	ts.Check(os.MkdirAll(filepath.Dir(name), 0o755))
	ts.Check(os.WriteFile(name, []byte(unquote(ts, args[1])), 0o644))
}

func cmdHolds(ts *testscript.TestScript, neg bool, args []string) {
	need(ts, false, len(args) == 2, "[!] holds FILE TEXT")
	got, want := ts.ReadFile(args[0]), unquote(ts, args[1])
	if (got == want) == neg {
		ts.Fatalf("%s holds\n%q; the story says (negated: %v)\n%q", args[0], got, neg, want)
	}
}

func cmdMode(ts *testscript.TestScript, neg bool, args []string) {
	need(ts, neg, len(args) == 2, "mode FILE OCTAL")
	info, err := os.Stat(ts.MkAbs(args[0]))
	ts.Check(err)
	if got := fmt.Sprintf("%04o", info.Mode().Perm()); got != args[1] {
		ts.Fatalf("%s has mode %s, want %s", args[0], got, args[1])
	}
}

var longAgo = time.Date(2001, 2, 3, 4, 5, 6, 0, time.UTC)

func cmdBackdate(ts *testscript.TestScript, neg bool, args []string) {
	need(ts, neg, len(args) == 1, "backdate FILE")
	ts.Check(os.Chtimes(ts.MkAbs(args[0]), longAgo, longAgo))
}

func cmdUntouched(ts *testscript.TestScript, neg bool, args []string) {
	need(ts, neg, len(args) == 1, "untouched FILE")
	info, err := os.Stat(ts.MkAbs(args[0]))
	ts.Check(err)
	if !info.ModTime().Equal(longAgo) {
		ts.Fatalf("%s was written at %v", args[0], info.ModTime())
	}
}

func cmdSparse(ts *testscript.TestScript, neg bool, args []string) {
	need(ts, neg, len(args) == 2, "sparse FILE BYTES")
	n, err := strconv.ParseInt(args[1], 10, 64)
	ts.Check(err)
	name := ts.MkAbs(args[0])
	ts.Check(os.WriteFile(name, nil, 0o644))
	ts.Check(os.Truncate(name, n))
}

func cmdFifo(ts *testscript.TestScript, neg bool, args []string) {
	need(ts, neg, len(args) == 1, "fifo FILE")
	ts.Check(unix.Mkfifo(ts.MkAbs(args[0]), 0o644))
}

// cmdSocket makes a socket. It is made in another folder and moved, because its path may be
// longer than a socket's address can be.
func cmdSocket(ts *testscript.TestScript, neg bool, args []string) {
	need(ts, neg, len(args) == 1, "socket FILE")
	dir, err := os.MkdirTemp("", "s")
	ts.Check(err)
	defer os.RemoveAll(dir)
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: filepath.Join(dir, "s")})
	ts.Check(err)
	l.SetUnlinkOnClose(false)
	ts.Check(os.Rename(filepath.Join(dir, "s"), ts.MkAbs(args[0])))
	ts.Check(l.Close())
}

func cmdNowhere(ts *testscript.TestScript, neg bool, args []string) {
	need(ts, neg, len(args) == 2, "nowhere DIR TEXT")
	files := 0
	ts.Check(filepath.WalkDir(ts.MkAbs(args[0]), func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		files++
		b, err := os.ReadFile(path)
		if strings.Contains(string(b), args[1]) {
			return fmt.Errorf("%s holds it", path)
		}
		return err
	}))
	if files == 0 {
		ts.Fatalf("there is no file below %s", args[0])
	}
}

// cmdNobody runs a program as a user without root's rights.
func cmdNobody(ts *testscript.TestScript, neg bool, args []string) {
	need(ts, neg, len(args) >= 2, "nobody N PROGRAM...")
	if os.Getuid() != 0 {
		cmdRC(ts, false, args)
		return
	}
	cmd := exec.Command(publicCopy(ts, args[1]), args[2:]...)
	cmd.Dir = ts.MkAbs(".")
	cmd.Env = []string{"PATH=" + ts.Getenv("PATH"), "HOME=" + ts.Getenv("HOME"),
		"XDG_DATA_HOME=" + ts.Getenv("XDG_DATA_HOME"), "TMPDIR=" + ts.Getenv("TMPDIR"), "GORACE=" + ts.Getenv("GORACE")}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	cmd.Stdout, cmd.Stderr = ts.Stdout(), ts.Stderr()
	checkCode(ts, args[0], cmd.Run())
}

// publicCopy copies a program to where every user can run it, and makes the unprivileged
// user own the story's files.
func publicCopy(ts *testscript.TestScript, name string) string {
	work := ts.Getenv("WORK")
	to := filepath.Join(work, "public", name)
	if _, err := os.Stat(to); err == nil {
		return to
	}
	for dir := work; dir != os.TempDir() && dir != "/"; dir = filepath.Dir(dir) {
		ts.Check(os.Chmod(dir, 0o755))
	}
	from, err := exec.LookPath(name)
	ts.Check(err)
	ts.Check(os.MkdirAll(filepath.Dir(to), 0o755))
	// Another process copies it. A program cannot be started while it is open for writing,
	// and a child of another story may have inherited what this process has open.
	ts.Check(exec.Command("cp", from, to).Run())
	ts.Check(os.Chmod(to, 0o755))
	ts.Check(filepath.WalkDir(work, func(path string, _ fs.DirEntry, err error) error {
		return errors.Join(err, os.Lchown(path, 65534, 65534))
	}))
	return to
}

// database returns the path of the story's only database.
func database(ts *testscript.TestScript) string {
	all, err := filepath.Glob(filepath.Join(ts.Getenv("XDG_DATA_HOME"), "waferpair", "projects", "*", "history.db"))
	ts.Check(err)
	if len(all) != 1 {
		ts.Fatalf("there are %d databases: %v", len(all), all)
	}
	return all[0]
}

func cmdSQL(ts *testscript.TestScript, neg bool, args []string) {
	need(ts, neg, len(args) == 1, "sql STATEMENT")
	db, err := sql.Open("sqlite3", database(ts))
	ts.Check(err)
	defer db.Close()
	_, err = db.Exec(args[0])
	ts.Check(err)
}

func cmdGarble(ts *testscript.TestScript, neg bool, args []string) {
	need(ts, neg, len(args) == 1, "garble OFFSET")
	from, err := strconv.Atoi(args[0])
	ts.Check(err)
	name := database(ts)
	b, err := os.ReadFile(name)
	ts.Check(err)
	for i := from; i < len(b); i++ {
		b[i] = byte(i * 131)
	}
	ts.Check(os.WriteFile(name, b, 0o600))
}
