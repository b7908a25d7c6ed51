package fabric

import "fmt"

// Stuck describes wavelets in a router that cannot leave, and why.
type Stuck struct {
	At     At
	Color  Color
	From   Port
	Count  int
	Reason string
}

func (s Stuck) String() string {
	return fmt.Sprintf("%d of color %d at %v from %v: %s", s.Count, s.Color, s.At, s.From, s.Reason)
}

// Stuck returns the wavelets left in the routers when nothing moves any more.
func (f *Fabric) Stuck() []Stuck {
	var list []Stuck
	for r := range f.routers() {
		for slot := range f.hubs[r].queues {
			if q := &f.queues[f.queueAt(r, slot)]; q.count > 0 {
				list = append(list, Stuck{f.at(r), q.color, q.port, int(q.count), f.reason(r, q)})
			}
		}
	}
	return list
}

func (f *Fabric) reason(r int, q *queue) string {
	ch := &f.channels[r*MaxColors+int(q.color)]
	way := ch.positions[ch.now]
	if !way.Rx.Has(q.port) {
		return fmt.Sprintf("switch position %d of %d takes from %v", ch.now, ch.count, way.Rx)
	}
	for p := Ramp; p < ports; p++ {
		if !way.Tx.Has(p) || f.credits[f.target(r, p, q.color)] > 0 {
			continue
		}
		if p == Ramp {
			return "the core does not take it"
		}
		n := f.neighbour(r, p)
		if f.slotOf[f.key(n, p.Opposite(), q.color)] == 0 {
			return fmt.Sprintf("%v takes nothing of it from %v", f.at(n), p.Opposite())
		}
		return fmt.Sprintf("the queue at %v is full", f.at(n))
	}
	if way.Tx == 0 {
		return "the route leads nowhere"
	}
	return "it could go on"
}

// Undelivered counts the wavelets in the input queues of a core.
func (f *Fabric) Undelivered(at At) map[Color]int {
	left := map[Color]int{}
	for c := range Color(f.config.Colors) {
		if qi := f.inbox[f.id(at)*MaxColors+int(c)]; qi != 0 && f.queues[qi].count > 0 {
			left[c] = int(f.queues[qi].count)
		}
	}
	return left
}
