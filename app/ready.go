package app

import (
	"context"
	"errors"
)

// readiness is whether the history has what is on disk. Until it has, files are
// shown as they lie on the disk, and nothing is changed: an edit must know what
// it is on top of. A file that was shown is then replaced, by the same text as
// a rule.
//
//	Open --> files and folders can be looked at --reconcile--> Ready
type readiness struct {
	done   chan struct{}
	err    error // why it never will have; set before done is closed
	cancel context.CancelFunc
}

var errNotReady = errors.New("the folder is still being compared with its history; try again in a moment")

// begin recovers and reconciles in the background.
func (r *readiness) begin(ctx context.Context, p *Project) {
	r.done = make(chan struct{})
	ctx, r.cancel = context.WithCancel(ctx)
	go func() {
		r.err = p.start(ctx)
		close(r.done)
		p.showAgain()
	}()
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
	if errors.Is(r.refuses(), errNotReady) {
		r.cancel()
		<-r.done
	}
}

// Ready waits until the history has what is on disk.
func (p *Project) Ready(ctx context.Context) error {
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
