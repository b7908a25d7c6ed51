package app

import (
	"context"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"
)

// retryAfter is how long a failed recording or save waits for the next try.
const retryAfter = 5 * time.Second

// keeper does for the user's typing what nobody asks for: it journals it,
// records a burst when it has ended, and brings it to disk. One goroutine
// sleeps until something is due.
type keeper struct {
	typed map[*document]bool // documents with unrecorded typing; p.mu guards it
	save  bool               // something is to be saved; p.mu guards it
	retry time.Time          // when saves that failed are tried again; p.mu guards it
	told  map[string]string  // the trouble that was told of, by path; p.mu guards it
	wake  chan struct{}
	quit  chan struct{}
	ended sync.WaitGroup
}

// start begins to keep: keep does what is due, and says when to look again.
func (k *keeper) start(keep func(context.Context) time.Time) {
	k.typed, k.told = map[*document]bool{}, map[string]string{}
	k.wake, k.quit = make(chan struct{}, 1), make(chan struct{})
	k.ended.Go(func() { k.run(keep) })
}

// stop ends the goroutine; what is left is Settle's.
func (k *keeper) stop() {
	if k.quit != nil {
		close(k.quit)
		k.ended.Wait()
		k.quit = nil
	}
}

// watch takes care of a document that the user types in.
func (k *keeper) watch(d *document) {
	k.typed[d] = true
	k.nudge()
}

func (k *keeper) nudge() {
	select {
	case k.wake <- struct{}{}:
	default:
	}
}

// list is the documents with unrecorded typing, by path.
func (k *keeper) list() []*document {
	return slices.SortedFunc(maps.Keys(k.typed), func(a, b *document) int { return strings.Compare(a.path, b.path) })
}

func (k *keeper) run(keep func(context.Context) time.Time) {
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	for {
		select {
		case <-k.quit:
			return
		case <-k.wake:
		case <-timer.C:
		}
		timer.Reset(time.Until(keep(context.Background())))
	}
}
