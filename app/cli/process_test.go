package cli

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"golang.org/x/sys/unix"
)

// patience bounds a story's waits for something that is certain to happen.
const patience = time.Minute

type processesKeyType struct{}

var processesKey processesKeyType

// processes are the programs that a story has started, and the pipes that it writes to.
type processes struct {
	running map[string]*process
	pipes   map[string]*os.File
}

// process is a running program, with its output so far.
type process struct {
	cmd      *exec.Cmd
	out, err buffer
}

// buffer collects output that other goroutines read meanwhile.
type buffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

func running(ts *testscript.TestScript) *processes { return ts.Value(processesKey).(*processes) }

// end stops what a failed story left running.
func (p *processes) end() {
	for _, f := range p.pipes {
		f.Close()
	}
	for _, r := range p.running {
		_ = r.cmd.Process.Kill()
		_ = r.cmd.Wait()
	}
}

func cmdStart(ts *testscript.TestScript, neg bool, args []string) {
	need(ts, neg, len(args) >= 2, "start NAME PROGRAM...")
	p := running(ts)
	r := &process{cmd: exec.Command(args[1], args[2:]...)}
	r.cmd.Dir = ts.MkAbs(".")
	r.cmd.Env = storyEnv(ts)
	r.cmd.Stdout, r.cmd.Stderr = &r.out, &r.err
	ts.Check(r.cmd.Start())
	if p.running == nil {
		p.running = map[string]*process{}
	}
	p.running[args[0]] = r
}

// storyEnv returns the environment that Exec gives programs.
func storyEnv(ts *testscript.TestScript) []string {
	var env []string
	for _, k := range []string{"PATH", "HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "TMPDIR", "GOCACHE", "GOFLAGS",
		"GOPROXY", "GOTOOLCHAIN", "GORACE", "WORK", "DBUS_SESSION_BUS_ADDRESS"} {
		env = append(env, k+"="+ts.Getenv(k))
	}
	return env
}

func the(ts *testscript.TestScript, name string) *process {
	r := running(ts).running[name]
	if r == nil {
		ts.Fatalf("nothing was started as %q", name)
	}
	return r
}

func cmdUntil(ts *testscript.TestScript, neg bool, args []string) {
	need(ts, neg, len(args) == 2, "until NAME TEXT")
	r := the(ts, args[0])
	for end := time.Now().Add(patience); !strings.Contains(r.out.String()+
		r.err.String(), args[1]); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(end) {
			ts.Fatalf("%s did not print %q but\n%s%s", args[0], args[1], r.out.String(), r.err.String())
		}
	}
}

// cmdFeed writes to the script model that reads a pipe. The pipe stays open for more. -hang
// makes the model say nothing for an hour. A file of JSON lines is a script and is sent as it
// is, other text in small chunks.
func cmdFeed(ts *testscript.TestScript, neg bool, args []string) {
	need(ts, neg, len(args) == 2, "feed FIFO FILE|-hang")
	p := running(ts)
	name := ts.MkAbs(args[0])
	f := p.pipes[name]
	if f == nil {
		f = openPipe(ts, name)
		if p.pipes == nil {
			p.pipes = map[string]*os.File{}
		}
		p.pipes[name] = f
	}
	if args[1] == "-hang" {
		_, err := f.WriteString(`{"after_ms":3600000}` + "\n")
		ts.Check(err)
		return
	}
	if strings.HasSuffix(args[1], ".jsonl") {
		_, err := f.WriteString(ts.ReadFile(args[1]))
		ts.Check(err)
		return
	}
	ts.Check(sayAll(f, ts.ReadFile(args[1])))
}

// openPipe opens a named pipe for writing as soon as somebody reads it.
func openPipe(ts *testscript.TestScript, name string) *os.File {
	for end := time.Now().Add(patience); ; time.Sleep(2 * time.Millisecond) {
		f, err := os.OpenFile(name, os.O_WRONLY|unix.O_NONBLOCK, 0)
		if err == nil {
			return f
		}
		if time.Now().After(end) {
			ts.Fatalf("nobody reads %s: %v", filepath.Base(name), err)
		}
	}
}

func cmdHangup(ts *testscript.TestScript, neg bool, args []string) {
	need(ts, neg, len(args) == 1, "hangup FIFO")
	name := ts.MkAbs(args[0])
	ts.Check(running(ts).pipes[name].Close())
	delete(running(ts).pipes, name)
}

func cmdSignal(ts *testscript.TestScript, neg bool, args []string) {
	need(ts, neg, len(args) == 2, "signal NAME SIGNAL")
	s := unix.SignalNum(args[1])
	if s == 0 {
		ts.Fatalf("there is no signal %s", args[1])
	}
	ts.Check(the(ts, args[0]).cmd.Process.Signal(s))
}

func cmdFinish(ts *testscript.TestScript, neg bool, args []string) {
	need(ts, neg, len(args) == 2, "finish NAME N")
	r := the(ts, args[0])
	timer := time.AfterFunc(patience, func() { _ = r.cmd.Process.Kill() })
	err := r.cmd.Wait()
	late := !timer.Stop()
	delete(running(ts).running, args[0])
	_, _ = ts.Stdout().Write([]byte(r.out.String()))
	_, _ = ts.Stderr().Write([]byte(r.err.String()))
	if late {
		ts.Fatalf("%s did not end within %v", args[0], patience)
	}
	checkCode(ts, args[1], err)
}
