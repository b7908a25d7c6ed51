package server

import (
	"math"
	"sync"
	"time"

	"waferpair/app/parts"
	"waferpair/engine"
	"waferpair/history"
)

// turnLog is what happened in a turn, for all pages. One goroutine reads the
// turn's events into it, so a slow page never slows the turn. Each page has a place
// in it (told) and gets what is new since then: it is no longer than what there is
// to be shown, and no larger than what the model said.
type turnLog struct {
	turn    *engine.Turn
	session history.SessionID
	began   time.Time
	first   TurnBegan
	queue   time.Duration // from the command's arrival to the turn's start
	changed func()        // tells the pages
	over    chan struct{} // closed once the turn has ended and all is in the log

	mu     sync.Mutex
	list   parts.List
	acked  []engine.EditAcked
	path   string // where the model writes
	paused bool
	ended  *Outcome
	took   time.Duration
	rate   rate
}

// told is how much of a log a page has. The zero value is nothing of it.
type told struct {
	began, ended bool
	parts        parts.Place
	acked        int
}

// liveEvery is how often the running figures are shown when nothing happens.
const liveEvery = 250 * time.Millisecond

// follow reads the turn to its end.
func (l *turnLog) follow() {
	defer close(l.over)
	tick := time.NewTicker(liveEvery)
	defer tick.Stop()
	events := l.turn.Events()
	for {
		select {
		case ev, ok := <-events:
			if !ok {
				return
			}
			l.take(ev)
		case <-tick.C:
		}
		l.changed()
	}
}

// take puts one event of the engine into the log.
func (l *turnLog) take(ev engine.Event) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.rate.sample(time.Now(), l.turn.Tokens())
	l.list.Take(ev)
	switch ev := ev.(type) {
	case engine.HunkOpened:
		l.path = ev.Path
	case engine.HunkChanged:
		l.path = ev.Path
	case engine.EditAcked:
		l.acked = append(l.acked, ev)
	case engine.Ended:
		l.end(ev.Outcome)
	}
}

func (l *turnLog) end(o engine.Outcome) {
	w := wireOutcome(o, l.queue)
	l.ended, l.took, l.path, l.paused = &w, time.Since(l.began), "", false
}

func (l *turnLog) id() history.TurnID { return history.TurnID(l.turn.ID()) }

// since is what is new for a page, with the figures as of now, and what it was
// told then.
func (l *turnLog) since(t told) (TurnNews, told) {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := TurnNews{Turn: l.id(), Live: l.live(time.Now())}
	if !t.began {
		n.Began = &l.first
	}
	if !t.ended {
		n.Outcome = l.ended
	}
	n.Parts, t.parts = l.list.Since(t.parts)
	n.Acked = l.acked[t.acked:len(l.acked):len(l.acked)]
	t.began, t.ended, t.acked = true, l.ended != nil, len(l.acked)
	return n, t
}

func (l *turnLog) live(now time.Time) TurnLive {
	if l.ended != nil {
		return TurnLive{State: turnEnded, Tokens: int64(l.ended.Timing.Tokens), PerSecond: l.ended.Timing.PerSecond, Elapsed: millis(l.took)}
	}
	v := TurnLive{State: turnRunning, Tokens: l.turn.Tokens(), Elapsed: millis(now.Sub(l.began)), Path: l.path}
	l.rate.sample(now, v.Tokens) // also while nothing happens
	v.PerSecond = l.rate.at(now, v.Tokens)
	if l.paused {
		v.State = turnPaused
	}
	return v
}

// pause notes that the turn is paused, or not. A turn that no page has begun has no log.
func (l *turnLog) pause(paused bool) {
	if l == nil {
		return
	}
	l.mu.Lock()
	l.paused = paused && l.ended == nil
	l.mu.Unlock()
	l.changed()
}

func (l *turnLog) isOver() bool {
	select {
	case <-l.over:
		return true
	default:
		return false
	}
}

// rate measures tokens per second over the last half second, from samples a
// twentieth of a second apart.
type rate struct{ samples []sample }

type sample struct {
	at     time.Time
	tokens int64
}

const (
	rateOver  = 500 * time.Millisecond
	rateEvery = rateOver / 10
)

func (r *rate) sample(now time.Time, tokens int64) {
	if n := len(r.samples); n > 0 && now.Sub(r.samples[n-1].at) < rateEvery {
		return
	}
	for len(r.samples) > 1 && now.Sub(r.samples[1].at) >= rateOver {
		r.samples = r.samples[1:]
	}
	r.samples = append(r.samples, sample{now, tokens})
}

// at is the rate now. It is measured from the newest sample that is half a
// second old, or from the first one.
func (r *rate) at(now time.Time, tokens int64) float64 {
	if len(r.samples) == 0 {
		return 0
	}
	base := r.samples[0]
	for _, s := range r.samples {
		if now.Sub(s.at) >= rateOver {
			base = s
		}
	}
	d := now.Sub(base.at)
	if d < rateEvery {
		return 0
	}
	return tenth(float64(tokens-base.tokens) / d.Seconds())
}

func tenth(f float64) float64 { return math.Round(f*10) / 10 }

// millis is a duration in milliseconds, to a hundredth.
func millis(d time.Duration) float64 {
	return float64(d.Round(10*time.Microsecond)) / float64(time.Millisecond)
}
