package owner

import (
	"context"
	"io"
	"log"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// Run is a client's command that runs in this process.
type Run struct {
	Command
	PID    int // of the client
	In     io.Reader
	Out    Stream
	Err    Stream
	Began  func() // must be called before anything is changed or written
	Cancel context.CancelFunc
	moved  atomic.Bool
}

// Move sends the client elsewhere with its command, of which nothing was begun.
func (r *Run) Move() { r.moved.Store(true) }

// Moved reports whether the command must continue in another process.
func (r *Run) Moved() bool { return r.moved.Load() }

// Stream is a stream that the client writes.
type Stream interface {
	io.Writer
	WriteNow([]byte) // never waits
	Sync() error     // waits until the client has written everything
}

// Options describe this process to others.
type Options struct {
	Build    string                                       // another one is refused
	Settings []string                                     // see Settings
	Run      func(ctx context.Context, r *Run) (exit int) // runs a client's command
}

// Self is this process as other processes of the user see it, with its open projects.
type Self struct {
	Projects Projects
	opt      Options
	place    Place
	why      error // why there is no place

	mu     sync.Mutex
	addr   string // "": nobody can reach it
	http   *http.Server
	claim  *claim
	ending bool
	runs   map[*Run]bool
	idle   *sync.Cond // signals that a run has ended
	tries  context.CancelFunc
	stays  bool
}

// New returns this process. Nobody can reach it yet.
func New(opt Options) *Self {
	s := &Self{opt: opt, runs: map[*Run]bool{}}
	s.idle = sync.NewCond(&s.mu)
	s.Projects.reach = s.Reach
	s.place, s.why = Find(opt.Settings)
	return s
}

// Place returns where this process meets others, or why it does not.
func (s *Self) Place() (Place, error) { return s.place, s.why }

// Reach makes this process reachable and returns its address; "" when it cannot be reached,
// and then others cannot use its projects.
func (s *Self) Reach() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.addr != "" || s.why != nil || s.ending {
		return s.addr
	}
	l, addr, err := s.place.listen()
	if err != nil {
		s.why = err
		return ""
	}
	s.addr = addr
	s.http = &http.Server{
		Handler:           s,
		ReadHeaderTimeout: 10 * time.Second,
		ErrorLog:          log.New(io.Discard, "", 0),
		ConnContext: func(ctx context.Context, c net.Conn) context.Context {
			return context.WithValue(ctx, connKey{}, c)
		},
	}
	go func(h *http.Server) { _ = h.Serve(l) }(s.http) // ends with Close
	return addr
}

type connKey struct{}

// Claim makes this process the owner, unless there is one; true when it is the owner now.
func (s *Self) Claim() bool {
	addr := s.Reach()
	if addr == "" {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.claim == nil && !s.ending {
		s.claim, _ = s.place.claim(addr) // in a folder that cannot be written nobody is the owner
		if s.claim != nil {
			go s.place.sweep()
		}
	}
	return s.claim != nil
}

// claimEvery is how often a process that stays tries to become the owner.
const claimEvery = 500 * time.Millisecond

// Stay makes this process the owner as soon as there is none.
func (s *Self) Stay(ctx context.Context) {
	ctx, stop := context.WithCancel(ctx)
	s.mu.Lock()
	s.tries, s.stays = stop, true
	s.mu.Unlock()
	go func() {
		for !s.Claim() {
			select {
			case <-time.After(claimEvery):
			case <-ctx.Done():
				return
			}
		}
	}()
}

// Running returns the number of clients' commands that run here.
func (s *Self) Running() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.runs)
}

// Close gives up the role of the owner, and waits for the clients' commands; when ctx ends, it
// stops them. Commands that stay continue elsewhere. Until then, the process still serves
// clients for its open projects.
func (s *Self) Close(ctx context.Context) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.claim.release()
	s.claim, s.stays = nil, false
	if s.tries != nil {
		s.tries()
	}
	for r := range s.runs {
		if r.Stays {
			r.moved.Store(true)
			r.Cancel()
		}
	}
	defer context.AfterFunc(ctx, s.stopRuns)()
	for len(s.runs) > 0 {
		s.idle.Wait()
	}
	s.ending = true
	if s.http != nil {
		_ = s.http.Close() // the program ends: this cuts off connected clients
	}
}

func (s *Self) stopRuns() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for r := range s.runs {
		r.Cancel()
	}
}

// staying reports whether this process runs as long as its user likes.
func (s *Self) staying() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.stays
}

// enter counts a run; false when the process is ending.
func (s *Self) enter(r *Run) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ending || r.Stays && !s.stays {
		return false
	}
	s.runs[r] = true
	return true
}

func (s *Self) leave(r *Run) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.runs, r)
	s.idle.Broadcast()
}
