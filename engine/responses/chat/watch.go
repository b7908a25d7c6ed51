package chat

import (
	"sync/atomic"
	"time"
)

// Watch calls fire when a stream was silent for a time, and up to half of it more. It costs
// a token two additions: setting a timer for each costs more than decoding it. Time in
// which events are handled is not silence, because a turn may be paused.
type Watch struct {
	turns atomic.Int64 // odd while the stream is waited for
	done  atomic.Bool
	fire  func()
	every time.Duration
	timer *time.Timer

	// of the timer's goroutine
	last    int64
	strikes int
}

// Silence returns a watch. Stop ends it.
func Silence(most time.Duration, fire func()) *Watch {
	w := &Watch{fire: fire, every: most / 2}
	begin := make(chan struct{})
	w.timer = time.AfterFunc(w.every, func() {
		<-begin // until timer is set
		w.tick()
	})
	close(begin)
	return w
}

// Turn notes that a wait begins, or that it has ended.
func (w *Watch) Turn() { w.turns.Add(1) }

func (w *Watch) tick() {
	now := w.turns.Load()
	if now%2 == 1 && now == w.last {
		w.strikes++
	} else {
		w.strikes = 0
	}
	w.last = now
	switch {
	case w.done.Load():
	case w.strikes == 2:
		w.fire()
	default:
		w.timer.Reset(w.every)
	}
}

// Stop ends it.
func (w *Watch) Stop() {
	w.done.Store(true)
	w.timer.Stop()
}
