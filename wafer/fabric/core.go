package fabric

import "waferpair/wafer/clock"

// The core's side of the fabric. A core is in the same band as its router, and calls these
// functions only while the band is stepped.

// Ready returns how many wavelets of a color the core can take in cycle t, at most limit.
func (f *Fabric) Ready(t clock.Cycle, core int, c Color, limit int) int {
	q := &f.queues[f.Inbox(core, c)]
	n := 0
	for n < min(limit, int(q.count)) && q.ring[(q.head+uint8(n))&(ring-1)].at() <= t {
		n++
	}
	return n
}

// Peek returns the first wavelet of a color; Ready must have reported one.
func (f *Fabric) Peek(core int, c Color) Wavelet {
	e := f.queues[f.Inbox(core, c)].front()
	return Wavelet{e.data, e.ready&1 != 0}
}

// Take removes the first wavelet of a color from the core's input queue.
func (b *Band) Take(core int, c Color) Wavelet {
	qi := b.f.inbox[core*MaxColors+int(c)]
	q := &b.f.queues[qi]
	e := q.front()
	q.advance()
	b.freed = append(b.freed, credit{qi, int32(core), false})
	return Wavelet{e.data, e.ready&1 != 0}
}

// Room returns how many wavelets of a color the core can send now. It is 0 for a color that
// its router does not take from the core.
func (f *Fabric) Room(core int, c Color) int { return int(f.credits[f.Outbox(core, c)]) }

// HasRoom reports whether the core can send n wavelets of a color now. A core that cannot
// is woken when there is more room.
func (f *Fabric) HasRoom(core int, c Color, n int) bool {
	if f.Room(core, c) >= n {
		return true
	}
	f.hubs[core].starved = true
	return false
}

// Put sends a wavelet, which leaves the core in cycle t, or when the ramp is free, which
// takes one a cycle. There must be room.
func (b *Band) Put(t clock.Cycle, core int, c Color, w Wavelet) {
	control := uint32(0)
	if w.Control {
		control = 1
	}
	b.put(t, core, b.f.Outbox(core, c), w.Data, control)
}

func (b *Band) put(t clock.Cycle, core int, out Outbox, data, control uint32) {
	f := b.f
	h, q := &f.hubs[core], &f.queues[out]
	f.credits[out]--
	at := max(uint32(t), h.rampFree)
	h.rampFree = at + 1
	e := entry{data, at<<1 + f.ramp | control}
	q.push(e)
	h.waiting |= 1 << q.slot
	b.wheel.Wake(e.at(), core-b.from)
}

// Inbox is a core's queue of what arrives in a color, and Outbox its way into the fabric,
// for a core that uses them for a whole vector; 0 is none.
type (
	Inbox  int32
	Outbox int32
)

// Inbox returns the core's queue of a color.
func (f *Fabric) Inbox(core int, c Color) Inbox { return Inbox(f.inbox[core*MaxColors+int(c)]) }

// Outbox returns the core's way into the fabric in a color.
func (f *Fabric) Outbox(core int, c Color) Outbox {
	if slot := f.slotOf[f.key(core, Ramp, c)]; slot > 0 {
		return Outbox(f.queueAt(core, slot-1))
	}
	return 0
}

// Pull takes the first wavelet from an inbox if it is there in cycle t. It reports whether
// another one will be there in the next cycle.
func (b *Band) Pull(t clock.Cycle, in Inbox) (data uint32, another, ok bool) {
	q := &b.f.queues[in]
	if q.count == 0 || q.front().at() > t {
		return 0, false, false
	}
	data = q.front().data
	q.advance()
	b.freed = append(b.freed, credit{int32(in), q.sender, false})
	return data, q.another(t), true
}

// Arrived reports whether a wavelet is in an inbox that can be taken in cycle t.
func (b *Band) Arrived(in Inbox, t clock.Cycle) bool {
	q := &b.f.queues[in]
	return q.count > 0 && q.front().at() <= t
}

// Listen makes the wavelets of an inbox go past it, to Handed, as soon as they leave the
// router, if the inbox is empty; 0 ends that. It reports whether they will.
//
// A core that takes each wavelet in the cycle of its arrival never lets the room for them
// run out: no more of them are on the ramp than it has cycles, and the inbox has room
// beside those. So this room need not be counted.
func (b *Band) Listen(core int, in Inbox) bool {
	if b.f.queues[in].count > 0 {
		return false
	}
	b.f.hubs[core].listens = int32(in)
	return true
}

// Free reports whether there is room for a wavelet, as Open does; a core that asks it is
// not woken later.
func (b *Band) Free(out Outbox) bool { return b.f.credits[out] > 0 }

// Open is HasRoom for one wavelet, and Push is Put of data.
func (b *Band) Open(core int, out Outbox) bool {
	if b.f.credits[out] > 0 {
		return true
	}
	b.f.hubs[core].starved = true
	return false
}

// Push sends data; see Open.
func (b *Band) Push(t clock.Cycle, core int, out Outbox, data uint32) { b.put(t, core, out, data, 0) }
