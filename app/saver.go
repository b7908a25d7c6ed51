package app

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"waferpair/app/disk"
	"waferpair/app/live"
	"waferpair/engine"
	"waferpair/history"
)

// saveEvery is the least time between saves in the background: each costs a few fsyncs,
// and the edits are already durable in the history.
const saveEvery = 200 * time.Millisecond

// saver writes recorded text to disk: one save at a time, in the background when the
// autosaver finds one due.
type saver struct {
	*documents
	place *disk.Place

	saving ordered // held by a save, and by whatever must not meet one; see locks.go
	last   time.Time
	faults faults
}

// nudge starts a save in the background, and reports its outcome. It returns false if a
// save is running, or if the last one was too recent.
func (s *saver) nudge(save func(context.Context) error, report func(error)) bool {
	if !s.saving.TryLock() {
		return false
	}
	if time.Since(s.last) < saveEvery {
		s.saving.Unlock()
		return false
	}
	s.saving.handOver()
	go func() { // the mutex makes others wait for it
		s.saving.takeOver()
		defer s.saving.Unlock()
		report(save(context.Background()))
	}()
	return true
}

// failed returns a file whose last save failed; false: none.
func (s *saver) failed() (path string, yes bool) {
	return s.table.find(func(d *live.Document) bool { return d.State().Failed() })
}

// unstick makes every failed save due again, and returns their files.
func (s *saver) unstick(ctx context.Context) (failed map[*live.Document]bool) {
	for _, d := range s.table.all() {
		if !d.State().Failed() {
			continue
		}
		if s.retry(ctx, d) {
			if failed == nil {
				failed = map[*live.Document]bool{}
			}
			failed[d] = true
		}
	}
	return failed
}

// retry makes a file's failed save due again, and reports whether it had failed.
func (s *saver) retry(ctx context.Context, d *live.Document) (failed bool) {
	_ = s.with(ctx, d, func(context.Context) error {
		if failed = d.State().Failed(); failed {
			d.Handle(live.Retry)
		}
		return nil
	})
	return failed
}

// faults are failed saves of files that running turns have. Each turn reports its own when
// it settles, and nobody else does.
type faults struct {
	mu   sync.Mutex
	list []fault
}

type fault struct {
	turn history.TurnID
	file *live.Document
	err  error
}

// note adds the outcome of a save. A success clears earlier failures of the file, but not
// that another program's version won.
func (f *faults) note(turn history.TurnID, d *live.Document, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err == nil {
		f.list = slices.DeleteFunc(f.list, func(x fault) bool {
			var overlap *engine.OverlapError
			return x.file == d && !errors.As(x.err, &overlap)
		})
		return
	}
	known := func(x fault) bool { return x.turn == turn && x.file == d && x.err.Error() == err.Error() }
	if len(f.list) < maxFaults && !slices.ContainsFunc(f.list, known) {
		f.list = append(f.list, fault{turn, d, err})
	}
}

const maxFaults = 100

// of removes and returns a turn's failures.
func (f *faults) of(turn history.TurnID) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	var errs []error
	f.list = slices.DeleteFunc(f.list, func(x fault) bool {
		if x.turn == turn {
			errs = append(errs, x.err)
		}
		return x.turn == turn
	})
	return errors.Join(errs...)
}
