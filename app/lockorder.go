package app

import "sync"

// The ranks of locks in their order, see locks.go: whoever holds a lock may take only
// locks of a higher rank.
const (
	savingRank = 1 + iota
	filesRank
	tableRank
)

// ordered is a mutex with a rank.
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

// handOver passes the locked mutex to another goroutine, which calls takeOver.
func (o *ordered) handOver() { gives(o.rank) }
func (o *ordered) takeOver() { takes(o.rank) }
