package history

import "context"

// promise is the future outcome of a job.
type promise struct {
	done chan struct{}
	err  error           // valid once done is closed
	flow context.Context // canceled when the queue cannot be written for now; nil: never
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

// wait returns the job's outcome, or the reason why there is none yet: a held job may still
// be written later.
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

// halted returns a channel that is closed when the queue cannot be written for now.
func (p *promise) halted() <-chan struct{} {
	if p.flow == nil {
		return nil
	}
	return p.flow.Done()
}

// Receipt is the promise of an appended operation.
type Receipt struct {
	ids []EditID
	p   *promise
}

// IDs returns the IDs of the operation's edits, in order.
func (r Receipt) IDs() []EditID { return r.ids }

// Wait returns nil once the operation is durable. If ctx ends first, or the store cannot
// write for now (see Stalled), the operation may still become durable later; one with
// Op.OrNot does not, once the store has reported its failure.
func (r Receipt) Wait(ctx context.Context) error {
	if r.p == nil {
		return nil
	}
	return r.p.wait(ctx)
}
