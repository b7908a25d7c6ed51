package app

import (
	"context"
	"sync"
	"time"

	"waferpair/app/items"
	"waferpair/engine"
	"waferpair/engine/model"
	"waferpair/history"
)

// itemLog keeps the items of a turn in the history: about once a second while it
// runs, so that a turn that a crash interrupts is shown as far as it got; when the
// user cuts in; and when it ends.
type itemLog struct {
	project *sessions
	turn    history.TurnID
	asked   history.Turn // as it was recorded when it began

	writing sync.Mutex // held while items are handed to the store, so that the newest ones stay; taken before mu

	mu      sync.Mutex
	log     items.Log
	timer   *time.Timer
	waiting bool // for the timer
	unmade  []engine.Unmade
	held    bool // unmade is to be written down
}

// itemsEvery is how old what happened in a turn may get before it is written down.
const itemsEvery = time.Second

// record takes in what the model answers.
func (l *itemLog) record(round int, d model.Delta) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.log.Record(round, d)
	l.schedule()
}

// observe takes an event of the turn in. What the user says is written down at once.
func (l *itemLog) observe(ev engine.Event) {
	l.mu.Lock()
	kept := l.log.Take(ev)
	if kept {
		l.schedule()
	}
	l.mu.Unlock()
	if s, steered := ev.(engine.Steered); steered && s.State == engine.SteerQueued {
		_ = l.write() // as below
	}
}

// waits takes in which hunks are held because of other turns: they can be approved
// also when the program is killed before the turn has ended.
func (l *itemLog) waits(unmade []engine.Unmade) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.unmade, l.held = unmade, true
	l.schedule()
}

// schedule has what there is written down, unless that is to happen anyway. l.mu is held.
func (l *itemLog) schedule() {
	if l.waiting {
		return
	}
	l.waiting = true
	l.timer = time.AfterFunc(itemsEvery, func() {
		if l.project.store.Stalled() == nil {
			_ = l.write() // if that goes on, the end of the turn tells
			return
		}
		l.mu.Lock()
		defer l.mu.Unlock()
		l.waiting = false // what is as it was meanwhile would pile up
	})
}

// write writes down what changed: what is held before the items that show it as held.
func (l *itemLog) write() error {
	l.writing.Lock()
	defer l.writing.Unlock()
	l.mu.Lock()
	l.waiting = false
	batch := l.log.Changed()
	unmade, held := l.unmade, l.held
	l.held = false
	l.mu.Unlock()
	var err error
	if held {
		if err = l.project.noteUnmade(context.Background(), l.asked, unmade); err != nil {
			l.mu.Lock()
			l.held = true
			l.mu.Unlock()
		}
	}
	if len(batch) == 0 {
		return err
	}
	var ids []history.ItemID
	var list []history.Item
	if err == nil {
		list, err = batch.Items()
	}
	if err == nil {
		ids, err = l.project.store.PutItems(context.Background(), l.turn, list...)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.log.Took(batch, ids)
	return err
}

// end writes down everything, ahead of the turn's end.
func (l *itemLog) end(o engine.Outcome) error {
	l.mu.Lock()
	if l.timer != nil {
		l.timer.Stop()
	}
	l.log.End(o)
	if len(o.Unmade)+len(l.unmade) > 0 {
		l.unmade, l.held = o.Unmade, true
	}
	l.mu.Unlock()
	return l.write()
}
