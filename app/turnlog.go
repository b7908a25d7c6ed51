package app

import (
	"sync"
	"time"

	"waferpair/app/parts"
	"waferpair/engine"
	"waferpair/engine/beside"
	"waferpair/history"
)

// TurnLog collects what happens in a turn, for everybody who shows it: pages of any server,
// at any time. The turn writes it, and readers never slow the turn. Each reader keeps a
// LogPosition and gets what is new since then, which is never longer than what is left to
// show, nor larger than what the model said.
type TurnLog struct {
	ID      history.TurnID
	Session history.SessionID
	Request string
	Model   string
	Mode    Mode
	Kind    Kind          // of task; "": the mode's own
	Auto    string        // why "auto" chose the model; "": the user named it
	Beside  *beside.Meter // nil: the model does not run on this computer
	Asked   time.Time     // zero: when the turn began
	Began   time.Time

	changed func()        // notifies the listener
	begun   chan struct{} // closed when turn is set
	turn    *engine.Turn
	over    chan struct{} // closed when the turn has ended and the log is complete

	mu     sync.Mutex
	list   parts.List
	acked  []engine.EditAcked
	path   string // the file that the model is writing
	doing  *engine.Working
	since  int64 // tokens when doing began
	paused bool
	ended  *engine.Outcome
	took   time.Duration
	rate   rate
}

// LogPosition is how much of a log a reader has. The zero value is nothing.
type LogPosition struct {
	Began, Ended bool
	Parts        parts.Place
	Acked        int
}

// TurnDelta is what is new in a turn's log.
type TurnDelta struct {
	Parts   []parts.PartDelta
	Acked   []engine.EditAcked
	Live    TurnLive
	Outcome *engine.Outcome // set when the turn has ended
}

// TurnLive are the current figures of a turn.
type TurnLive struct {
	Paused    bool
	Ended     bool
	Tokens    int64
	PerSecond float64 // over the last half second; over the whole turn once it has ended
	Elapsed   time.Duration
	Path      string // the file that the model is writing
	// what a language model does before it writes, or the turn for it: connect, prefill, a retry,
	// a tool; nil: it writes
	Doing *engine.Working
	Wafer *beside.Estimate // what the emulated wafer would have done so far; nil: nothing
}

// NewTurnLog returns an empty log; changed is called when the log grows.
func NewTurnLog(changed func()) *TurnLog {
	return &TurnLog{Began: time.Now(), changed: changed, begun: make(chan struct{}), over: make(chan struct{})}
}

// Started sets the turn of the log. Events may have come before.
func (l *TurnLog) Started(t *engine.Turn) {
	l.mu.Lock()
	l.turn = t
	l.mu.Unlock()
	close(l.begun)
}

// Take adds an event of the engine to the log.
func (l *TurnLog) Take(ev engine.Event) {
	l.take(ev)
	l.changed()
}

func (l *TurnLog) take(ev engine.Event) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.rate.sample(time.Now(), l.tokens())
	l.list.Take(ev)
	switch ev := ev.(type) {
	case engine.Working:
		l.doing, l.since = &ev, l.tokens()
	case engine.HunkOpened:
		l.path = ev.Path
	case engine.HunkChanged:
		l.path = ev.Path
	case engine.EditAcked:
		l.acked = append(l.acked, ev)
	case engine.Ended:
		ev.Said = "" // the parts contain it
		l.ended, l.took, l.path, l.paused = &ev.Outcome, time.Since(l.Began), "", false
		close(l.over)
	}
}

// tokens returns the number of tokens that the model produced. l.mu is held.
func (l *TurnLog) tokens() int64 {
	if l.turn == nil {
		return 0
	}
	return l.turn.Tokens()
}

// Since returns what is new for a reader, with the current figures, and the reader's new
// position.
func (l *TurnLog) Since(t LogPosition) (TurnDelta, LogPosition) {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := TurnDelta{Live: l.live(time.Now())}
	if !t.Ended {
		n.Outcome = l.ended
	}
	n.Parts, t.Parts = l.list.Since(t.Parts)
	n.Acked = l.acked[t.Acked:len(l.acked):len(l.acked)]
	t.Began, t.Ended, t.Acked = true, l.ended != nil, len(l.acked)
	return n, t
}

func (l *TurnLog) live(now time.Time) TurnLive {
	if l.ended != nil {
		return TurnLive{Ended: true, Tokens: int64(l.ended.Timing.Tokens),
			PerSecond: l.ended.Timing.TokensPerSecond(), Elapsed: l.took, Wafer: l.ended.Wafer}
	}
	v := TurnLive{Paused: l.paused, Tokens: l.tokens(), Elapsed: now.Sub(l.Began), Path: l.path,
		Wafer: l.Beside.Now()}
	if v.Tokens == l.since {
		v.Doing = l.doing
	}
	l.rate.sample(now, v.Tokens) // also if nothing happens
	v.PerSecond = l.rate.at(now, v.Tokens)
	return v
}

// Over is closed when the turn has ended and the log is complete.
func (l *TurnLog) Over() <-chan struct{} { return l.over }

// IsOver reports whether Over is closed.
func (l *TurnLog) IsOver() bool {
	select {
	case <-l.over:
		return true
	default:
		return false
	}
}

// Steer forwards to engine.Turn. A paused model continues with the instruction.
func (l *TurnLog) Steer(text string) int {
	<-l.begun
	n := l.turn.Steer(text)
	if n > 0 {
		l.pause(false)
	}
	return n
}

// Stop forwards to engine.Turn.
func (l *TurnLog) Stop() {
	<-l.begun
	l.turn.Stop()
}

// Pause forwards to engine.Turn.
func (l *TurnLog) Pause() {
	<-l.begun
	l.turn.Pause()
	l.pause(true)
}

// Resume forwards to engine.Turn.
func (l *TurnLog) Resume() {
	<-l.begun
	l.turn.Resume()
	l.pause(false)
}

// pause notes whether the turn is paused.
func (l *TurnLog) pause(paused bool) {
	l.mu.Lock()
	l.paused = paused && l.ended == nil
	l.mu.Unlock()
	l.changed()
}

// rate measures tokens per second over the last half second, from samples taken every
// twentieth of a second.
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

// at returns the current rate, measured from the newest sample that is half a second old,
// or from the first one.
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
	return float64(tokens-base.tokens) / d.Seconds()
}
