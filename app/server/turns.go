package server

import (
	"context"
	"fmt"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"waferpair/app"
	"waferpair/engine"
	"waferpair/engine/model"
	"waferpair/history"
)

// turns are the turns of an open project: one at a time. The last one stays, so
// that a page that connects again sees how it ended.
type turns struct {
	starting sync.Mutex

	mu   sync.Mutex
	last *turnLog
}

func (t *turns) get() *turnLog {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.last
}

// forget lets go of a turn that is over.
func (t *turns) forget() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.last != nil && t.last.isOver() {
		t.last = nil
	}
}

// running is the turn that runs, or nil.
func (o *opened) running() *turnLog {
	if l := o.turns.get(); l != nil && !l.isOver() {
		return l
	}
	return nil
}

// maxRequest bounds what a user can ask, in bytes.
const maxRequest = 1 << 20

// check refuses requests that no model could carry out.
func (r Request) check(models *engine.Registry) error {
	switch {
	case strings.TrimSpace(r.Text) == "":
		return usage("The request is empty: say what to do.")
	case len(r.Text) > maxRequest:
		return usage("The request is longer than 1 MB.")
	case r.File == "" && (r.From != 0 || r.To != 0):
		return usage("Lines are selected, but no file.")
	case r.From < 0 || r.To < r.From || r.From == 0 && r.To != 0:
		return usage(fmt.Sprintf("Lines %d to %d cannot be selected: the first is 1, and the last is not before it.", r.From, r.To))
	}
	for _, g := range r.Scope {
		if err := model.CheckGlob(g); err != nil {
			return usage(err.Error())
		}
	}
	if _, err := models.Open(r.Model); err != nil {
		return usage(err.Error())
	}
	return nil
}

// edit starts a turn.
func (o *opened) edit(r Request, arrived time.Time) (*turnLog, error) {
	if err := r.check(o.Models()); err != nil {
		return nil, err
	}
	o.turns.starting.Lock()
	defer o.turns.starting.Unlock()
	if o.ctx.Err() != nil {
		return nil, errNone
	}
	if o.running() != nil {
		return nil, fail(codeBusy, "A turn is running already: steer it, or stop it first.")
	}
	turn, err := o.Edit(o.ctx, app.EditRequest{
		Text: r.Text, Model: r.Model, Scope: r.Scope,
		Target: model.Target{File: r.File, From: r.From, To: r.To},
	})
	if err != nil {
		return nil, err
	}
	l := &turnLog{turn: turn, began: time.Now(), over: make(chan struct{}), changed: o.turnChanged}
	l.queue = l.began.Sub(arrived)
	l.first = o.began(r, l.began)
	o.turns.mu.Lock()
	o.turns.last = l
	o.turns.mu.Unlock()
	go func() {
		l.follow()
		o.tell(func(k *known) { k.turn, k.project = true, true })
		debug.FreeOSMemory() // what a long turn needed; nobody waits for this
	}()
	o.tell(func(k *known) { k.turn, k.project = true, true }) // it may have begun a session
	return l, nil
}

func (o *opened) began(r Request, at time.Time) TurnBegan {
	b := TurnBegan{Request: r.Text, Model: r.Model, At: at.UnixMilli()}
	if m, err := o.Models().Open(r.Model); err == nil {
		b.Model = m.Info().Name
	}
	session, err := o.session(o.ctx)
	if err != nil {
		o.host.notice(levelWarning, fmt.Sprintf("The session of the turn could not be read: %v", err))
	}
	b.Session = session
	return b
}

func (o *opened) turnChanged() { o.tell(func(k *known) { k.turn = true }) }

// theTurn is the running turn with this number.
func (o *opened) theTurn(id history.TurnID) (*turnLog, error) {
	if l := o.running(); l != nil && l.id() == id {
		return l, nil
	}
	return nil, fail(codeGone, fmt.Sprintf("Turn %d is not running any more.", id))
}

// finish stops the running turn and waits for its end, which is recorded by then.
func (t *turns) finish() error {
	t.starting.Lock()
	defer t.starting.Unlock()
	l := t.get()
	if l == nil || l.isOver() {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute) // settling is bounded by half of it
	defer cancel()
	l.turn.Stop()
	select {
	case <-l.over:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("stop turn %d: it did not end within a minute; what it edited until then is kept", l.turn.ID())
	}
}
