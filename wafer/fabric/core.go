package fabric

import "waferpair/wafer/clock"

// The core's side of the fabric. A core is in the same band as its router, and calls these
// functions only while the band is stepped.

// Ready returns how many wavelets of a color the core can take in cycle t, at most limit.
func (f *Fabric) Ready(t clock.Cycle, core int, c Color, limit int) int {
	qi := f.inbox[core*MaxColors+int(c)]
	if qi == 0 {
		return 0
	}
	q := &f.queues[qi]
	n := 0
	for n < min(limit, int(q.count)) && clock.Cycle(f.entries[q.start+int32((q.head+uint8(n))&(ring-1))].ready>>1) <= t {
		n++
	}
	return n
}

// Peek returns the first wavelet of a color; Ready must have reported one.
func (f *Fabric) Peek(core int, c Color) Wavelet {
	q := &f.queues[f.inbox[core*MaxColors+int(c)]]
	e := f.entries[q.start+int32(q.head)]
	return Wavelet{e.data, e.ready&1 != 0}
}

// Take removes the first wavelet of a color from the core's input queue.
func (b *Band) Take(core int, c Color) Wavelet {
	f := b.f
	q := &f.queues[f.inbox[core*MaxColors+int(c)]]
	e := f.entries[q.start+int32(q.head)]
	q.advance()
	b.freed = append(b.freed, int32(f.key(core, Ramp, c)))
	return Wavelet{e.data, e.ready&1 != 0}
}

// Room returns how many wavelets of a color the core can send now. It is 0 for a color that
// its router does not take from the core.
func (f *Fabric) Room(core int, c Color) int { return int(f.room[core*MaxColors+int(c)]) }

// Put sends a wavelet, which leaves the core in cycle t, or when the ramp is free, which
// takes one a cycle. There must be room.
func (b *Band) Put(t clock.Cycle, core int, c Color, w Wavelet) {
	f := b.f
	f.room[core*MaxColors+int(c)]--
	at := max(uint32(t), f.rampFree[core])
	f.rampFree[core] = at + 1
	e := entry{data: w.Data, ready: (at + uint32(f.config.Ramp)) << 1}
	if w.Control {
		e.ready |= 1
	}
	b.take(core, f.first[core]+int32(f.slotOf[f.key(core, Ramp, c)])-1, e)
}
