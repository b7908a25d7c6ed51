package history

import (
	"context"
	"fmt"
	"time"
)

// What has a receipt builds on what had one before, here and in app. So a group
// that cannot be written (a full disk, an input or output error) is not dropped:
//
//	commit fails -> what somebody waits for, and nothing builds on, is given up (orNot)
//	             -> the rest is held, with what is queued behind it; the store stalls
//	stalled      -> who waits is told why, new edits are refused, reading goes on
//	             -> the writer tries again, until what is held is written, or Close
//	resumed      -> what is new is taken again
//
// Options.Stalled tells of the beginning and of the end. What is held is only in
// memory: app keeps what the user would lose by a crash elsewhere meanwhile.

// The writer waits a little before it tries again, and longer each time: space
// that was freed should be used before the user has stopped looking.
const (
	retryEvery   = 250 * time.Millisecond
	retryAtLeast = 2 * time.Second
)

// doubt is a group of which nobody knows whether it is in the database.
type doubt struct {
	g    *group
	jobs int
}

// Stalled is why nothing can be written for now; nil when it can.
func (s *Store) Stalled() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.stalled
}

// Retry tries at once to write what could not be written, instead of at the next
// moment that it would be tried at; nil when all of it is written, or nothing was held.
func (s *Store) Retry(ctx context.Context) error {
	if s.w == nil {
		return nil
	}
	for range 2 { // one try may have been under way already, from before what kept it was over
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

// nextTry is why the store is stalled, and closed when it was tried to go on: when it
// goes on, or cannot.
func (s *Store) nextTry() (tried <-chan struct{}, why error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.tried == nil {
		s.tried = make(chan struct{})
	}
	return s.tried, s.stalled
}

// triedLocked tells who waits for that.
func (s *Store) triedLocked() {
	if s.tried != nil {
		close(s.tried)
		s.tried = nil
	}
}

// Flush waits until everything that was queued is durable, or given up and its
// caller told.
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
	// The newest was given up. Whether what came before it was written, a job behind
	// it tells: that one is not given up.
	if p, err = s.send(ctx, 0, func(*group) error { return nil }); err != nil {
		return err
	}
	s.w.hurry()
	return p.wait(ctx)
}

// drop gives up the jobs that would rather not have happened, and returns the others.
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
	for i := len(gone) - 1; i >= 0; i-- { // newest first, as they were built
		if gone[i].undo != nil {
			gone[i].undo()
		}
	}
	w.finish(gone, why)
	return rest
}

// hold keeps a batch that cannot be written, and what was queued behind it.
func (w *writer) hold(batch []*job, why error) {
	s := w.store
	s.mu.Lock()
	queued := w.drainAll()
	if w.doubt == nil {
		queued = w.dropLocked(queued, why)
	}
	w.held = append(batch, queued...)
	if len(w.held) == 0 {
		s.mu.Unlock()
		return
	}
	s.stalled, w.pause = why, retryEvery
	s.halt(why)
	s.mu.Unlock()
	s.opts.Stalled(why)
}

// again waits a moment and tries once more to write what is held. It is false
// when the store closes: then the last try is made.
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
	err := w.writeHeld()
	switch {
	case err == nil:
		w.pause = 0
		return !w.resume() || open
	case open:
		w.pause = min(max(2*w.pause, retryEvery), retryAtLeast)
		w.store.mu.Lock()
		w.store.triedLocked()
		w.store.mu.Unlock()
		return true
	}
	w.held = append(w.held, w.drainAll()...)
	w.lost = fmt.Errorf("%d operations could not be written: %w", len(w.held), w.explain(err))
	w.finish(w.held, w.lost)
	return false
}

// writeHeld writes the first of what is held: as much as makes a group, or, on
// a disk with little space, one job.
func (w *writer) writeHeld() error {
	if d := w.doubt; d != nil {
		landed, err := w.reread(d.g)
		if err != nil {
			return err
		}
		w.doubt = nil
		if landed {
			w.landed(w.held[:d.jobs], d.g)
			w.held = w.drop(w.held[d.jobs:], w.store.Stalled())
			return nil
		}
		if w.held = w.drop(w.held, w.store.Stalled()); len(w.held) == 0 {
			return nil
		}
	}
	n, size := 0, int64(0)
	for n < len(w.held) && n < groupJobs && size < groupBytes {
		size += w.held[n].size
		n++
	}
	err := w.write(w.held[:n])
	if err != nil && n > 1 && w.doubt == nil {
		n = 1
		err = w.write(w.held[:n])
	}
	if err == nil {
		w.held = w.held[n:]
	}
	return err
}

// resume takes new jobs again, once all that is held and queued is written.
func (w *writer) resume() bool {
	s := w.store
	s.mu.Lock()
	if len(w.held) == 0 {
		w.held = w.drainAll()
	}
	if len(w.held) > 0 {
		s.mu.Unlock()
		return false
	}
	w.held, s.stalled = nil, nil
	s.flow, s.halt = context.WithCancelCause(context.Background())
	s.triedLocked()
	s.mu.Unlock()
	s.opts.Stalled(nil)
	return true
}
