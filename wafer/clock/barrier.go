package clock

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// barrier makes size goroutines wait until all of them have arrived. They meet several
// times per simulated cycle, some hundred nanoseconds apart, so they spin for a while
// before they yield, and sleep only when another goroutine is late because the computer
// took its processor away. With fewer processors than goroutines they do not spin, because
// nobody could arrive.
type barrier struct {
	size    int64
	looks   int // spins before yielding
	yields  int // yields before sleeping
	arrived atomic.Int64
	round   atomic.Int64
	mu      sync.Mutex // locked to begin a round, so that nobody goes to sleep at that moment
	begun   *sync.Cond
}

func newBarrier(size int) *barrier {
	b := &barrier{size: int64(size)}
	b.begun = sync.NewCond(&b.mu)
	if size <= runtime.GOMAXPROCS(0) {
		b.looks, b.yields = 200, 200
	}
	return b
}

func (b *barrier) arrive() {
	if b.size == 1 {
		return
	}
	round := b.round.Load()
	if b.arrived.Add(1) == b.size {
		b.arrived.Store(0)
		b.mu.Lock()
		b.round.Add(1)
		b.mu.Unlock()
		b.begun.Broadcast()
		return
	}
	for i := range b.looks + b.yields {
		if b.round.Load() != round {
			return
		}
		if i >= b.looks {
			runtime.Gosched()
		}
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for b.round.Load() == round {
		b.begun.Wait()
	}
}
