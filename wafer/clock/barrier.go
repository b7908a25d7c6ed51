package clock

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// barrier lets size goroutines go on when all of them have arrived. They meet
// several times a simulated cycle, some hundred nanoseconds apart, so they
// look for each other for a while before they let others run, and lie down only
// when somebody is long in coming: the computer gave his processor away. Where
// there are fewer processors than goroutines, nobody arrives while others look.
type barrier struct {
	size    int64
	looks   int // before giving the processor away
	yields  int // before lying down
	arrived atomic.Int64
	round   atomic.Int64
	mu      sync.Mutex // held to begin a round, so that nobody lies down as it begins
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
