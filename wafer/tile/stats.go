package tile

import (
	"waferpair/wafer/clock"
	"waferpair/wafer/fabric"
)

// Work is the cycles of a core in one kernel, by their use.
type Work struct {
	Compute clock.Cycle // operations in SRAM
	Fabric  clock.Cycle // operations that move wavelets
	Launch  clock.Cycle // software: Busy
	Stall   clock.Cycle // the program waited for wavelets, room or a microthread
}

// Sum returns the sum of all of them.
func (w Work) Sum() clock.Cycle { return w.Compute + w.Fabric + w.Launch + w.Stall }

func (w *Work) add(o Work) {
	w.Compute += o.Compute
	w.Fabric += o.Fabric
	w.Launch += o.Launch
	w.Stall += o.Stall
}

// Span is a time in which a traced core worked on one kernel, or waited in it.
type Span struct {
	Kernel     uint8
	Waiting    bool
	From, Till clock.Cycle
}

// spend counts the cycles of a step, until whose end the core is not free.
func (c *core) spend(b *band, in *Instr, cycles int32) {
	c.resume(b.now)
	c.count(in, clock.Cycle(cycles))
	c.free = b.now + clock.Cycle(cycles)
	b.last = max(b.last, c.free)
}

// count counts cycles of an instruction.
func (c *core) count(in *Instr, n clock.Cycle) {
	switch {
	case in.Op == Busy:
		c.spent.Launch += n
	case in.onFabric() || in.Op == Switch:
		c.spent.Fabric += n
	default:
		c.spent.Compute += n
	}
}

// sleep wakes the core when it is free again.
func (c *core) sleep(b *band) {
	if c.free > b.now {
		b.cores.Wake(c.free, c.id-b.from)
	}
}

// resume counts the time that the program has been waiting until now.
func (c *core) resume(now clock.Cycle) {
	if c.waiting == clock.Never {
		return
	}
	c.spent.Stall += now - c.waiting
	if c.trace != nil && now > c.waiting {
		*c.trace = append(*c.trace, Span{c.kernel, true, c.waiting, now})
	}
	c.waiting = clock.Never
}

// book counts what the core has spent for the present kernel.
func (c *core) book() {
	c.work[c.kernel].add(c.spent)
	c.spent = Work{}
}

func (c *core) mark(now clock.Cycle, kernel uint8) {
	if c.trace != nil {
		c.closeSpan(now)
		c.since = now
	}
	c.book()
	c.kernel = kernel
}

func (c *core) closeSpan(now clock.Cycle) {
	if now > c.since {
		*c.trace = append(*c.trace, Span{c.kernel, false, c.since, now})
	}
}

// Spans returns when a traced core worked and waited; a wait comes before the work that
// contains it.
func (g *Grid) Spans(at fabric.At) []Span {
	c := &g.cores[g.id(at)]
	if c.trace == nil {
		return nil
	}
	c.closeSpan(c.free)
	c.since = c.free
	return *c.trace
}
