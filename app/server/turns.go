package server

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"waferpair/app"
	"waferpair/engine"
	"waferpair/engine/model"
	"waferpair/history"
)

// turns are what pages see of the turns of an open project: of each session, the one
// that runs or ran last, so that a page that connects again, or comes back to a
// session, sees how it ended.
type turns struct {
	starting sync.Mutex

	mu   sync.Mutex
	last map[history.SessionID]*turnLog
}

// of is the newest turn of a session; nil when there was none since the project is open.
func (t *turns) of(session history.SessionID) *turnLog {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.last[session]
}

func (t *turns) add(l *turnLog) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.last == nil {
		t.last = map[history.SessionID]*turnLog{}
	}
	t.last[l.session] = l
}

// find is the log of a turn that runs; nil when none does that pages have begun.
func (t *turns) find(id history.TurnID) *turnLog {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, l := range t.last {
		if l.id() == id && !l.isOver() {
			return l
		}
	}
	return nil
}

// forget lets go of the turns that are over.
func (t *turns) forget() {
	t.mu.Lock()
	defer t.mu.Unlock()
	maps.DeleteFunc(t.last, func(_ history.SessionID, l *turnLog) bool { return l.isOver() })
}

// running reports whether any turn runs, also one that no page has begun.
func (o *opened) running() bool { return len(o.Running()) > 0 }

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

// edit starts a turn: in the session that the request names, or in the one that
// requests go to.
func (o *opened) edit(r Request, arrived time.Time) (*turnLog, error) {
	if err := r.check(o.Models()); err != nil {
		return nil, err
	}
	o.turns.starting.Lock()
	defer o.turns.starting.Unlock()
	if o.ctx.Err() != nil {
		return nil, errNone
	}
	in := ""
	if r.Session != 0 {
		in = strconv.FormatInt(int64(r.Session), 10)
	}
	turn, err := o.Edit(o.ctx, app.EditRequest{
		Text: r.Text, Model: r.Model, Scope: r.Scope, Session: in,
		Target: model.Target{File: r.File, From: r.From, To: r.To},
	})
	var busy *app.SessionBusy
	switch {
	case errors.As(err, &busy):
		return nil, fail(codeBusy, "A turn is running in this session already: steer it, stop it, or ask in another session.")
	case err != nil:
		return nil, err
	}
	l := &turnLog{turn: turn, session: o.sessionOf(r), began: time.Now(), over: make(chan struct{}), changed: o.turnChanged}
	l.queue = l.began.Sub(arrived)
	l.first = o.began(r, l)
	o.turns.add(l)
	go func() {
		l.follow()
		o.tell(func(k *known) { k.turn, k.project = true, true })
		debug.FreeOSMemory() // what a long turn needed; nobody waits for this
	}()
	o.tell(func(k *known) { k.turn, k.project = true, true }) // it may have begun a session
	return l, nil
}

// sessionOf is the session in which a request that was taken is answered.
func (o *opened) sessionOf(r Request) history.SessionID {
	if r.Session != 0 {
		return r.Session
	}
	session, err := o.session(o.ctx)
	if err != nil {
		o.host.notice(levelWarning, fmt.Sprintf("The session of the turn could not be read: %v", err))
	}
	return session
}

func (o *opened) began(r Request, l *turnLog) TurnBegan {
	b := TurnBegan{Session: l.session, Request: r.Text, Model: r.Model, At: l.began.UnixMilli()}
	if m, err := o.Models().Open(r.Model); err == nil {
		b.Model = m.Info().Name
	}
	return b
}

func (o *opened) turnChanged() { o.tell(func(k *known) { k.turn = true }) }

// theTurn is the running turn with this number, with its log where it has one: one
// that another process has asked for here has none.
func (o *opened) theTurn(id history.TurnID) (*engine.Turn, *turnLog, error) {
	if l := o.turns.find(id); l != nil {
		return l.turn, l, nil
	}
	if t := o.RunningTurn(id); t != nil {
		return t, nil, nil
	}
	return nil, nil, fail(codeGone, fmt.Sprintf("Turn %d is not running any more.", id))
}

// finish stops the turns that pages have begun and waits for their ends, which are
// recorded by then.
func (t *turns) finish() error {
	t.starting.Lock()
	defer t.starting.Unlock()
	t.mu.Lock()
	all := slices.Collect(maps.Values(t.last))
	t.mu.Unlock()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute) // settling is bounded by half of it
	defer cancel()
	for _, l := range all {
		if !l.isOver() {
			l.turn.Stop()
		}
	}
	var errs []error
	for _, l := range all {
		select {
		case <-l.over:
		case <-ctx.Done():
			errs = append(errs, fmt.Errorf("stop turn %d: it did not end within a minute; what it edited until then is kept", l.turn.ID()))
		}
	}
	return errors.Join(errs...)
}

// runningNow lists the turns that run, for pages.
func (o *opened) runningNow() []RunningTurn {
	out := []RunningTurn{}
	for _, r := range o.Running() {
		out = append(out, RunningTurn{r.Turn, r.Session, r.Request, r.Model, r.Began.UnixMilli()})
	}
	return out
}
