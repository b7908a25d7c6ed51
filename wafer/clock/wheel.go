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
	"math"
	"math/bits"
)

// Cycle is a point in simulated time.
type Cycle int64

// Never is after every cycle.
const Never Cycle = math.MaxInt64

// span is how many cycles ahead the wheel reaches; later wake-ups wait in a heap. It is the
// number of bits of busy.
const span = 64

// Wheel is the queue of wake-ups of one band. Its zero value is not usable.
type Wheel struct {
	now   Cycle
	busy  uint64   // a bit for each slot that has wake-ups
	words int      // of a slot
	slots []uint64 // of each of the next span cycles, one bit per component
	due   []uint64 // see Due
	later []wakeUp // a heap: entry i is not after entries 2i+1 and 2i+2
}

// NewWheel returns the queue of components 0 to n-1.
func NewWheel(n int) *Wheel {
	words := (n + 63) / 64
	return &Wheel{words: words, slots: make([]uint64, span*words), due: make([]uint64, words)}
}

// Wake requests a wake-up of component id at cycle t, which must not be past.
func (w *Wheel) Wake(t Cycle, id int) {
	if t-w.now >= span {
		w.wait(wakeUp{t, id})
		return
	}
	slot := int(t) & (span - 1)
	w.busy |= 1 << slot
	w.slots[slot*w.words+id>>6] |= 1 << (id & 63)
}

// Next returns the earliest cycle with a wake-up, or Never.
func (w *Wheel) Next() Cycle {
	if w.busy != 0 { // all of them are before those in the heap
		return w.now + Cycle(bits.TrailingZeros64(bits.RotateLeft64(w.busy, -int(w.now)&(span-1))))
	}
	if len(w.later) > 0 {
		return w.later[0].at
	}
	return Never
}

// Advance sets the present to t. No wake-up before t may be left.
func (w *Wheel) Advance(t Cycle) {
	w.now = t
	for len(w.later) > 0 && w.later[0].at-t < span {
		up := w.earliest()
		w.Wake(up.at, up.id)
	}
}

// Due takes the wake-ups of the present cycle: a bit for each component, 64 to a word, valid
// until the next call. Meanwhile, components may ask for later cycles only.
func (w *Wheel) Due() []uint64 {
	slot := int(w.now) & (span - 1)
	if w.busy&(1<<slot) == 0 {
		return nil
	}
	w.busy &^= 1 << slot
	copy(w.due, w.slots[slot*w.words:])
	clear(w.slots[slot*w.words:][:w.words])
	return w.due
}

type wakeUp struct {
	at Cycle
	id int
}

// wait puts a wake-up into the heap.
func (w *Wheel) wait(up wakeUp) {
	w.later = append(w.later, up)
	i := len(w.later) - 1
	for parent := (i - 1) / 2; i > 0 && up.at < w.later[parent].at; i, parent = parent, (parent-1)/2 {
		w.later[i] = w.later[parent]
		w.later[parent] = up
	}
}

// earliest takes the first wake-up from the heap.
func (w *Wheel) earliest() wakeUp {
	h := w.later
	first, up := h[0], h[len(h)-1]
	h = h[:len(h)-1]
	for i := 0; i < len(h); {
		next := 2*i + 1
		if next+1 < len(h) && h[next+1].at < h[next].at {
			next++
		}
		if next >= len(h) || up.at <= h[next].at {
			h[i] = up
			break
		}
		h[i], i = h[next], next
	}
	w.later = h
	return first
}
