package clock

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
)

// Band is a part of the machine that one host thread at a time steps.
type Band interface {
	// Step simulates the band in cycle t. It writes only the band's own state, and puts
	// messages to other bands into an outbox.
	Step(t Cycle)
	// Collect receives the messages that other bands sent in cycle t, and returns the next
	// cycle in which something happens here, or Never.
	Collect(t Cycle) Cycle
}

// Limits bound a run.
type Limits struct {
	Workers int                   // host threads; 0 is one
	Cycles  Cycle                 // an error if the run takes longer; 0 is no limit
	Every   int                   // steps between calls of Watch; 0 is never
	Watch   func(now Cycle) error // progress; an error ends the run
}

// Run steps the bands through the cycles in which something happens, until nothing is left
// to happen. It returns the last cycle in which something did.
//
// The result does not depend on the number of workers: within a cycle bands do not see each
// other, and all of them meet between Step and Collect.
func Run(ctx context.Context, bands []Band, limits Limits) (Cycle, error) {
	next := Never
	for _, b := range bands {
		next = min(next, b.Collect(-1))
	}
	crew := newCrew(bands, limits.Workers)
	defer crew.dismiss()
	last := Cycle(0)
	for step := 1; next != Never; step++ {
		if limits.Cycles > 0 && next > limits.Cycles {
			return last, fmt.Errorf("the run is not over after %d cycles", limits.Cycles)
		}
		if limits.Every > 0 && step%limits.Every == 0 {
			if err := ctx.Err(); err != nil {
				return last, err
			}
			if err := limits.Watch(next); err != nil {
				return last, err
			}
		}
		last = next
		next = crew.cycle(next)
	}
	return last, ctx.Err()
}

// crew is the host threads of a run. The calling goroutine is one of them.
type crew struct {
	bands   []Band
	workers int
	next    []Cycle // of each worker's bands
	now     Cycle
	meet    *barrier
	over    atomic.Bool
	wait    sync.WaitGroup
}

func newCrew(bands []Band, workers int) *crew {
	c := &crew{bands: bands, workers: max(1, min(workers, len(bands)))}
	c.next = make([]Cycle, c.workers)
	c.meet = newBarrier(c.workers)
	for w := 1; w < c.workers; w++ {
		c.wait.Go(func() { c.serve(w) })
	}
	return c
}

// cycle simulates cycle t in all bands, and returns the next one.
func (c *crew) cycle(t Cycle) Cycle {
	c.now = t
	c.meet.arrive()
	c.work(0)
	c.meet.arrive()
	next := Never
	for _, n := range c.next {
		next = min(next, n)
	}
	return next
}

func (c *crew) serve(w int) {
	for {
		c.meet.arrive()
		if c.over.Load() {
			return
		}
		c.work(w)
		c.meet.arrive()
	}
}

// work steps every workers-th band.
func (c *crew) work(w int) {
	for i := w; i < len(c.bands); i += c.workers {
		c.bands[i].Step(c.now)
	}
	c.meet.arrive()
	next := Never
	for i := w; i < len(c.bands); i += c.workers {
		next = min(next, c.bands[i].Collect(c.now))
	}
	c.next[w] = next
}

func (c *crew) dismiss() {
	c.over.Store(true)
	if c.workers > 1 {
		c.meet.arrive()
		c.wait.Wait()
	}
}
