package client

import (
	"sync/atomic"
	"time"
)

// watch calls fire when a stream was silent for a time, and up to half of it more. It costs
// a token two additions: setting a timer for each costs more than decoding it. Time in
// which events are handled is not silence, because a turn may be paused.
type watch struct {
	turns atomic.Int64 // odd while the stream is waited for
	done  atomic.Bool
	fire  func()
	every time.Duration
	timer *time.Timer

	// of the timer's goroutine
	last    int64
	strikes int
}

// silence returns a watch. stop ends it.
func silence(most time.Duration, fire func()) *watch {
	w := &watch{fire: fire, every: most / 2}
	begin := make(chan struct{})
	w.timer = time.AfterFunc(w.every, func() {
		<-begin // until timer is set
		w.tick()
	})
	close(begin)
	return w
}

// turn notes that a wait begins, or that it has ended.
func (w *watch) turn() { w.turns.Add(1) }

func (w *watch) tick() {
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

func (w *watch) stop() {
	w.done.Store(true)
	w.timer.Stop()
}
