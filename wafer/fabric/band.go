package fabric

import (
	"math/bits"

	"waferpair/wafer/clock"
)

// Band is some rows of routers. Within a cycle it does not look at other bands: wavelets to
// them wait in an outbox until all bands have been stepped.
type Band struct {
	// Cores is the wake-ups of the band's cores. The fabric wakes one when it gets a wavelet,
	// and when there is room again after it found none.
	Cores *clock.Wheel
	// Handed hands a core that listens the data of a wavelet that reaches it at a cycle to
	// come. False says that the core cannot take it in that very cycle, or not for sure.
	Handed   func(core int, at clock.Cycle, data uint32) bool
	f        *Fabric
	from, to int // routers
	wheel    *clock.Wheel
	freed    []credit // to return at the end of the cycle
	remote   [2]outbox
	index    int
}

// outbox is what a band sends to the band above or below it.
type outbox struct {
	sent  []parcel
	freed []credit
}

// credit says that a queue has room for one more wavelet: to the router that feeds it, or
// to the core of that router.
type credit struct {
	queue, sender int32
	core          bool
}

// parcel is a wavelet that crosses into another band.
type parcel struct {
	router int32
	queue  int32
	entry  entry
}

// Next returns the earliest cycle in which a router of the band has work.
func (b *Band) Next() clock.Cycle { return b.wheel.Next() }

// Step makes every router with work pass on the wavelets that it can in cycle t.
func (b *Band) Step(t clock.Cycle) {
	b.wheel.Advance(t)
	for i, due := range b.wheel.Due() {
		for ; due != 0; due &= due - 1 {
			b.route(t, b.from+i<<6+bits.TrailingZeros64(due))
		}
	}
}

// route passes on wavelets of one router, at most the first of each queue. The queues take
// turns at being first, so that colors share a link.
func (b *Band) route(t clock.Cycle, r int) {
	f := b.f
	h := &f.hubs[r]
	var busy Ports
	again, stalled := false, false
	turn := h.turn
	for set := bits.RotateLeft64(h.waiting, -int(turn)); set != 0; set &= set - 1 {
		slot := (uint8(bits.TrailingZeros64(set)) + turn) & 63
		qi := f.queueAt(r, slot)
		q := &f.queues[qi]
		e := q.front()
		if e.at() > t {
			continue // it has a wake-up of its own
		}
		w := &q.way
		switch {
		case w.tx == 0:
			if !b.lookUp(t, r, qi, &busy, &again) {
				stalled = true
				continue
			}
		case w.tx&busy != 0:
			f.stats[r].Contended++
			again = true
			continue
		case w.link != 0 && f.credits[w.link] == 0 || w.core != 0 && f.credits[w.core] == 0:
			f.stats[r].Blocked++ // a returned credit wakes the router
			stalled = true
			continue
		default:
			busy |= w.tx
			q.passed++
			b.follow(t, r, w, e)
		}
		again = b.pop(t, h, qi, q) || again
		h.turn = (slot + 1) & 63
	}
	if h.stalled = stalled; stalled {
		b.awaitEchoes(t, r, h)
	}
	if again {
		b.wheel.Wake(t+1, r-b.from)
	}
}

// follow sends a wavelet along a way that has room.
func (b *Band) follow(t clock.Cycle, r int, w *way, e entry) {
	f := b.f
	if w.core != 0 {
		b.deliver(t, r, w.core, e)
	}
	if w.link == 0 {
		return
	}
	f.credits[w.link]--
	e.ready = uint32(t)<<1 + f.hop | e.ready&1
	n := int(w.next)
	if n < b.from || n >= b.to {
		b.cross(n, w.link, e)
		return
	}
	q := &f.queues[w.link] // what take does, without a call
	q.push(e)
	f.hubs[n].waiting |= 1 << q.slot
	b.wheel.Wake(e.at(), n-b.from)
}

// lookUp sends the first wavelet of a queue where the switch is set to, if it can.
func (b *Band) lookUp(t clock.Cycle, r int, qi int32, busy *Ports, again *bool) bool {
	f := b.f
	q := &f.queues[qi]
	ch := &f.channels[r*MaxColors+int(q.color)]
	route := ch.positions[ch.now]
	switch {
	case !route.Rx.Has(q.port):
		f.stats[r].Switched++ // waits for the switch
	case route.Tx&*busy != 0:
		f.stats[r].Contended++
		*again = true
	case !b.room(r, q.color, route.Tx):
		f.stats[r].Blocked++
	default:
		*busy |= route.Tx
		b.send(t, r, q.color, route.Tx, q.front())
		if q.front().ready&1 != 0 && ch.count > 1 {
			ch.advance()
			*again = true
		}
		return true
	}
	return false
}

func (ch *channel) advance() {
	if ch.now+1 < ch.count {
		ch.now++
	} else if ch.ring {
		ch.now = 0
	}
}

// room reports whether all ports of a set can take a wavelet.
func (b *Band) room(r int, c Color, tx Ports) bool {
	for ; tx != 0; tx &= tx - 1 {
		if b.f.credits[b.f.target(r, tx.first(), c)] == 0 {
			return false
		}
	}
	return true
}

// target returns the queue that a port of a router leads to; 0 is none.
func (f *Fabric) target(r int, p Port, c Color) int32 {
	if p == Ramp {
		return f.inbox[r*MaxColors+int(c)]
	}
	return f.dest[f.key(r, p, c)]
}

// send sends a copy of the wavelet through each port.
func (b *Band) send(t clock.Cycle, r int, c Color, tx Ports, e entry) {
	f := b.f
	for ; tx != 0; tx &= tx - 1 {
		p := tx.first()
		qi := f.target(r, p, c)
		f.stats[r].Passed[p]++
		if p == Ramp {
			b.deliver(t, r, qi, e)
			continue
		}
		f.credits[qi]--
		b.pass(t, r+f.offset[p], qi, e)
	}
}

// pass sends a wavelet to a queue of another router.
func (b *Band) pass(t clock.Cycle, n int, qi int32, e entry) {
	e.ready = uint32(t)<<1 + b.f.hop | e.ready&1
	if n < b.from || n >= b.to {
		b.cross(n, qi, e)
		return
	}
	b.take(n, qi, e)
}

// cross sends a wavelet to a router of a neighbouring band.
func (b *Band) cross(n int, qi int32, e entry) {
	out := &b.remote[side(n >= b.to)]
	out.sent = append(out.sent, parcel{int32(n), qi, e})
}

// deliver passes a wavelet to the core.
func (b *Band) deliver(t clock.Cycle, r int, qi int32, e entry) {
	e.ready = uint32(t)<<1 + b.f.ramp | e.ready&1
	if h := &b.f.hubs[r]; h.listens == qi {
		if b.Handed(r, e.at(), e.data) {
			h.echo(uint32(e.at()) + 1)
			return
		}
		h.listens = 0
	}
	b.f.credits[qi]--
	b.f.queues[qi].push(e)
	b.Cores.Wake(e.at(), r-b.from)
}

// echo notes the cycle in which a credit of a handed wavelet would have come back.
func (h *hub) echo(t uint32) {
	h.echoes = h.echoes<<(t-h.handed) | 1
	h.handed = t
}

// awaitEchoes wakes a stalled router when credits of handed wavelets would have, so that it
// counts as many stalls.
func (b *Band) awaitEchoes(t clock.Cycle, r int, h *hub) {
	for set := h.echoes; set != 0; set &= set - 1 {
		if at := clock.Cycle(h.handed) - clock.Cycle(bits.TrailingZeros32(set)); at > t {
			b.wheel.Wake(at, r-b.from)
		}
	}
}

// take puts a wavelet into a queue of a router of this band.
func (b *Band) take(r int, qi int32, e entry) {
	q := &b.f.queues[qi]
	q.push(e)
	b.f.hubs[r].waiting |= 1 << q.slot
	b.wheel.Wake(e.at(), r-b.from)
}

// pop removes the first wavelet of a router's queue, which returns a credit to its sender.
// It reports whether another one can go in the next cycle; one that is still on its way has
// a wake-up of its own. Trying it earlier would count stalls of other queues that another
// division into bands does not count.
func (b *Band) pop(t clock.Cycle, h *hub, qi int32, q *queue) bool {
	q.advance()
	if q.count == 0 {
		h.waiting &^= 1 << q.slot
	}
	if n := int(q.sender); n >= b.from && n < b.to {
		b.freed = append(b.freed, credit{qi, q.sender, q.port == Ramp})
	} else {
		out := &b.remote[side(n >= b.to)]
		out.freed = append(out.freed, credit{qi, q.sender, false})
	}
	return q.another(t)
}

func side(below bool) int {
	if below {
		return 1
	}
	return 0
}

// Collect ends cycle t: it returns credits and receives what other bands sent.
func (b *Band) Collect(t clock.Cycle) {
	b.credit(t, b.freed)
	b.freed = b.freed[:0]
	if b.index > 0 {
		b.collectFrom(t, &b.f.bands[b.index-1].remote[1])
	}
	if b.index+1 < len(b.f.bands) {
		b.collectFrom(t, &b.f.bands[b.index+1].remote[0])
	}
}

// collectFrom empties a neighbour's outbox, which no other thread touches now.
func (b *Band) collectFrom(t clock.Cycle, out *outbox) {
	for _, p := range out.sent {
		b.take(int(p.router), p.queue, p.entry)
	}
	b.credit(t, out.freed)
	out.sent, out.freed = out.sent[:0], out.freed[:0]
}

// credit returns credits to senders of this band.
func (b *Band) credit(t clock.Cycle, list []credit) {
	f := b.f
	for _, c := range list {
		f.credits[c.queue]++
		h := &f.hubs[c.sender]
		switch {
		case c.core:
			if h.starved {
				h.starved = false
				b.Cores.Wake(t+1, int(c.sender)-b.from)
			}
		case h.stalled:
			b.wheel.Wake(t+1, int(c.sender)-b.from)
		}
	}
}

// Range returns the routers of the band: from the first up to, but without, to.
func (b *Band) Range() (from, to int) { return b.from, b.to }
