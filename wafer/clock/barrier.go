package clock

import (
	"runtime"
	"sync/atomic"
)

// barrier lets size goroutines go on when all of them have arrived. They meet
// several times a simulated cycle, some hundred nanoseconds apart, so they
// look for each other for a while before they let others run.
type barrier struct {
	size    int64
	arrived atomic.Int64
	round   atomic.Int64
}

const looks = 200 // before giving the processor away

func (b *barrier) arrive() {
	if b.size == 1 {
		return
	}
	round := b.round.Load()
	if b.arrived.Add(1) == b.size {
		b.arrived.Store(0)
		b.round.Add(1)
		return
	}
	for i := 0; b.round.Load() == round; i++ {
		if i > looks {
			runtime.Gosched()
		}
	}
}
