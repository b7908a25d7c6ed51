package history

import "context"

// promise is the outcome of a job that waits for its commit.
type promise struct {
	done chan struct{}
	err  error           // valid once done is closed
	flow context.Context // ends when what is queued cannot be written for now; nil: never
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

// wait returns the outcome, or why there is none for now: what is held may be
// written later.
func (p *promise) wait(ctx context.Context) error {
	if p.isDone() {
		return p.err
	}
	select {
	case <-p.done:
		return p.err
	case <-p.halted():
		if p.isDone() {
			return p.err
		}
		return context.Cause(p.flow)
	case <-ctx.Done():
		return ctx.Err()
	}
}

// halted is closed when what is queued cannot be written for now.
func (p *promise) halted() <-chan struct{} {
	if p.flow == nil {
		return nil
	}
	return p.flow.Done()
}

// Receipt stands for an appended operation on its way to the disk.
type Receipt struct {
	ids []EditID
	p   *promise
}

// IDs are the IDs of the operation's edits, in order.
func (r Receipt) IDs() []EditID { return r.ids }

// Wait returns nil once the operation is durable. When ctx ends first, or the
// store cannot write for now (see Stalled), the operation may still become
// durable; one with Op.OrNot does not after the store said so.
func (r Receipt) Wait(ctx context.Context) error {
	if r.p == nil {
		return nil
	}
	return r.p.wait(ctx)
}
