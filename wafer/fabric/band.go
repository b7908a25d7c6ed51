package fabric

import (
	"waferpair/wafer/clock"
)

// Band is some rows of routers. Within a cycle it does not look at other bands: wavelets to
// them wait in an outbox until all bands have been stepped.
type Band struct {
	f        *Fabric
	from, to int // routers
	wheel    *clock.Wheel
	woken    func(at clock.Cycle, core int)
	freed    []int32 // credits to return at the end of the cycle: keys of credits
	vacated  []int32 // the same for cores: indexes of room
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
	queue int32
	entry entry
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
	var busy Ports
	again := false
	turn := f.turn[r]
	for _, set := range [2]uint64{f.waiting[r] >> turn << turn, f.waiting[r] &^ (^uint64(0) << turn)} {
		for ; set != 0; set &= set - 1 {
			slot := firstBit(set)
			qi := f.first[r] + int32(slot)
			q := &f.queues[qi]
			e := f.entries[q.start+int32(q.head)]
			if clock.Cycle(e.ready>>1) > t {
				continue // it has a wake-up of its own
			}
			ch := &f.channels[r*MaxColors+int(q.color)]
			way := ch.positions[ch.now]
			switch {
			case !way.Rx.Has(q.port):
				f.stats[r].Switched++ // waits for the switch
			case way.Tx&busy != 0:
				f.stats[r].Contended++
				again = true
			case !b.room(r, q.color, way.Tx):
				f.stats[r].Blocked++ // a returned credit wakes the router
			default:
				busy |= way.Tx
				b.send(t, r, q.color, way.Tx, e)
				again = b.pop(t, r, slot, q) || again
				if e.ready&1 != 0 && ch.count > 1 {
					ch.advance()
					again = true
				}
				f.turn[r] = uint8(slot+1) & 63
			}
		}
	}
	if again {
		b.wheel.Wake(t+1, r-b.from)
	}
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
		if b.f.credits[b.f.key(r, tx.first(), c)] == 0 {
			return false
		}
	}
	return true
}

// send sends a copy of the wavelet through each port.
func (b *Band) send(t clock.Cycle, r int, c Color, tx Ports, e entry) {
	f := b.f
	for ; tx != 0; tx &= tx - 1 {
		p := tx.first()
		key := f.key(r, p, c)
		f.credits[key]--
		f.stats[r].Passed[p]++
		if p == Ramp {
			b.deliver(t, r, c, e)
			continue
		}
		e.ready = uint32(t+clock.Cycle(f.config.Hop))<<1 | e.ready&1
		if n := r + f.offset[p]; n >= b.from && n < b.to {
			b.take(n, f.dest[key], e)
		} else {
			out := &b.remote[side(n >= b.to)]
			out.sent = append(out.sent, parcel{f.dest[key], e})
		}
	}
}

// deliver passes a wavelet to the core.
func (b *Band) deliver(t clock.Cycle, r int, c Color, e entry) {
	f := b.f
	at := t + clock.Cycle(f.config.Ramp)
	e.ready = uint32(at)<<1 | e.ready&1
	f.push(f.inbox[r*MaxColors+int(c)], e)
	b.woken(at, r)
}

// take puts a wavelet into a queue of a router of this band.
func (b *Band) take(r int, qi int32, e entry) {
	f := b.f
	f.push(qi, e)
	f.waiting[r] |= 1 << (qi - f.first[r])
	b.wheel.Wake(clock.Cycle(e.ready>>1), r-b.from)
}

func (f *Fabric) push(qi int32, e entry) {
	q := &f.queues[qi]
	f.entries[q.start+int32((q.head+q.count)&(ring-1))] = e
	q.count++
}

// pop removes the first wavelet of a router's queue, which returns a credit to its sender.
// It reports whether another one can go in the next cycle; one that is still on its way has
// a wake-up of its own. Trying it earlier would count stalls of other queues that another
// division into bands does not count.
func (b *Band) pop(t clock.Cycle, r, slot int, q *queue) bool {
	f := b.f
	q.advance()
	next := q.count > 0 && clock.Cycle(f.entries[q.start+int32(q.head)].ready>>1) <= t+1
	if q.count == 0 {
		f.waiting[r] &^= 1 << slot
	}
	if q.port == Ramp {
		b.vacated = append(b.vacated, int32(r*MaxColors+int(q.color)))
		return next
	}
	n := r + f.offset[q.port]
	key := int32(f.key(n, q.port.Opposite(), q.color))
	if n >= b.from && n < b.to {
		b.freed = append(b.freed, key)
	} else {
		out := &b.remote[side(n >= b.to)]
		out.freed = append(out.freed, key)
	}
	return next
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
	for _, i := range b.vacated {
		b.f.room[i]++
		b.woken(t+1, int(i)/MaxColors)
	}
	b.vacated = b.vacated[:0]
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
		b.take(b.routerOf(p.queue), p.queue, p.entry)
	}
	b.credit(t, out.freed)
	out.sent, out.freed = out.sent[:0], out.freed[:0]
}

func (b *Band) credit(t clock.Cycle, keys []int32) {
	for _, key := range keys {
		b.f.credits[key]++
		if r := int(key) / (int(ports) * MaxColors); b.f.waiting[r] != 0 {
			b.wheel.Wake(t+1, r-b.from)
		}
	}
}

// Range returns the routers of the band: from the first up to, but without, to.
func (b *Band) Range() (from, to int) { return b.from, b.to }

// BandOf returns the index of the band of a router.
func (f *Fabric) BandOf(router int) int { return int(f.bandOf[router/f.width]) }
