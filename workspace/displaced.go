//go:build unix

package workspace

import (
	"context"
	"errors"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// writerGrace is how long a displaced file waits for a program that has it open for
// writing, before its content is passed on.
const writerGrace = 2 * time.Second

// maxOpen bounds the removed files that are kept open during their writerGrace.
const maxOpen = 64

// errNotContent means that something cannot be passed on as content.
var errNotContent = errors.New("not the content of a file")

// displacedFile is a file that a save moved out of the way. It may contain what an outside
// program saved at the same moment, or will save in the next: a program that opened the
// file before the exchange writes here, not into our file.
type displacedFile struct {
	f       *Folder
	path    string // the path of the file it was
	dir     *dir
	temp    string // its present name
	unnamed bool   // it has no name any more (renameOver)
	restore string // Delete: its old name, to restore it if it is not as expected
	fd      int
	known   [32]byte // content that is stored: Before, or the last content passed on
	end     *ending
	late    *Displaced // the content passed on
	removed time.Time
}

// setAside opens the file under a temporary name.
func (f *Folder) setAside(path string, at place, temp string, before [32]byte, end *ending) (*displacedFile, error) {
	st, err := at.dir.lstat(temp)
	if err != nil {
		return nil, err
	}
	switch {
	case kindOf(uint32(st.Mode)) == Directory:
		return nil, &contentError{errIsDir}
	case kindOf(uint32(st.Mode)) != Regular:
		return nil, &contentError{errNotRegular}
	case st.Size > f.opt.MaxEditable:
		return nil, &contentError{errTooLarge}
	}
	fd, err := open(at.dir.fd, temp, unix.O_RDONLY|unix.O_NOFOLLOW, 0)
	if err != nil {
		return nil, err
	}
	own, err := at.dir.dup()
	if err != nil {
		_ = unix.Close(fd)
		return nil, err
	}
	return &displacedFile{f: f, path: path, dir: own, temp: temp, fd: fd, known: before, end: end}, nil
}

// contentError says why something cannot be passed on as the content of a file.
type contentError struct{ why error }

func (e *contentError) Error() string        { return e.why.Error() }
func (e *contentError) Unwrap() error        { return e.why }
func (e *contentError) Is(target error) bool { return target == errNotContent }

func (a *displacedFile) release() {
	_ = unix.Close(a.fd)
	_ = a.dir.close()
}

// verdict is the result of an inspection.
type verdict int

const (
	waiting    verdict = iota // a program may still write to it
	gone                      // its content is stored and the file is removed
	preserved                 // its content could not be stored; the file stays
	rolledBack                // it has its name again
	watching                  // stored so far, but a writer still has it open
)

// inspect removes the file if nobody can write to it any more and its content is stored.
// final means that the grace is over: the content is passed on even if a writer has it
// open.
func (a *displacedFile) inspect(final bool) verdict {
	who := a.f.sys.leaseRead(a.fd)
	defer leaseDrop(a.fd)
	if who != noWriters && !final {
		return waiting
	}
	hash, err := hashFD(a.fd)
	if err != nil {
		return a.keep(nil, err)
	}
	if hash != a.known {
		if a.restore != "" && a.rollback() {
			return rolledBack
		}
		if v := a.preserve(); v != gone {
			return v
		}
	}
	if who == noWriters && !leaseHeld(a.fd) {
		return waiting // a program is opening it right now
	}
	if who == someWriters {
		return watching
	}
	return a.remove()
}

// preserve stores the content. It reads the file again: the hashed content may be outdated.
func (a *displacedFile) preserve() verdict {
	content, err := readAll(a.fd, 0, a.f.opt.MaxEditable)
	if err == nil && int64(len(content)) > a.f.opt.MaxEditable {
		err = errTooLarge
	}
	if err != nil {
		return a.keep(nil, err)
	}
	d := Displaced{a.path, content, sum(content)}
	if err := a.f.preserve(d); err != nil {
		return a.keep(content, err)
	}
	a.known, a.late = d.Hash, &d
	a.f.notify(Notice{Kind: OutsideVersion, Path: a.path, Content: content})
	return gone
}

func (f *Folder) preserve(d Displaced) error {
	if f.opt.Preserve == nil {
		return nil
	}
	return f.opt.Preserve(d)
}

// keep leaves the file where it is, and gives it a name if it has none.
func (a *displacedFile) keep(content []byte, why error) verdict {
	if a.unnamed {
		why = errors.Join(why, a.keepContent(content))
	}
	a.f.notify(Notice{Kind: NotPreserved, Path: a.path, Temp: a.dir.join(a.temp), Content: content, Reason: why})
	return preserved
}

func (a *displacedFile) keepContent(content []byte) error {
	fd, err := open(a.dir.fd, a.temp, unix.O_WRONLY|unix.O_CREAT|unix.O_EXCL|unix.O_NOFOLLOW, 0o600)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	return errors.Join(writeAll(fd, content, 0), unix.Fsync(fd))
}

func (a *displacedFile) rollback() bool {
	if err := a.dir.renameNew(a.temp, a.dir, a.restore); err != nil {
		return false
	}
	_ = a.dir.sync() // if a power cut undoes the rename, the next start repeats it
	a.f.notify(Notice{Kind: Restored, Path: a.path})
	return true
}

func (a *displacedFile) remove() verdict {
	if !a.unnamed {
		if err := a.dir.unlink(a.temp); err != nil && !isMissing(err) {
			return a.keep(nil, err)
		}
		a.unnamed = true
	}
	return gone
}

// settle inspects a displaced file, and leaves it to a background check if another program
// has it open.
func (f *Folder) settle(j *job, a *displacedFile) {
	v := a.inspect(false)
	j.saved.Displaced = a.late
	switch v {
	case waiting:
		j.saved.Pending = true
		j.end = max(j.end, Written)
		a.end.wait()
		f.pending.watch(a)
	case gone:
		j.end = Written
		if a.late != nil {
			j.end = Conflict
		}
		f.pending.keepOpen(a)
	case rolledBack:
		j.end = NotWritten
		a.release()
	case preserved:
		j.end = Unfinished
		a.release()
	case watching:
	}
}

// checks are the displaced files that are not settled yet.
type checks struct {
	closing chan struct{}
	all     sync.WaitGroup
	mu      sync.Mutex
	settled sync.Cond        // grace became 0
	grace   int              // checks within their two seconds of grace
	open    []*displacedFile // removed, but still open; oldest first
	expiry  *time.Timer
}

func (c *checks) init() {
	c.closing = make(chan struct{})
	c.settled.L = &c.mu
}

func (c *checks) count(n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.grace += n; c.grace == 0 {
		c.settled.Broadcast()
	}
}

func (c *checks) wait() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for c.grace > 0 {
		c.settled.Wait()
	}
}

// watch polls the lease until the last writer is gone.
func (c *checks) watch(a *displacedFile) {
	c.count(1)
	c.all.Go(func() {
		v := c.poll(a)
		if v != watching {
			c.settle(a, v)
			c.count(-1)
			return
		}
		c.count(-1)
		a.f.notify(Notice{Kind: WriterOpen, Path: a.path, Temp: a.dir.join(a.temp)})
		c.settle(a, c.pollSlowly(a))
	})
}

func (c *checks) poll(a *displacedFile) verdict {
	end := time.Now().Add(writerGrace)
	for pause := time.Millisecond; ; pause = min(2*pause, 50*time.Millisecond) {
		time.Sleep(pause)
		final := time.Now().After(end)
		if v := a.inspect(final); v != waiting || final {
			return v
		}
	}
}

// pollSlowly waits for a program that keeps the file open: a log, a viewer with write
// access. It ends at Close; then the next start takes over.
func (c *checks) pollSlowly(a *displacedFile) verdict {
	for {
		select {
		case <-c.closing:
			return a.inspect(true)
		case <-time.After(time.Second):
			if v := a.inspect(false); v != waiting {
				return v
			}
		}
	}
}

func (c *checks) settle(a *displacedFile, v verdict) {
	_ = a.dir.sync() // makes the removal durable before the intent is dropped
	state := Written
	switch {
	case v == preserved || v == watching || v == waiting:
		state = Unfinished
	case v == rolledBack:
		state = NotWritten
	case a.late != nil:
		state = Conflict
	}
	a.end.change(a.path, state)
	if err := a.f.finish(a.end); err != nil {
		a.f.notify(Notice{Kind: JournalFailed, Path: a.path, Reason: err})
	}
	if v == gone {
		c.keepOpen(a)
		return
	}
	a.release()
}

// keepOpen keeps a removed file open for a while. A program that was inside open() at the
// moment of the exchange gets the old file although no lease showed it; a last check finds
// what it wrote there.
func (c *checks) keepOpen(a *displacedFile) {
	a.removed = time.Now()
	c.mu.Lock()
	c.open = append(c.open, a)
	if c.expiry == nil {
		c.expiry = time.AfterFunc(writerGrace, c.expire)
	}
	over := c.removeWhile(func(i int, _ *displacedFile) bool { return len(c.open)-i > maxOpen })
	c.mu.Unlock()
	recheckAll(over)
}

// expire releases files whose grace is over.
func (c *checks) expire() {
	c.mu.Lock()
	c.expiry = nil
	over := c.removeWhile(func(_ int, a *displacedFile) bool { return time.Since(a.removed) >= writerGrace })
	if len(c.open) > 0 {
		c.expiry = time.AfterFunc(writerGrace, c.expire)
	}
	c.mu.Unlock()
	recheckAll(over)
}

// removeWhile removes held files from the list, oldest first, as long as is returns true.
func (c *checks) removeWhile(is func(int, *displacedFile) bool) []*displacedFile {
	n := 0
	for n < len(c.open) && is(n, c.open[n]) {
		n++
	}
	over := c.open[:n:n]
	c.open = c.open[n:]
	return over
}

func recheckAll(files []*displacedFile) {
	for _, a := range files {
		a.recheck()
	}
}

func (a *displacedFile) recheck() {
	defer a.release()
	if hash, err := hashFD(a.fd); err == nil && hash != a.known {
		a.preserve()
	}
}

func (c *checks) close() {
	close(c.closing)
	c.all.Wait()
	c.mu.Lock()
	files := c.open
	c.open = nil
	if c.expiry != nil {
		c.expiry.Stop()
	}
	c.mu.Unlock()
	recheckAll(files)
}

// Settle waits until all saves that another program interfered with are settled: at most
// two seconds each.
func (f *Folder) Settle(ctx context.Context) error {
	done := make(chan struct{})
	go func() {
		f.pending.wait()
		close(done)
	}()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// ending counts the parts of an intent that must end before the journal may drop it.
type ending struct {
	id       int64
	mu       sync.Mutex
	left     int
	outcomes []Outcome
}

func (e *ending) add(o Outcome) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, have := range e.outcomes { // a background check was faster
		if have.Path == o.Path {
			return
		}
	}
	e.outcomes = append(e.outcomes, o)
}

func (e *ending) wait() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.left++
}

func (e *ending) change(path string, s State) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for i := range e.outcomes {
		if e.outcomes[i].Path == path {
			e.outcomes[i].State = s
			return
		}
	}
	e.outcomes = append(e.outcomes, Outcome{path, s})
}

// finish counts one part of the intent as ended. After the last one it tells the journal;
// if a write is unfinished, only the next Recover does.
func (f *Folder) finish(e *ending) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.left--; e.left > 0 {
		return nil
	}
	for _, o := range e.outcomes {
		if o.State == Unfinished {
			return nil
		}
	}
	return f.opt.Journal.Done(context.Background(), e.id, e.outcomes)
}
