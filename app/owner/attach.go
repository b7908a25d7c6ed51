package owner

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"sync"
	"syscall"
	"time"

	"github.com/coder/websocket"
)

// answerWithin is the time in which a process must answer; tests wait less. A busy process
// answers in time; one that was stopped, or hangs, does not.
var answerWithin = 5 * time.Second

// ErrNobody says that the command was not begun because no process answers at the address any
// more: it can run elsewhere.
var ErrNobody = errors.New("the process is gone")

// RefusedError says that a process cannot run the command, and why. Nothing was begun.
type RefusedError struct {
	PID  int
	Why  string // "is another version of waferpair (v1, this is v2)"
	Next string

	Silent bool // it does not answer
	Soon   bool // it is about to end
}

func (e *RefusedError) Error() string {
	return fmt.Sprintf("process %d %s; %s", e.PID, e.Why, e.Next)
}

// LostError says that a process ended in the middle of the command.
type LostError struct {
	PID   int
	Wrote bool // some output was written
}

func (e *LostError) Error() string {
	return fmt.Sprintf("process %d, which ran this command, ended before it finished", e.PID)
}

// Streams are the standard streams of this process.
type Streams struct {
	In       io.Reader
	Out, Err io.Writer
}

// Attach lets the process at an address run a command, and returns its exit code. When ctx ends,
// it stops the command and waits for its end.
func Attach(ctx context.Context, addr, build string, c Command, std Streams) (exit int, err error) {
	conn, pid, err := open(ctx, addr, build, c.Stays)
	if err != nil {
		return 0, err
	}
	defer conn.CloseNow()
	a := &attached{conn: conn, std: std, pid: pid}
	if err := a.send(fromClient{ID: 1, Cmd: "run", Run: &c}); err != nil {
		return 0, ErrNobody
	}
	// a lost connection ends follow
	defer context.AfterFunc(ctx, func() { _ = a.send(fromClient{ID: 2, Cmd: "stop"}) })()
	return a.follow(c)
}

// open opens the WebSocket at an address, of this user's process and this build.
func open(ctx context.Context, addr, build string, stays bool) (conn *websocket.Conn, pid int, err error) {
	unix, err := dial(addr)
	if err != nil {
		return nil, 0, ErrNobody
	}
	if pid, err = trusted(unix); err != nil {
		_ = unix.Close() // nothing was sent
		return nil, 0, err
	}
	dialing := func(context.Context, string, string) (net.Conn, error) { return unix, nil }
	client := &http.Client{Transport: &http.Transport{DialContext: dialing, DisableCompression: true}}
	wctx, cancel := context.WithTimeout(ctx, answerWithin)
	defer cancel()
	conn, resp, err := websocket.Dial(wctx, "ws://waferpair"+path, &websocket.DialOptions{
		HTTPClient: client, HTTPHeader: http.Header{headBuild: {build}}})
	switch {
	case err == nil && stays && resp.Header.Get(headStays) != "true":
		_ = conn.CloseNow() // nothing was sent
		return nil, pid, &RefusedError{PID: pid, Why: "is running a single command",
			Next: "try again when it is done", Soon: true}
	case err == nil:
		conn.SetReadLimit(maxMessage)
		return conn, pid, nil
	}
	_ = unix.Close() // the refusal matters more
	return nil, pid, refusal(ctx, resp, wctx.Err() != nil, pid, build)
}

const useSameVersion = "close it, or use the same version"

// refusal returns why the WebSocket could not be opened. A process that hung up at once, without
// an answer, is ending, even if it exists for a moment longer.
func refusal(ctx context.Context, resp *http.Response, late bool, pid int, build string) error {
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case resp != nil && resp.StatusCode == http.StatusConflict:
		if n, err := strconv.Atoi(resp.Header.Get(headPID)); err == nil {
			pid = n
		}
		return &RefusedError{PID: pid, Why: fmt.Sprintf("is another version of waferpair (%s, this is %s)",
			resp.Header.Get(headBuild), build),
			Next: useSameVersion}
	case resp != nil:
		return &RefusedError{PID: pid, Why: "does not understand this version of waferpair", Next: useSameVersion}
	case !late || !alive(pid):
		return ErrNobody
	}
	return &RefusedError{PID: pid, Why: fmt.Sprintf("does not answer (waited %v)", answerWithin),
		Next: fmt.Sprintf("if it hangs, end it: kill %d", pid), Silent: true}
}

func alive(pid int) bool { return pid > 0 && !errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) }

// attached is a command of this process that runs in another one.
type attached struct {
	conn *websocket.Conn
	std  Streams
	pid  int

	mu    sync.Mutex // held while a message is sent
	began bool
	wrote bool
	input chan struct{} // signals that standard input is wanted
}

// follow processes the other process's messages until the command ends.
func (a *attached) follow(c Command) (exit int, err error) {
	a.input = make(chan struct{}, 1)
	defer close(a.input)
	go a.read()
	for {
		kind, data, err := a.conn.Read(context.Background())
		if err != nil {
			return 0, a.lost(c)
		}
		if kind == websocket.MessageBinary {
			a.write(data)
			continue
		}
		var m fromOwner
		if err := json.Unmarshal(data, &m); err != nil {
			return 0, a.lost(c)
		}
		switch m.Type {
		case "refused":
			return 0, &RefusedError{PID: a.pid, Why: m.Why, Next: "close it there, or run the command where it runs"}
		case "moved":
			return 0, ErrNobody
		case "began":
			a.began = true
		case "input":
			select {
			case a.input <- struct{}{}:
			default:
			}
		case "sync":
			_ = a.send(fromClient{Cmd: "synced"}) // a lost connection also ends the reading
		case "exit":
			return m.Code, nil
		}
	}
}

// lost returns the error for a connection that was lost before the command ended.
func (a *attached) lost(c Command) error {
	if !a.began || c.Reads && !a.wrote {
		return ErrNobody
	}
	return &LostError{PID: a.pid, Wrote: a.wrote}
}

// write writes the command's output.
func (a *attached) write(data []byte) {
	if len(data) == 0 {
		return
	}
	a.wrote = true
	w := a.std.Out
	if data[0] == streamErr {
		w = a.std.Err
	}
	if _, err := w.Write(data[1:]); err != nil {
		says, errno := describe(err)
		// a lost connection also ends the reading
		_ = a.send(fromClient{Cmd: "failed", Of: int(data[0]), Error: says, Errno: errno})
	}
}

func describe(err error) (says string, errno int) {
	var no syscall.Errno
	if errors.As(err, &no) {
		errno = int(no)
	}
	return err.Error(), errno
}

// read reads standard input whenever it is wanted.
func (a *attached) read() {
	buf := make([]byte, 1<<15)
	for range a.input {
		n, err := a.std.In.Read(buf)
		m := fromClient{Cmd: "input", Data: buf[:n], End: errors.Is(err, io.EOF)}
		if err != nil && !m.End {
			m.Error, m.Errno = describe(err)
		}
		if a.send(m) != nil {
			return
		}
	}
}

func (a *attached) send(m fromClient) error {
	b, err := json.Marshal(m)
	if err != nil {
		return err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.conn.Write(context.Background(), websocket.MessageText, b)
}

// Answers reports whether a process of this user listens at an address.
func Answers(addr string) bool { return PID(addr) != 0 }

// PID returns the process that listens at an address; 0 when none of this user does.
func PID(addr string) int {
	if addr == "" {
		return 0
	}
	c, err := dial(addr)
	if err != nil {
		return 0
	}
	defer c.Close()
	pid, _ := trusted(c)
	return pid
}
