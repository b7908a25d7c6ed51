package history

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/semaphore"

	"waferpair/history/version"
)

// Options say where a project's history is.
type Options struct {
	Dir  string // the store's folder, created with mode 0700
	Root string // the project folder, recorded for the user's orientation
	// where this process can be reached; other ones that want the history find it in Reach
	Reach       string
	Now         func() time.Time // the clock; time.Now
	Notice      func(string)     // is told of the size, from the writer's goroutine; may be nil
	GroupWindow time.Duration    // how long busy commits are spaced apart; 10 ms
	// makes items of what earlier versions kept of a turn; nil: it stays as it is, and is not shown
	Items func(OldTurn) []Item
	// told when nothing can be written for now, and with nil when that is over; it returns at once
	Stalled func(error)
}

// Dir is where the history of the project at root is kept.
func Dir(dataHome, root string) string {
	sum := sha256.Sum256([]byte(root))
	name := strings.Map(func(r rune) rune {
		if r == '/' || r == '\\' || r < ' ' {
			return '_'
		}
		return r
	}, filepath.Base(root))
	if len(name) > 100 {
		name = name[:100]
	}
	return filepath.Join(dataHome, "waferpair", "projects", name+"-"+hex.EncodeToString(sum[:6]))
}

// Exists reports whether there is a history in dir: something was opened with it.
func Exists(dir string) bool {
	_, err := os.Lstat(filesOf(dir).db)
	return err == nil
}

// files are the paths of the store.
type files struct{ dir, db, lock, tail, ballast string }

func filesOf(dir string) files {
	return files{dir: dir, db: filepath.Join(dir, "history.db"), lock: filepath.Join(dir, "lock"),
		tail: filepath.Join(dir, "tail"), ballast: filepath.Join(dir, "ballast")}
}

func (f files) backup(n int) string { return filepath.Join(f.dir, fmt.Sprintf("backup-%d.db", n)) }

// Store is an open history. Its methods may be called from any goroutine.
type Store struct {
	opts   Options
	files  files
	lock   *lock    // nil: read-only
	index  *os.File // of the log, see index_linux.go; may be nil
	owner  string
	frozen error // why nothing can be written although nobody else has it open
	read   *sql.DB
	w      *writer

	// budget bounds the bytes (and by a minimum per job, the jobs) that wait for
	// the writer; whoever wants to add more waits.
	budget *semaphore.Weighted

	mu       sync.Mutex // held from the check of an edit until it is queued
	next     ids
	heads    map[string]*head
	recent   recentTexts
	turns    map[TurnID]SessionID
	last     *promise // of the newest queued job
	baseJob  *promise // of the newest queued baseline
	digests  chan *version.Digest
	branches []Branch
	current  int64
	closed   bool
	stalled  error           // why what is queued cannot be written for now
	tried    chan struct{}   // closed when it was tried again; nil: nobody waits for that
	flow     context.Context // of the promises: ends when that begins
	halt     context.CancelCauseFunc

	baseMu sync.Mutex // one Baseline at a time

	noticeMu sync.Mutex
	notices  []string

	backup   backupState
	review   reviewIndex
	reviews  reviewCache
	traces   traces
	columns  columnCache
	outlines outlines
	purges   atomic.Int64 // how often content was removed: nothing kept is valid then
}

// ids are the next free numbers. They are kept here rather than asked of SQLite
// because IDs are given out before the transaction that writes them.
type ids struct {
	edit                               EditID
	op, path, session, turn, item, job int64
	baselineEmpty                      bool // no path is known yet
}

// ReadOnly reports whether the store only reads: another process has the
// project open, or the disk is full.
func (s *Store) ReadOnly() bool { return s.lock == nil }

// ReadOnlyReason is why the store only reads; nil when it writes.
func (s *Store) ReadOnlyReason() error {
	if !s.ReadOnly() {
		return nil
	}
	return s.readOnlyError()
}

// Notices are what the user must be told: losses, restored backups, a full disk.
func (s *Store) Notices() []string {
	s.noticeMu.Lock()
	defer s.noticeMu.Unlock()
	return append([]string(nil), s.notices...)
}

// tell is notice for what happens while the store is open. The caller does not
// hold s.mu.
func (s *Store) tell(format string, args ...any) {
	s.notice(format, args...)
	if s.opts.Notice != nil {
		s.opts.Notice(fmt.Sprintf(format, args...))
	}
}

func (s *Store) notice(format string, args ...any) {
	s.noticeMu.Lock()
	defer s.noticeMu.Unlock()
	s.notices = append(s.notices, fmt.Sprintf(format, args...))
}

// readOnlyError says who has the project open, or what else is in the way.
func (s *Store) readOnlyError() error {
	if s.frozen != nil {
		return s.frozen
	}
	return fmt.Errorf("%w: another waferpair (pid %s) has this project open", ErrReadOnly, s.holder())
}

// holder is the process that has the project open.
func (s *Store) holder() string {
	if s.owner == "" {
		return "unknown"
	}
	return s.owner
}

// settled waits until everything that was queued before is committed, so that a
// caller reads what it has just appended.
func (s *Store) settled(ctx context.Context) error {
	if s.w == nil {
		return nil
	}
	s.mu.Lock()
	p := s.last
	s.mu.Unlock()
	if p == nil || p.isDone() {
		return nil
	}
	s.w.hurry()
	select {
	case <-p.done:
		return nil // a failed commit is reported to whoever appended it
	case <-p.halted():
		return nil // what is durable can be read
	case <-ctx.Done():
		return ctx.Err()
	}
}

// enqueue hands a job to the writer. The caller holds s.mu and has reserved size
// in the budget, so the channel has room.
func (s *Store) enqueue(run func(*group) error, size int64) *promise {
	return s.enqueueJob(&job{run: run, size: size})
}

func (s *Store) enqueueJob(j *job) *promise {
	p := newPromise()
	p.flow, j.done, s.last = s.flow, p, p
	s.w.queue <- j
	return p
}

// minJob is what a job counts for at least, which bounds their number.
const (
	budgetBytes = 64 << 20
	minJob      = 8 << 10
)

func (s *Store) reserve(ctx context.Context, bytes int) (int64, error) {
	if s.ReadOnly() {
		return 0, s.readOnlyError()
	}
	n := min(max(int64(bytes), minJob), budgetBytes)
	s.mu.Lock()
	flow, err := s.flow, s.refuses()
	s.mu.Unlock()
	if err != nil || s.budget.TryAcquire(n) {
		return n, err
	}
	wait, end := context.WithCancel(ctx)
	defer end()
	defer context.AfterFunc(flow, end)()
	if err := s.budget.Acquire(wait, n); err != nil {
		if ctx.Err() == nil {
			err = context.Cause(flow)
		}
		return 0, err
	}
	return n, nil
}

// refuses says why nothing can be queued now. The caller holds s.mu.
func (s *Store) refuses() error {
	if s.closed {
		return ErrClosed
	}
	return s.stalled
}

// submit queues a job that needs no more than an ID, and returns its promise.
// The caller waits for it: when it cannot be written, it has not happened.
func (s *Store) submit(ctx context.Context, bytes int, run func(*group) error) (*promise, error) {
	size, err := s.reserve(ctx, bytes)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.refuses(); err != nil {
		s.budget.Release(size)
		return nil, err
	}
	return s.enqueueJob(&job{run: run, size: size, orNot: true}), nil
}

// send queues a job that nobody waits for, or that goes on record however late.
func (s *Store) send(ctx context.Context, bytes int, run func(*group) error) (*promise, error) {
	return s.sendBy(ctx, bytes, func(size int64) *promise { return s.enqueue(run, size) })
}

// sendBy is send of a job that put queues, with s.mu held.
func (s *Store) sendBy(ctx context.Context, bytes int, put func(size int64) *promise) (*promise, error) {
	size, err := s.reserve(ctx, bytes)
	if held := s.Stalled(); err != nil && held != nil && !s.ReadOnly() { // it takes its place behind what is held
		if size = min(max(int64(bytes), minJob), budgetBytes); !s.budget.TryAcquire(size) {
			return nil, held
		}
	} else if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		s.budget.Release(size)
		return nil, ErrClosed
	}
	return put(size), nil
}

// Close commits what is queued and closes the store.
func (s *Store) Close() error {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return nil
	}
	s.closed = true
	s.mu.Unlock()
	var err error
	if s.w != nil {
		err = s.closeWriter()
	}
	if e := s.read.Close(); err == nil {
		err = e
	}
	s.lock.release()
	return err
}
