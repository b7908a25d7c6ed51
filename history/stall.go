package history

import (
	"cmp"
	"context"
	"fmt"
	"time"
)

// A job with a receipt builds on earlier jobs with receipts, here and in app. So a group
// that cannot be written (a full disk, an input or output error) is not dropped:
//
//	commit fails -> jobs that a caller waits for and nothing builds on are given up (orNot)
//	             -> the rest is held, with everything queued behind it; the store stalls
//	stalled      -> waiting callers get the reason, new edits are refused, reading goes on
//	             -> the writer retries until the held jobs are written, or Close
//	resumed      -> the store accepts new edits again
//
// Options.Stalled reports the beginning and the end. Held jobs are only in memory:
// app saves elsewhere what the user would lose in a crash meanwhile.

// The writer waits before it retries, longer each time, but never so long that a user who
// has just freed some space gives up watching.
const (
	retryFirst   = 250 * time.Millisecond
	retryAtLeast = 2 * time.Second
)

// doubt is a group of which nobody knows whether it is in the database.
type doubt struct {
	g     *group
	batch []*job
	why   error
}

// Stalled returns why the store cannot write for now, or nil if it can.
func (s *Store) Stalled() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.stalled
}

// Retry tries at once to write the held jobs instead of waiting for the next attempt. It
// returns nil when all of them are written, or none was held.
func (s *Store) Retry(ctx context.Context) error {
	if s.w == nil {
		return nil
	}
	// the first attempt may have begun before the cause was gone, so a second one follows
	for range 2 {
		tried, why := s.nextTry()
		if why == nil {
			return nil
		}
		select {
		case s.w.sooner <- struct{}{}:
		default:
		}
		select {
		case <-tried:
		case <-s.w.ended:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return s.Stalled()
}

// nextTry returns why the store is stalled, and a channel that is closed after the next
// attempt to write, whether it succeeded or not.
func (s *Store) nextTry() (tried <-chan struct{}, why error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.tried == nil {
		s.tried = make(chan struct{})
	}
	return s.tried, s.stalled
}

// triedLocked wakes the callers that wait for an attempt. The caller holds s.mu.
func (s *Store) triedLocked() {
	if s.tried != nil {
		close(s.tried)
		s.tried = nil
	}
}

// Flush blocks until every queued job is durable, or was given up and its caller got the
// error.
func (s *Store) Flush(ctx context.Context) error {
	if s.w == nil {
		return nil
	}
	s.mu.Lock()
	p, err := s.last, s.stalled
	s.mu.Unlock()
	if err != nil || p == nil {
		return err
	}
	s.w.hurry()
	if err = p.wait(ctx); err == nil || !p.isDone() {
		return err
	}
	// The newest job was given up. A job behind it, which is not given up, shows whether
	// the ones before it were written.
	if p, err = s.send(ctx, 0, func(*group) error { return nil }); err != nil {
		return err
	}
	s.w.hurry()
	return p.wait(ctx)
}

// drop gives up the jobs with orNot and the solo jobs, and returns the others.
func (w *writer) drop(batch []*job, why error) (rest []*job) {
	w.store.mu.Lock()
	defer w.store.mu.Unlock()
	return w.dropLocked(batch, why)
}

func (w *writer) dropLocked(batch []*job, why error) (rest []*job) {
	var gone []*job
	for _, j := range batch {
		if j.orNot || j.solo != nil {
			gone = append(gone, j)
		} else {
			rest = append(rest, j)
		}
	}
	for i := len(gone) - 1; i >= 0; i-- { // newest first: each builds on the ones before it
		if gone[i].undo != nil {
			gone[i].undo()
		}
	}
	w.finish(gone, why)
	return rest
}

// stall keeps a batch that cannot be written, and everything queued behind it.
func (w *writer) stall(batch []*job, why error) {
	s := w.store
	s.mu.Lock()
	queued := w.drainAll()
	if w.doubt == nil {
		queued = w.dropLocked(queued, why)
	}
	w.stalled = append(batch, queued...)
	if len(w.stalled) == 0 {
		s.mu.Unlock()
		return
	}
	s.stalled, w.pause = why, cmp.Or(w.first, retryFirst)
	s.halt(why)
	s.mu.Unlock()
	s.opts.Stalled(why)
}

// stallInDoubt stalls the store while nobody knows whether a purge is in the database.
// The caller does not hold s.mu.
func (w *writer) stallInDoubt() {
	if d := w.doubt; d != nil && len(w.stalled) == 0 {
		w.stall(d.batch, w.explain(d.why))
	}
}

// again waits a moment and retries the held jobs. It returns false when the store closes,
// after one last attempt.
func (w *writer) again() bool {
	timer := time.NewTimer(w.pause)
	defer timer.Stop()
	open := true
	select {
	case <-w.quit:
		open = false
	case <-timer.C:
	case <-w.sooner:
	}
	err := w.writeStalled()
	switch {
	case err == nil:
		w.pause = 0
		return !w.resume() || open
	case open:
		w.pause = max(min(2*w.pause, retryAtLeast), cmp.Or(w.first, retryFirst))
		w.store.mu.Lock()
		w.store.triedLocked()
		w.store.mu.Unlock()
		return true
	}
	w.stalled = append(w.stalled, w.drainAll()...)
	w.lost = fmt.Errorf("%d operations could not be written: %w", len(w.stalled), w.explain(err))
	w.finish(w.stalled, w.lost)
	return false
}

// writeStalled writes the first of the held jobs: as many as fit in a group, or, on a disk
// with little space, one.
func (w *writer) writeStalled() error {
	if d := w.doubt; d != nil {
		landed, err := w.reread(d.g)
		if err != nil {
			return err
		}
		w.doubt = nil
		if landed {
			w.landed(d.batch, d.g)
			w.stalled = w.drop(w.stalled[len(d.batch):], w.store.Stalled())
			return nil
		}
		if w.stalled = w.drop(w.stalled, w.store.Stalled()); len(w.stalled) == 0 {
			return nil
		}
	}
	n, size := 0, int64(0)
	for n < len(w.stalled) && n < groupJobs && size < groupBytes {
		size += w.stalled[n].size
		n++
	}
	err := w.write(w.stalled[:n])
	if err != nil && n > 1 && w.doubt == nil {
		n = 1
		err = w.write(w.stalled[:n])
	}
	if err == nil {
		w.stalled = w.stalled[n:]
	}
	return err
}

// resume accepts new jobs again, once everything held and queued is written.
func (w *writer) resume() bool {
	s := w.store
	s.mu.Lock()
	if len(w.stalled) == 0 {
		w.stalled = w.drainAll()
	}
	if len(w.stalled) > 0 {
		s.mu.Unlock()
		return false
	}
	w.stalled, s.stalled = nil, nil
	s.resets.Add(1) // caches lack the edits that were held, whose IDs are in their stamps
	s.flow, s.halt = context.WithCancelCause(context.Background())
	s.triedLocked()
	s.mu.Unlock()
	s.opts.Stalled(nil)
	return true
}
