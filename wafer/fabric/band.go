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
	Cores    *clock.Wheel
	f        *Fabric
	from, to int // routers
	wheel    *clock.Wheel
	freed    []int32 // queues whose senders get a credit at the end of the cycle
	remote   [2]outbox
	index    int
}

// outbox is what a band sends to the band above or below it.
type outbox struct {
	sent  []parcel
	freed []int32
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
	b.wheel.Each(func(id int) { b.route(t, b.from+id) })
}

// route passes on wavelets of one router, at most the first of each queue. The queues take
// turns at being first, so that colors share a link.
func (b *Band) route(t clock.Cycle, r int) {
	f := b.f
	h := &f.hubs[r]
	var busy Ports
	again := false
	turn := h.turn
	for set := bits.RotateLeft64(h.waiting, -int(turn)); set != 0; set &= set - 1 {
		slot := (uint8(bits.TrailingZeros64(set)) + turn) & 63
		qi := h.first + int32(slot)
		q := &f.queues[qi]
		e := q.front()
		if e.at() > t {
			continue // it has a wake-up of its own
		}
		w := &q.way
		switch {
		case w.tx == 0:
			if !b.lookUp(t, r, qi, &busy, &again) {
				continue
			}
		case w.tx&busy != 0:
			f.stats[r].Contended++
			again = true
			continue
		case w.link != 0 && f.credits[w.link] == 0 || w.core != 0 && f.credits[w.core] == 0:
			f.stats[r].Blocked++ // a returned credit wakes the router
			continue
		default:
			busy |= w.tx
			q.passed++
			b.follow(t, r, w, e)
		}
		again = b.pop(t, h, qi, q) || again
		h.turn = (slot + 1) & 63
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
	if w.link != 0 {
		f.credits[w.link]--
		b.pass(t, int(w.next), w.link, e)
	}
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
	e.ready = uint32(t+clock.Cycle(b.f.config.Hop))<<1 | e.ready&1
	if n >= b.from && n < b.to {
		b.take(n, qi, e)
	} else {
		out := &b.remote[side(n >= b.to)]
		out.sent = append(out.sent, parcel{int32(n), qi, e})
	}
}

// deliver passes a wavelet to the core.
func (b *Band) deliver(t clock.Cycle, r int, qi int32, e entry) {
	f := b.f
	f.credits[qi]--
	at := t + clock.Cycle(f.config.Ramp)
	e.ready = uint32(at)<<1 | e.ready&1
	f.queues[qi].push(e)
	b.Cores.Wake(at, r-b.from)
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
		b.freed = append(b.freed, qi)
	} else {
		out := &b.remote[side(n >= b.to)]
		out.freed = append(out.freed, qi)
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

// credit tells the senders into queues that these have room for one more wavelet.
func (b *Band) credit(t clock.Cycle, list []int32) {
	f := b.f
	for _, qi := range list {
		f.credits[qi]++
		q := &f.queues[qi]
		r := int(q.sender)
		h := &f.hubs[r]
		switch {
		case q.port == Ramp && qi < f.cores: // the router has room for its core
			if h.starved {
				h.starved = false
				b.Cores.Wake(t+1, r-b.from)
			}
		case h.waiting != 0:
			b.wheel.Wake(t+1, r-b.from)
		}
	}
}

// Range returns the routers of the band: from the first up to, but without, to.
func (b *Band) Range() (from, to int) { return b.from, b.to }
