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

// saveEvery spaces saves in the background apart: each costs a few fsyncs, and
// the edits are durable in history before.
const saveEvery = 200 * time.Millisecond

// saver brings what history has to disk: one save at a time, in the background when
// the keeper finds that one is due.
type saver struct {
	*documents
	place *disk.Place

	saving sync.Mutex // held by a save, and by whoever must not meet one; before the lock of the documents
	last   time.Time
	faults faults // the lock of the documents guards it
}

// nudge starts save in the background, and reports its outcome. It is false
// when one is under way, or too little time has passed since the last one.
func (s *saver) nudge(save func(context.Context) error, report func(error)) bool {
	if !s.saving.TryLock() {
		return false
	}
	if time.Since(s.last) < saveEvery {
		s.saving.Unlock()
		return false
	}
	go func() { // whoever takes saving has waited for it
		defer s.saving.Unlock()
		report(save(context.Background()))
	}()
	return true
}

// faults are what went wrong with saves of files that running turns have: each
// turn tells of its own, when it settles, and nobody else does.
type faults []fault

type fault struct {
	turn history.TurnID
	file *live.Document
	err  error
}

// note takes the outcome of a save in. One that went well mends what was not saved
// before; that somebody else's version won is so for ever.
func (f *faults) note(turn history.TurnID, d *live.Document, err error) {
	if err == nil {
		*f = slices.DeleteFunc(*f, func(x fault) bool {
			var overlap *engine.OverlapError
			return x.file == d && !errors.As(x.err, &overlap)
		})
		return
	}
	known := func(x fault) bool { return x.turn == turn && x.file == d && x.err.Error() == err.Error() }
	if len(*f) < mostFaults && !slices.ContainsFunc(*f, known) {
		*f = append(*f, fault{turn, d, err})
	}
}

const mostFaults = 100

// of takes out what a turn is to tell of.
func (f *faults) of(turn history.TurnID) error {
	var errs []error
	*f = slices.DeleteFunc(*f, func(x fault) bool {
		if x.turn == turn {
			errs = append(errs, x.err)
		}
		return x.turn == turn
	})
	return errors.Join(errs...)
}
