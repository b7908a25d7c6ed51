package tile

import (
	"waferpair/wafer/clock"
	"waferpair/wafer/fabric"
)

// Work is where the cycles of a core went, of one kernel.
type Work struct {
	Compute clock.Cycle // operations in SRAM
	Fabric  clock.Cycle // operations that move wavelets
	Launch  clock.Cycle // software: Busy
	Stall   clock.Cycle // the program waited for wavelets, room or a microthread
}

// Sum is all of them.
func (w Work) Sum() clock.Cycle { return w.Compute + w.Fabric + w.Launch + w.Stall }

func (w *Work) add(o Work) {
	w.Compute += o.Compute
	w.Fabric += o.Fabric
	w.Launch += o.Launch
	w.Stall += o.Stall
}

// Span is a time that a traced core worked on one kernel.
type Span struct {
	Kernel     uint8
	From, Till clock.Cycle
}

// spend books the cycles of a step and sleeps until they are over.
func (c *core) spend(b *band, in *Instr, cycles int32) {
	w := &c.work[c.kernel]
	if c.waiting != clock.Never {
		w.Stall += b.now - c.waiting
		c.waiting = clock.Never
	}
	switch n := clock.Cycle(cycles); {
	case in.Op == Busy:
		w.Launch += n
	case in.onFabric() || in.Op == Switch:
		w.Fabric += n
	default:
		w.Compute += n
	}
	c.free = b.now + clock.Cycle(cycles)
	b.last = max(b.last, c.free)
	if c.free > b.now {
		b.cores.Wake(c.free, c.id-b.from)
	}
}

func (c *core) mark(now clock.Cycle, kernel uint8) {
	c.kernel = kernel
	if c.trace == nil {
		return
	}
	if n := len(*c.trace); n > 0 {
		(*c.trace)[n-1].Till = now
	}
	*c.trace = append(*c.trace, Span{Kernel: kernel, From: now})
}

// Spans is what a traced core worked on, in order.
func (g *Grid) Spans(at fabric.At) []Span {
	if trace := g.cores[g.id(at)].trace; trace != nil {
		return *trace
	}
	return nil
}
