package app

import (
	"context"
	"errors"
	"sync"
)

// readiness tells whether the history has been compared with the disk. Until then, files
// are shown as they are on disk, and nothing can be changed, because an edit must be based
// on a recorded version. A document that was shown before is replaced afterwards, usually
// by the same text.
//
//	Open --> files and folders can be read --Compare--> Ready
type readiness struct {
	once   sync.Once
	begun  chan struct{}
	done   chan struct{}
	err    error // why it never will have; set before done is closed
	ctx    context.Context
	cancel context.CancelFunc
}

var errNotReady = errors.New("the folder is still being compared with its history; try again in a moment")

func newReadiness(ctx context.Context) *readiness {
	r := &readiness{begun: make(chan struct{}), done: make(chan struct{})}
	r.ctx, r.cancel = context.WithCancel(ctx)
	return r
}

// is reports whether the history has what is on disk.
func (r *readiness) is() bool { return r.refuses() == nil }

// refuses says why nothing can be changed yet, or ever.
func (r *readiness) refuses() error {
	select {
	case <-r.done:
		return r.err
	default:
		return errNotReady
	}
}

// stop ends what is not done yet. What a first opening still stores goes on.
func (r *readiness) stop() {
	r.once.Do(func() {
		r.err = context.Canceled
		close(r.done)
	})
	if errors.Is(r.refuses(), errNotReady) {
		r.cancel()
		<-r.done
	}
}
