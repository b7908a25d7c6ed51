package app

import "sync"

// The place of a lock in the order of locks, see locks.go: whoever holds one may take
// those of a higher rank only.
const (
	savingRank = 1 + iota
	filesRank
	tableRank
)

// ordered is a lock that has its place in the order.
type ordered struct {
	sync.Mutex
	rank int
}

func (o *ordered) Lock() {
	takes(o.rank)
	o.Mutex.Lock()
}

func (o *ordered) TryLock() bool {
	if !o.Mutex.TryLock() {
		return false
	}
	takes(o.rank)
	return true
}

func (o *ordered) Unlock() {
	gives(o.rank)
	o.Mutex.Unlock()
}

// handOver leaves the lock, which stays locked, to another goroutine, which takes it over.
func (o *ordered) handOver() { gives(o.rank) }
func (o *ordered) takeOver() { takes(o.rank) }
