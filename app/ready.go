package app

import (
	"context"
	"errors"
	"sync"
)

// readiness is whether the history has what is on disk. Until it has, files are
// shown as they lie on the disk, and nothing is changed: an edit must know what
// it is on top of. A file that was shown is then replaced, by the same text as
// a rule.
//
//	Open --> files and folders can be looked at --Compare--> Ready
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

// Compare recovers, and compares the folder with its history, in the background;
// Ready says when that is done. It takes all of a processor for a while in a
// large folder, so it is begun when what the user waits for is there.
func (p *Project) Compare() {
	r := p.ready
	r.once.Do(func() {
		close(r.begun)
		go func() {
			r.err = p.start(r.ctx)
			close(r.done)
			p.showAgain()
			p.mu.Lock()
			files := p.list.files
			p.mu.Unlock()
			if p.query.EndEarly(files) {
				p.opt.Listener.FilesChanged()
			}
		}()
	})
}

// Comparing is closed when the comparison has begun.
func (p *Project) Comparing() <-chan struct{} { return p.ready.begun }

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

// Ready waits until the history has what is on disk.
func (p *Project) Ready(ctx context.Context) error {
	p.Compare()
	select {
	case <-p.ready.done:
		return p.ready.err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// IsReady reports whether Ready would not wait.
func (p *Project) IsReady() bool { return !errors.Is(p.ready.refuses(), errNotReady) }

// records reports whether what is opened now can be recorded.
func (p *Project) records() bool { return p.ready.is() && !p.store.ReadOnly() }

// showAgain has pages look again at what they were shown before.
func (p *Project) showAgain() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, d := range p.docs {
		if !d.synced {
			p.opt.Listener.TextChanged(d.path)
		}
	}
}
