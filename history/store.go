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

// Options configure Open.
type Options struct {
	Dir  string // the store's folder, created with mode 0700
	Root string // the project folder, recorded for users who look into the database
	// Reach is an address at which other processes reach this one: a process that finds the
	// history taken gets it from the function Reach.
	Reach       string
	Now         func() time.Time // the clock; time.Now
	Notice      func(string)     // gets notices while the store is open, from the writer's goroutine; may be nil
	GroupWindow time.Duration    // the shortest time between commits under load; 10 ms
	// Items converts a turn that earlier versions recorded to items. If it is nil, such
	// turns stay as they are and are not shown.
	Items func(OldTurn) []Item
	// Stalled is called with the reason when the store cannot write for now, and with nil
	// when it can again. It must return at once.
	Stalled func(error)
}

// Dir returns the folder for the history of the project at root.
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

// Exists reports whether dir contains a history.
func Exists(dir string) bool {
	_, err := os.Lstat(filesOf(dir).db)
	return err == nil
}

// files are the paths of a store's files.
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
	index  *os.File // of the write-ahead log, see index_linux.go; may be nil
	owner  string
	frozen error // why the store cannot write although no other process has it open
	read   *sql.DB
	w      *writer

	// budget bounds the bytes (and, because each job counts for a minimum, the number of
	// jobs) that wait for the writer; callers that exceed it wait.
	budget *semaphore.Weighted

	mu       sync.Mutex // held from the check of an edit until it is queued
	next     ids
	heads    map[string]*head
	recent   recentTexts
	turns    map[TurnID]SessionID
	growing  map[int64]TurnID // the items in progress
	last     *promise         // of the newest queued job
	baseJob  *promise         // of the newest queued baseline
	digests  chan *version.Digest
	branches []Branch
	current  int64
	closed   bool
	stalled  error           // why the queue cannot be written for now; nil: it can
	tried    chan struct{}   // closed after the next attempt to write; nil: nobody waits for one
	flow     context.Context // of the promises: canceled when the store stalls
	halt     context.CancelCauseFunc

	baseMu sync.Mutex // allows one Baseline at a time

	noticeMu sync.Mutex
	notices  []string

	backup   backupState
	review   reviewIndex
	reviews  reviewCache
	traces   traces
	columns  columnCache
	outlines outlines
	accepted int64        // counts changes of what is accepted; guarded by mu
	resets   atomic.Int64 // counts removals of content and ends of stalls: each invalidates every cache
}

// ids are the next free numbers. The store counts them itself because it assigns IDs before
// the transaction that writes them.
type ids struct {
	edit                               EditID
	op, path, session, turn, item, job int64
	baselineEmpty                      bool // the table of paths is empty
}

// ReadOnly reports whether the store is read-only: another process has the project open, or
// the disk is full.
func (s *Store) ReadOnly() bool { return s.lock == nil }

// ReadOnlyReason returns why the store is read-only, or nil if it is not.
func (s *Store) ReadOnlyReason() error {
	if !s.ReadOnly() {
		return nil
	}
	return s.readOnlyError()
}

// Notices returns what the user must know: losses, restored backups, a full disk.
func (s *Store) Notices() []string {
	s.noticeMu.Lock()
	defer s.noticeMu.Unlock()
	return append([]string(nil), s.notices...)
}

// notify adds a notice and passes it to Options.Notice, for events while the store is open.
// The caller must not hold s.mu.
func (s *Store) notify(format string, args ...any) {
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

// readOnlyError returns an error that names the process in the way, or the other cause.
func (s *Store) readOnlyError() error {
	if s.frozen != nil {
		return s.frozen
	}
	return fmt.Errorf("%w: another waferpair (pid %s) has this project open", ErrReadOnly, s.holder())
}

// holder returns the ID of the process that has the project open.
func (s *Store) holder() string {
	if s.owner == "" {
		return "unknown"
	}
	return s.owner
}

// settled waits until all jobs queued so far are committed, so that callers read what they
// have just appended.
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
		return nil // the caller that appended it gets the error
	case <-p.halted():
		return nil // what is durable can be read
	case <-ctx.Done():
		return ctx.Err()
	}
}

// enqueue passes a job to the writer. The caller holds s.mu and has reserved size in the
// budget, so the channel has room.
func (s *Store) enqueue(run func(*group) error, size int64) *promise {
	return s.enqueueJob(&job{run: run, size: size})
}

func (s *Store) enqueueJob(j *job) *promise {
	p := newPromise()
	p.flow, j.done, s.last = s.flow, p, p
	s.w.queue <- j
	return p
}

// minJob is the least that a job takes of the budget, which bounds the number of jobs.
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

// refuses returns why nothing can be queued now. The caller holds s.mu.
func (s *Store) refuses() error {
	if s.closed {
		return ErrClosed
	}
	return s.stalled
}

// submit queues a job that needs only an ID and returns its promise. The caller must wait
// for it: a job that cannot be written is given up, as if it had never happened.
func (s *Store) submit(ctx context.Context, bytes int, run func(*group) error) (*promise, error) {
	return s.submitAnd(ctx, bytes, run, func() {})
}

// submitAnd is submit, and calls queued with s.mu held when the job is queued: from then on
// it can be written, even if its caller no longer waits.
func (s *Store) submitAnd(ctx context.Context, bytes int, run func(*group) error, queued func()) (*promise, error) {
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
	queued()
	return s.enqueueJob(&job{run: run, size: size, orNot: true}), nil
}

// send queues a job that nobody waits for, or that must be written even if late. Unlike
// submit, it works while the store is stalled.
func (s *Store) send(ctx context.Context, bytes int, run func(*group) error) (*promise, error) {
	return s.sendBy(ctx, bytes, func(size int64) *promise { return s.enqueue(run, size) })
}

// sendBy is like send, for a job that put enqueues while s.mu is held.
func (s *Store) sendBy(ctx context.Context, bytes int, put func(size int64) *promise) (*promise, error) {
	size, err := s.reserve(ctx, bytes)
	if stalled := s.Stalled(); err != nil && stalled != nil && !s.ReadOnly() { // the job queues up behind the held ones
		if size = min(max(int64(bytes), minJob), budgetBytes); !s.budget.TryAcquire(size) {
			return nil, stalled
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
