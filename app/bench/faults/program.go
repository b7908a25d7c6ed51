//go:build linux

package faults

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"
)

// nobody is a user without files of its own.
const nobody = 65534

// program is the real program, with the folders of one run.
type program struct {
	argv     []string
	dir      string     // the project
	env      []string   // added to the harness's environment
	trace    *recording // records the changes that commands make, if not nil
	somebody bool       // it runs as nobody, to whom permissions apply, as they do not to root
	owner    *owner     // the process that it attaches to; nil: none
}

func (p program) command(args ...string) *exec.Cmd {
	args = append(append([]string{}, p.argv[1:]...), args...)
	cmd := exec.Command(p.argv[0], args...)
	cmd.Env = append(append(os.Environ(), p.env...), insideVar+"=")
	cmd.Dir = "/"
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if p.somebody {
		cmd.SysProcAttr.Credential = &syscall.Credential{Uid: nobody, Gid: nobody}
	}
	return cmd
}

// result is the result of a command.
type result struct {
	what     string
	code     int // -1: killed
	out, err string
	acked    []ackedEdit // edit.acked events, in order
	edits    []int64     // of a revert or restore
	status   string      // of a turn
}

func (r result) String() string {
	return fmt.Sprintf("%s: exit %d: %s", r.what, r.code, short(strings.TrimSpace(r.err+" "+r.status)))
}

func short(s string) string {
	if s = strings.ReplaceAll(s, "\n", " | "); len(s) > 300 {
		s = s[:300] + "..."
	}
	return s
}

// killing starts a timer that kills a process soon. callOff stops the timer when the
// command has ended, so that it kills no later command.
type killing func(*os.Process) (callOff func())

// run runs a command to its end. If kill is not nil, run calls it with the running process.
func (p program) run(stdin string, kill killing, args ...string) (result, error) {
	r := result{what: strings.Join(args, " ")}
	cmd := p.command(append(args, "-C", p.dir, "--json")...)
	var out, errs bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(stdin), &out, &errs
	if p.owner != nil {
		if err := p.owner.ready(p); err != nil {
			return r, fmt.Errorf("the owner: %w", err)
		}
	}
	if p.owner == nil && p.trace != nil {
		return p.runTraced(r, cmd, stdin)
	}
	if err := cmd.Start(); err != nil {
		return r, err
	}
	stuck := time.AfterFunc(patience, func() { _ = cmd.Process.Signal(syscall.SIGABRT) })
	defer stuck.Stop()
	callOff := func() {}
	if kill != nil {
		callOff = kill(cmd.Process)
	}
	err := cmd.Wait()
	callOff()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return r, err
	}
	r.code, r.out, r.err = cmd.ProcessState.ExitCode(), out.String(), errs.String()
	r.read()
	if p.owner != nil && kill != nil && r.code == 1 && strings.Contains(r.err, lostWords) {
		r.code = -1
	}
	if strings.Contains(r.err, "panic:") || strings.Contains(r.err, "goroutine ") || strings.Contains(r.err, "SIGBUS") {
		return r, fmt.Errorf("%s crashed: %s", r.what, short(r.err))
	}
	return r, nil
}

// runTraced runs a command and records its changes. Its streams are files, because only the
// tracer may wait for its end.
func (p program) runTraced(r result, cmd *exec.Cmd, stdin string) (result, error) {
	dir, err := os.MkdirTemp("", "waferpair-faults-")
	if err != nil {
		return r, err
	}
	defer os.RemoveAll(dir)
	var streams [3]*os.File
	for i := range streams {
		if streams[i], err = os.Create(filepath.Join(dir, fmt.Sprint(i))); err != nil {
			return r, err
		}
		defer streams[i].Close()
	}
	if _, err := streams[0].WriteString(stdin); err != nil {
		return r, err
	}
	if _, err := streams[0].Seek(0, io.SeekStart); err != nil {
		return r, err
	}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = streams[0], streams[1], streams[2]
	if r.code, err = traced(p.trace, cmd); err != nil {
		return r, err
	}
	out, err := os.ReadFile(streams[1].Name())
	if err != nil {
		return r, err
	}
	errs, err := os.ReadFile(streams[2].Name())
	r.out, r.err = string(out), string(errs)
	r.read()
	return r, err
}

func (r *result) read() {
	for line := range strings.Lines(r.out) {
		var ev struct {
			Event, Path, Status string
			ID                  int64
			Edits               []int64
		}
		if json.Unmarshal([]byte(line), &ev) != nil {
			continue
		}
		switch ev.Event {
		case "edit.acked":
			r.acked = append(r.acked, ackedEdit{ev.ID, ev.Path})
		case "turn.done":
			r.status = ev.Status
		case "history.reverted", "history.restored":
			r.edits = ev.Edits
		}
	}
}

// server is the program as a server of pages.
type server struct {
	program
	cmd   *exec.Cmd
	wait  func() (int, error) // waits for its end, and returns the exit status
	page  *page
	addr  string
	token string

	mu   sync.Mutex
	said strings.Builder // everything on stdout and stderr
	read sync.WaitGroup
}

// serve starts the program and connects a page.
func (p program) serve() (*server, error) {
	if p.owner != nil {
		if err := p.owner.ready(p); err != nil {
			return nil, fmt.Errorf("the owner: %w", err)
		}
		p.trace = nil // its owner is recorded instead
	}
	s, err := p.start("serve", "--json", "-C", p.dir)
	if err != nil {
		return nil, err
	}
	s.page, err = dial(s.addr, s.token)
	if err == nil && p.owner != nil && s.hasHistory() {
		err = errors.New("it has opened the history itself, although there is an owner")
	}
	if err != nil {
		s.kill()
		return nil, fmt.Errorf("serve: %w: %s", err, short(s.words()))
	}
	return s, nil
}

// begin starts the process, with a recorder if there is one.
func (s *server) begin() error {
	if s.trace == nil {
		s.wait = func() (int, error) {
			_ = s.cmd.Wait()
			return s.cmd.ProcessState.ExitCode(), nil
		}
		return s.cmd.Start()
	}
	began := make(chan error)
	s.wait = newTracer(s.trace).start(s.cmd, began)
	return <-began
}

// isAt reads the address and the token from the first line.
func (s *server) isAt(line string) error {
	var at struct{ UI, Token string }
	if err := json.Unmarshal([]byte(line), &at); err != nil || at.UI == "" {
		return errors.New("it ended at once")
	}
	u, err := url.Parse(at.UI)
	if err != nil {
		return err
	}
	s.addr, s.token = u.Host, at.Token
	return nil
}

func (s *server) listen(r io.Reader, first chan string) {
	in := bufio.NewReader(r)
	for {
		line, err := in.ReadString('\n')
		s.mu.Lock()
		s.said.WriteString(line)
		s.mu.Unlock()
		if first != nil {
			first <- line
			first = nil
		}
		if err != nil {
			return
		}
	}
}

// words returns everything that the program has printed.
func (s *server) words() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.said.String()
}

// slay kills the process that does the work and this one: the owner too, if there is one,
// so that this process does not take its place.
func (s *server) slay() {
	if s.owner != nil {
		s.owner.kill()
	}
	_ = s.cmd.Process.Kill()
}

func (s *server) kill() {
	_ = s.cmd.Process.Kill()
	_, _ = s.gone()
}

// stop ends the program as Ctrl-C does, and returns the exit status.
func (s *server) stop() (int, error) {
	_ = s.cmd.Process.Signal(os.Interrupt)
	stuck := time.AfterFunc(patience, func() { _ = s.cmd.Process.Signal(syscall.SIGABRT) })
	defer stuck.Stop()
	code, err := s.gone()
	if words := s.words(); strings.Contains(words, "panic:") || strings.Contains(words, "SIGBUS") ||
		strings.Contains(words, "SIGABRT") {
		return 2, fmt.Errorf("serve crashed: %s", short(words))
	}
	return code, err
}

func (s *server) gone() (int, error) {
	s.read.Wait()
	code, err := s.wait()
	if s.page != nil {
		s.page.Close()
	}
	return code, err
}

// get reads from /api.
func (s *server) get(what string, query url.Values, out any) error {
	req, err := http.NewRequest(http.MethodGet, "http://"+s.addr+"/api/"+what+"?"+query.Encode(), nil)
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "Bearer "+s.token)
	resp, err := (&http.Client{Timeout: patience}).Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		return err
	}
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("%s %v: %s", what, query, short(string(b)))
	}
	return json.Unmarshal(b, out)
}

// textAt returns the text of a file right after an edit, and whether the file existed.
func (s *server) textAt(path string, id int64) (string, bool, error) {
	var v struct {
		Exists bool
		Text   string
	}
	err := s.get("file", url.Values{"path": {path}, "at": {fmt.Sprint(id)}}, &v)
	return v.Text, v.Exists, err
}
