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

// itemLog stores the items of a turn in the history: about once a second while the turn
// runs, so that a crash loses little of what the conversation shows; when the user steers;
// and when the turn ends.
type itemLog struct {
	project *sessions
	turn    history.TurnID
	asked   history.Turn               // the turn as it was recorded at its beginning
	choice  Choice                     // that the user made with it
	ending  func(engine.Outcome) error // called when the items are stored, before the end is; or nil

	writing sync.Mutex // held while items are handed to the store, so that newer ones win; taken before mu

	mu      sync.Mutex
	log     items.Log
	timer   *time.Timer
	waiting bool // for the timer
	unmade  []engine.Unmade
	held    bool // unmade has to be stored
}

// itemsEvery is the longest time that items stay only in memory.
const itemsEvery = time.Second

// record adds a delta of the model's answer.
func (l *itemLog) record(round int, d model.Delta) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.log.Record(round, d)
	l.schedule()
}

// observe adds an event of the turn. The user's steering is stored at once, beside the turn: the answer
// is cut without waiting for the disk.
func (l *itemLog) observe(ev engine.Event) {
	l.mu.Lock()
	kept := l.log.Take(ev)
	if kept {
		l.schedule()
	}
	l.mu.Unlock()
	if s, steered := ev.(engine.Steered); steered && s.State == engine.SteerQueued {
		go func() { _ = l.write() }() // if it fails, the end of the turn reports it; nothing is left after that
	}
}

// waits sets the hunks that are held because of other turns: the user can then approve
// them even if the program is killed before the turn ends.
func (l *itemLog) waits(unmade []engine.Unmade) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.unmade, l.held = unmade, true
	l.schedule()
}

// schedule starts the timer for the next write, if it is not running. l.mu is held.
func (l *itemLog) schedule() {
	if l.waiting {
		return
	}
	l.waiting = true
	l.timer = time.AfterFunc(itemsEvery, func() {
		if l.project.store.Stalled() == nil {
			_ = l.write() // if it keeps failing, the end of the turn reports it
			return
		}
		l.mu.Lock()
		defer l.mu.Unlock()
		l.waiting = false // items that stay in memory during a stall are merged, and so do not pile up
	})
}

// write stores what changed: held hunks before the items that show them as held.
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

// end stores everything, before the end of the turn is recorded.
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
