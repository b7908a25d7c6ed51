package owner

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"sync"
	"syscall"

	"github.com/coder/websocket"
)

// Command is a command line to run in another process, with the parts of its own process that
// it depends on.
type Command struct {
	Args     []string          `json:"args"`
	Dir      string            `json:"dir"`             // the folder for relative names
	Umask    *fs.FileMode      `json:"umask,omitempty"` // of its process; nil: unknown
	Env      map[string]string `json:"env"`
	Terminal [3]bool           `json:"terminal"` // which of its streams are terminals
	Read     map[string][]byte `json:"read"`     // files that it has already read; "-" is standard input
	Folders  []Folder          `json:"folders"`  // these must be the same folders in both processes

	// Stays says that the command runs as long as its user likes: it attaches only to such an
	// owner, and continues elsewhere when that ends.
	Stays bool `json:"stays"`

	// Reads says that the command changes nothing: it may run again.
	Reads bool `json:"-"`
}

// Folder identifies a folder: in a container, or with private mounts, another folder may be at
// the same path.
type Folder struct {
	Path     string `json:"path"`
	Dev, Ino uint64 // 0: it does not exist
}

// See identifies folders.
func See(paths ...string) []Folder {
	out := make([]Folder, len(paths))
	for i, p := range paths {
		out[i].Path = p
		if st, err := os.Stat(p); err == nil {
			if sys, ok := st.Sys().(*syscall.Stat_t); ok {
				out[i].Dev, out[i].Ino = uint64(sys.Dev), sys.Ino
			}
		}
	}
	return out
}

// other returns the first folder that is another one in this process; "" when there is none.
func other(folders []Folder) string {
	for _, f := range folders {
		if See(f.Path)[0] != f {
			return f.Path
		}
	}
	return ""
}

// The headers of the request that opens the WebSocket, and of its answer.
const (
	headBuild = "Waferpair-Build"
	headPID   = "Waferpair-Pid"
	headStays = "Waferpair-Stays" // "true": not for one command only
)

// path is the URL path that runs commands.
const path = "/run"

// fromClient is a message of a client: the command, or something about its run.
type fromClient struct {
	ID  int64  `json:"id"`
	Cmd string `json:"cmd"` // run, stop, input, failed, synced

	Run   *Command `json:"run,omitempty"`
	Data  []byte   `json:"data,omitempty"`  // of standard input
	End   bool     `json:"end,omitempty"`   // of standard input
	Error string   `json:"error,omitempty"` // of reading it, or of writing output
	Errno int      `json:"errno,omitempty"`
	Of    int      `json:"of,omitempty"` // the stream that could not be written
}

// fromOwner is a message to a client. Output is sent as binary messages: one byte for the
// stream, then the text.
type fromOwner struct {
	Type string `json:"type"` // refused, began, input, sync, moved, exit
	Code int    `json:"code,omitempty"`
	Why  string `json:"why,omitempty"`
}

const (
	streamOut = 1
	streamErr = 2
)

// maxQueue bounds the queue for a client that does not read; then its command blocks, as with
// a full pipe.
const maxQueue = 1 << 20

// maxMessage bounds a message; the largest patch, in base64, fits.
const maxMessage = 128 << 20

// sender writes to the client in order, from one goroutine, so that code that holds a lock can
// send without waiting.
type sender struct {
	conn *websocket.Conn
	ctx  context.Context

	mu     sync.Mutex
	more   *sync.Cond // something was queued or sent, or the sender ended
	queue  []piece
	queued int
	over   error
	failed [3]error // the client's write errors
	synced int      // syncs that the client has answered
}

// piece is the content of one message; stream 0 is a message of our own.
type piece struct {
	stream byte
	data   []byte
}

func newSender(ctx context.Context, conn *websocket.Conn) *sender {
	s := &sender{conn: conn, ctx: ctx}
	s.more = sync.NewCond(&s.mu)
	return s
}

// run sends until the queue is closed and empty, or the connection ends.
func (s *sender) run() {
	for {
		p, ok := s.take()
		if !ok {
			return
		}
		kind, data := websocket.MessageText, p.data
		if p.stream != 0 {
			kind, data = websocket.MessageBinary, append([]byte{p.stream}, p.data...)
		}
		if err := s.conn.Write(s.ctx, kind, data); err != nil {
			s.close(err)
			return
		}
	}
}

func (s *sender) take() (piece, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(s.queue) == 0 && s.over == nil {
		s.more.Wait()
	}
	if len(s.queue) == 0 || s.over != nil && !errors.Is(s.over, errDone) {
		return piece{}, false
	}
	p := s.queue[0]
	s.queue = s.queue[1:]
	s.queued -= len(p.data)
	s.more.Broadcast()
	return p, true
}

// errDone closes the queue: nothing more will be queued.
var errDone = errors.New("the command is over")

func (s *sender) close(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.over == nil {
		s.over = err
	}
	s.more.Broadcast()
}

// say queues a message of our own.
func (s *sender) say(m fromOwner) {
	b, _ := json.Marshal(m) // plain fields: it cannot fail
	s.mu.Lock()
	defer s.mu.Unlock()
	s.push(piece{0, b})
}

// push queues a piece, or extends the last one. s.mu is held.
func (s *sender) push(p piece) {
	if s.over != nil {
		return
	}
	if n := len(s.queue); n > 0 && p.stream != 0 && s.queue[n-1].stream == p.stream && len(s.queue[n-1].data) < 1<<15 {
		s.queue[n-1].data = append(s.queue[n-1].data, p.data...)
	} else {
		s.queue = append(s.queue, piece{p.stream, bytes.Clone(p.data)})
	}
	s.queued += len(p.data)
	s.more.Broadcast()
}

// stream is the client's standard output or standard error.
type stream struct {
	*sender
	n byte
}

// Write waits while the queue is full. It fails with the client's error for earlier output.
func (w stream) Write(b []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for w.queued > maxQueue && w.over == nil {
		w.more.Wait()
	}
	if err := w.failed[w.n]; err != nil {
		return 0, err
	}
	if w.over != nil {
		return 0, w.over
	}
	w.push(piece{w.n, b})
	return len(b), nil
}

// WriteNow is Write without waiting: if the client does not read, the output is dropped.
func (w stream) WriteNow(b []byte) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.queued <= 2*maxQueue {
		w.push(piece{w.n, b})
	}
}

// Sync waits until the client has written everything, and returns its error.
func (w stream) Sync() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	want := w.synced + 1
	b, _ := json.Marshal(fromOwner{Type: "sync"})
	w.push(piece{0, b})
	for w.synced < want && w.over == nil {
		w.more.Wait()
	}
	return w.failed[w.n]
}

// wrote processes the client's report about a write.
func (s *sender) wrote(m fromClient) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if m.Cmd == "synced" {
		s.synced++
	} else if m.Of == streamOut || m.Of == streamErr {
		s.failed[m.Of] = &remoteError{m.Error, syscall.Errno(m.Errno)}
	}
	s.more.Broadcast()
}

// remoteError is an error of another process.
type remoteError struct {
	says  string
	errno syscall.Errno
}

func (e *remoteError) Error() string { return e.says }

func (e *remoteError) Is(target error) bool { return e.errno != 0 && target == error(e.errno) }

// input is the client's standard input. The client reads it only when the command does, so
// that unread input is left for the next command.
type input struct {
	*sender
	arrived chan fromClient
	rest    []byte
	end     error
}

func (in *input) Read(b []byte) (int, error) {
	if len(b) == 0 {
		return 0, nil
	}
	for len(in.rest) == 0 {
		if in.end != nil {
			return 0, in.end
		}
		in.say(fromOwner{Type: "input"})
		select {
		case m := <-in.arrived:
			in.rest = m.Data
			switch {
			case m.Error != "":
				in.end = &remoteError{m.Error, syscall.Errno(m.Errno)}
			case m.End:
				in.end = io.EOF
			}
		case <-in.ctx.Done():
			return 0, in.ctx.Err()
		}
	}
	n := copy(b, in.rest)
	in.rest = in.rest[n:]
	return n, nil
}
