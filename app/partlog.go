package app

import (
	"context"
	"encoding/json"
	"slices"
	"sync"
	"time"

	"waferpair/app/mask"
	"waferpair/app/parts"
	"waferpair/engine"
	"waferpair/history"
)

// partLog keeps the parts of a turn in the history: about once a second while it
// runs, so that a turn that a crash interrupts is shown as far as it got, and
// when it ends.
type partLog struct {
	project *sessions
	turn    history.TurnID

	writing sync.Mutex // held while a record is written, so that the newest one stays; taken before mu

	mu      sync.Mutex
	list    *parts.List
	nearest []string
	timer   *time.Timer
	waiting bool // for the timer
}

// partsEvery is how old what happened in a turn may get before it is written down.
const partsEvery = time.Second

// see takes an event of the turn in.
func (l *partLog) see(ev engine.Event) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.list.Take(ev) || l.waiting {
		return
	}
	l.waiting = true
	l.timer = time.AfterFunc(partsEvery, func() {
		_ = l.write(mask.Growing) // if that goes on, the end of the turn tells
	})
}

// end writes down everything, ahead of the turn's end.
func (l *partLog) end(o engine.Outcome) error {
	l.mu.Lock()
	if l.timer != nil {
		l.timer.Stop()
	}
	if o.Refusal != nil {
		l.nearest = o.Refusal.Candidates
	}
	l.mu.Unlock()
	return l.write(mask.Words)
}

// write masks with hide what is said last: while the turn runs, more of it may come.
func (l *partLog) write(hide func(string) string) error {
	l.writing.Lock()
	defer l.writing.Unlock()
	l.mu.Lock()
	l.waiting = false
	r := parts.Record{Parts: l.list.All(), Nearest: l.nearest}
	l.mu.Unlock()
	r.Nearest = slices.Clone(r.Nearest)
	for i := range r.Nearest {
		r.Nearest[i] = mask.Words(r.Nearest[i])
	}
	for i, p := range r.Parts {
		say := mask.Words
		if i == len(r.Parts)-1 {
			say = hide
		}
		r.Parts[i] = p.MapWords(say)
	}
	b, err := json.Marshal(r)
	if err != nil {
		return err
	}
	return l.project.store.SetTurnParts(context.Background(), l.turn, b)
}
