package app

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"waferpair/app/disk"
)

// saveEvery spaces the saves of a stream apart: each costs a few fsyncs, and
// the edits are durable in history before.
const saveEvery = 200 * time.Millisecond

// saver runs saves in the background while a turn streams, one at a time.
type saver struct {
	*documents
	place *disk.Place

	saving sync.Mutex // held by a save, and by whoever must not meet one; before the lock of the documents
	last   time.Time
	busy   sync.WaitGroup
	errs   saveErrors
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
	s.busy.Go(func() {
		defer s.saving.Unlock()
		report(save(context.Background()))
	})
	return true
}

// saveErrors collects what went wrong in the background until somebody asks.
type saveErrors struct {
	sync.Mutex
	list []error
}

func (e *saveErrors) add(err error) {
	if err == nil {
		return
	}
	e.Lock()
	defer e.Unlock()
	if len(e.list) < 20 && !slices.ContainsFunc(e.list, func(x error) bool { return x.Error() == err.Error() }) {
		e.list = append(e.list, err)
	}
}

func (e *saveErrors) take() error {
	e.Lock()
	defer e.Unlock()
	err := errors.Join(e.list...)
	e.list = nil
	return err
}
