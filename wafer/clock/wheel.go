// Package clock owns simulated time: a queue of wake-ups and the loop that steps bands of
// components through it.
//
// Time is a count of cycles. A component asks to be woken at a cycle; asking twice for the
// same cycle is asking once. At equal times components are woken in the order of their IDs,
// which is row by row, so that a run has one order of events whatever the host does.
//
// A component does not see what others do in the same cycle: it writes only its own state
// and sends messages. Therefore a run is the same for any number of host threads (see Run).
package clock

import (
	"container/heap"
	"math"
	"math/bits"
)

// Cycle is a point in simulated time.
type Cycle int64

// Never is after every cycle.
const Never Cycle = math.MaxInt64

// span is how many cycles ahead the wheel reaches; later wake-ups wait in a heap.
const span = 64

// Wheel is the queue of wake-ups of one band. Its zero value is not usable.
type Wheel struct {
	now   Cycle
	words int
	slots [span][]uint64 // one bit per component, in the slot of its cycle
	count [span]int
	later laterHeap
}

// NewWheel returns the queue of components 0 to n-1.
func NewWheel(n int) *Wheel {
	w := &Wheel{words: (n + 63) / 64}
	backing := make([]uint64, span*w.words)
	for i := range w.slots {
		w.slots[i] = backing[i*w.words : (i+1)*w.words]
	}
	return w
}

// Wake requests a wake-up of component id at cycle t, which must not be past.
func (w *Wheel) Wake(t Cycle, id int) {
	if t-w.now >= span {
		heap.Push(&w.later, wakeUp{t, id})
		return
	}
	w.set(t, id)
}

func (w *Wheel) set(t Cycle, id int) {
	slot := int(t) & (span - 1)
	word, bit := &w.slots[slot][id>>6], uint64(1)<<(id&63)
	if *word&bit == 0 {
		*word |= bit
		w.count[slot]++
	}
}

// Next returns the earliest cycle with a wake-up, or Never.
func (w *Wheel) Next() Cycle {
	next := Never
	if len(w.later) > 0 {
		next = w.later[0].at
	}
	for t := w.now; t < min(next, w.now+span); t++ {
		if w.count[int(t)&(span-1)] > 0 {
			return t
		}
	}
	return next
}

// Advance sets the present to t. No wake-up before t may be left.
func (w *Wheel) Advance(t Cycle) {
	w.now = t
	for len(w.later) > 0 && w.later[0].at-t < span {
		up := heap.Pop(&w.later).(wakeUp)
		w.set(up.at, up.id)
	}
}

// Each calls wake for every component with a wake-up in the present cycle, in the order of
// IDs. A wake-up for this cycle that is requested meanwhile must have a greater ID.
func (w *Wheel) Each(wake func(id int)) {
	slot := int(w.now) & (span - 1)
	if w.count[slot] == 0 {
		return
	}
	for i := range w.slots[slot] {
		for w.slots[slot][i] != 0 {
			bit := bits.TrailingZeros64(w.slots[slot][i])
			w.slots[slot][i] &^= 1 << bit
			w.count[slot]--
			wake(i<<6 + bit)
		}
	}
}

type wakeUp struct {
	at Cycle
	id int
}

type laterHeap []wakeUp

func (h laterHeap) Len() int { return len(h) }
func (h laterHeap) Less(i, j int) bool {
	return h[i].at < h[j].at || h[i].at == h[j].at && h[i].id < h[j].id
}
func (h laterHeap) Swap(i, j int) { h[i], h[j] = h[j], h[i] }
func (h *laterHeap) Push(x any)   { *h = append(*h, x.(wakeUp)) }
func (h *laterHeap) Pop() any {
	old := *h
	last := old[len(old)-1]
	*h = old[:len(old)-1]
	return last
}
