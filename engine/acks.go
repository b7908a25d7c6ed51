package engine

import "context"

// acker waits for edits to become durable, in order, and emits EditAcked for each.
type acker struct {
	queue chan pendingAck
	done  chan struct{}
	ids   []int64 // durable edits; read only after close
	err   error
}

type pendingAck struct {
	ack  Ack
	path string
}

func startAcker(tell func(Event)) *acker {
	a := &acker{queue: make(chan pendingAck, ackQueue), done: make(chan struct{})}
	go a.run(tell)
	return a
}

func (a *acker) run(tell func(Event)) {
	defer close(a.done)
	for p := range a.queue {
		// The wait does not depend on the turn's context: a stopped turn still records the
		// edits that it made.
		if err := p.ack.Wait(context.Background()); err != nil {
			a.err = err
			continue
		}
		for _, id := range p.ack.EditIDs() {
			a.ids = append(a.ids, id)
			tell(EditAcked{ID: id, Path: p.path})
		}
	}
}

// add queues a receipt. It blocks when the disk is far behind.
func (a *acker) add(ack Ack, path string) {
	if ack != nil {
		a.queue <- pendingAck{ack, path}
	}
}

// close waits for the last receipt and returns the last error.
func (a *acker) close() error {
	close(a.queue)
	<-a.done
	return a.err
}
