package history

import "context"

// promise is the outcome of a job that waits for its commit.
type promise struct {
	done chan struct{}
	err  error // valid once done is closed
}

func newPromise() *promise { return &promise{done: make(chan struct{})} }

func (p *promise) resolve(err error) {
	p.err = err
	close(p.done)
}

func (p *promise) isDone() bool {
	select {
	case <-p.done:
		return true
	default:
		return false
	}
}

func (p *promise) wait(ctx context.Context) error {
	select {
	case <-p.done:
		return p.err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Receipt stands for an appended operation on its way to the disk.
type Receipt struct {
	ids []EditID
	p   *promise
}

// IDs are the IDs of the operation's edits, in order.
func (r Receipt) IDs() []EditID { return r.ids }

// Wait returns nil once the operation is durable. When ctx ends first, the
// operation may still become durable.
func (r Receipt) Wait(ctx context.Context) error {
	if r.p == nil {
		return nil
	}
	return r.p.wait(ctx)
}
