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

// turns are the turns that pages see: for each session the one that is running or ran last, so
// that a page that reconnects, or returns to a session, sees how it ended.
type turns struct {
	starting sync.Mutex

	mu   sync.Mutex
	last map[history.SessionID]*app.TurnLog
	own  map[*engine.Turn]bool // running turns that pages started
}

// maxLogs bounds the sessions whose last turn stays in memory after its end.
const maxLogs = 100

// of returns the newest turn of a session since the project was opened; nil: none.
func (t *turns) of(session history.SessionID) *app.TurnLog {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.last[session]
}

// log returns the log of a turn that is the newest of its session; nil when it is not.
func (t *turns) log(id history.TurnID) *app.TurnLog {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, l := range t.last {
		if l.ID == id {
			return l
		}
	}
	return nil
}

// add makes a turn the newest of its session; false when it is not, or already was.
func (t *turns) add(l *app.TurnLog) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if old := t.last[l.Session]; old != nil && old.ID >= l.ID {
		return false
	}
	if t.last == nil {
		t.last = map[history.SessionID]*app.TurnLog{}
	}
	t.last[l.Session] = l
	if len(t.last) > maxLogs {
		t.dropOldest()
	}
	return true
}

// dropOldest drops the ended turn that began first. t.mu is held.
func (t *turns) dropOldest() {
	var oldest *app.TurnLog
	for _, l := range t.last {
		if l.IsOver() && (oldest == nil || l.ID < oldest.ID) {
			oldest = l
		}
	}
	if oldest != nil {
		delete(t.last, oldest.Session)
	}
}

// begun counts a turn as started by a page, until done is called.
func (t *turns) begun(turn *engine.Turn) (done func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.own == nil {
		t.own = map[*engine.Turn]bool{}
	}
	t.own[turn] = true
	return func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		delete(t.own, turn)
	}
}

// evict drops the turns that are over.
func (t *turns) evict() {
	t.mu.Lock()
	defer t.mu.Unlock()
	maps.DeleteFunc(t.last, func(_ history.SessionID, l *app.TurnLog) bool { return l.IsOver() })
}

// liveEvery is the interval at which running figures are shown when nothing else happens.
const liveEvery = 250 * time.Millisecond

// follow shows a turn on the pages that show its session, whoever started it: a page, a page
// of another server of this process, or a command.
func (o *opened) follow(l *app.TurnLog) {
	if !o.turns.add(l) {
		return
	}
	o.notify(func(k *known) { k.turn, k.project = true, true }) // the turn may have started a session
	go func() {
		tick := time.NewTicker(liveEvery)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				o.turnChanged()
			case <-l.Over():
				o.notify(func(k *known) { k.turn, k.project = true, true })
				return
			case <-o.ctx.Done():
				return
			}
		}
	}()
}

// running reports whether any turn is running, whoever started it.
func (o *opened) running() bool { return len(o.Running()) > 0 }

// maxRequest bounds a request, in bytes.
const maxRequest = 1 << 20

// check refuses requests that no model could carry out.
func (r Request) check(models *engine.Registry) error {
	switch {
	case r.Choice != nil && r.Choice.N < 1:
		return usage("The numbers of the choices begin with 1.")
	case r.Choice != nil:
		return nil // everything else is the turn's that offered it
	case len(r.Mode) > 0 && r.Mode != app.ModeEdit && r.Mode != app.ModeAsk:
		return usage(fmt.Sprintf("There is no mode %q: there are edit and ask.", r.Mode))
	case (r.Continue+r.Again != 0 || r.Fix != 0) && len(r.Text) <= maxRequest:
		return nil // everything else is that turn's
	case r.About != nil && r.About.Kind != app.KindReview && r.About.Kind != app.KindCommit:
		return usage(fmt.Sprintf("Changes are reviewed, or get a commit message: there is no %q.", r.About.Kind))
	case strings.TrimSpace(r.Text) == "" && r.Ready == "" && r.About == nil:
		return usage("The request is empty: say what to do.")
	case len(r.Text) > maxRequest:
		return usage("The request is longer than 1 MB.")
	case r.File == "" && (r.From != 0 || r.To != 0):
		return usage("Lines are selected, but no file.")
	case r.From < 0 || r.To < r.From || r.From == 0 && r.To != 0:
		return usage(fmt.Sprintf("Lines %d to %d cannot be selected: the first is 1, and the last is not before it.", r.From,
			r.To))
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

// edit starts a turn in the session that the request names, or in the current one.
func (o *opened) edit(r Request, arrived time.Time) (history.TurnID, history.SessionID, error) {
	if err := r.check(o.Models()); err != nil {
		return 0, 0, err
	}
	o.turns.starting.Lock()
	defer o.turns.starting.Unlock()
	if o.ctx.Err() != nil {
		return 0, 0, errNone
	}
	asked, err := o.requested(r)
	if err != nil {
		return 0, 0, notAsked(err)
	}
	asked.Asked = arrived
	if r.Session != 0 {
		asked.Session = strconv.FormatInt(int64(r.Session), 10)
	}
	turn, err := o.Edit(o.ctx, asked)
	if asked.Kind == app.KindCommit && errors.As(err, new(*app.NoChanges)) { // nothing is staged
		asked.Changes = &app.Changes{}
		turn, err = o.Edit(o.ctx, asked)
	}
	if left := (*app.LeftBehind)(nil); errors.As(err, &left) { // the window has forks in sight
		asked.Again.Leave = true
		if turn, err = o.Edit(o.ctx, asked); err == nil {
			o.notify(func(k *known) {
				k.notice(levelInfo, fmt.Sprintf("What was edited by hand since that turn (%s) is on the fork that you came from.",
					left.Files()))
			})
		}
	}
	if err != nil {
		return 0, 0, notAsked(err)
	}
	done := o.turns.begun(turn)
	go func() {
		for range turn.Events() {
		} // pages get the events from the turn's log
		done()
		debug.FreeOSMemory() // returns the memory of a long turn; nothing waits for this
	}()
	id := history.TurnID(turn.ID())
	return id, o.sessionOf(id), nil
}

// requested converts a request that has passed its check.
func (o *opened) requested(r Request) (app.EditRequest, error) {
	out, err := o.asRequested(r)
	out.OverBudget = r.OverBudget
	return out, err
}

func (o *opened) asRequested(r Request) (app.EditRequest, error) {
	switch {
	case r.Choice != nil:
		return app.EditRequest{Choice: app.Choice(*r.Choice)}, nil
	case r.Continue != 0:
		return app.EditRequest{Text: r.Text, Continue: &app.Continuation{Turn: r.Continue}}, nil
	case r.Again != 0:
		return app.EditRequest{Text: r.Text, Model: r.Model, Again: &app.Again{Turn: r.Again}}, nil
	case r.Fix != 0:
		out, err := o.Fix(o.ctx, r.Fix, r.Model)
		out.Scope = r.Scope
		return out, err
	}
	out := app.EditRequest{Text: r.Text, Model: r.Model, Mode: r.Mode, Scope: r.Scope, Pins: r.Pins, Without: r.Without,
		Ready: r.Ready, Target: model.Target{File: r.File, From: r.From, To: r.To}}
	if r.About != nil {
		out.Mode, out.Kind = app.ModeAsk, r.About.Kind
		out.Changes = &app.Changes{Turn: r.About.Turn, Staged: r.About.Kind == app.KindCommit && r.About.Turn == 0}
	}
	return out, nil
}

// notAsked words why no turn began.
func notAsked(err error) error {
	var (
		none    *app.NoChoice
		not     *app.NotContinued
		unready *app.NotReady
		changes *app.NoChanges
		finding *app.NoFinding
	)
	switch {
	case errors.As(err, &not):
		return usage(not.Why)
	case errors.As(err, &none):
		return usage(none.Why)
	case errors.As(err, &unready):
		return usage(sentence(unready.Why))
	case errors.As(err, &changes):
		return usage(sentence(changes.What))
	case errors.As(err, &finding):
		return usage(fmt.Sprintf("Finding %d is not there any more: its review was removed from the history.", finding.N))
	case errors.As(err, new(*app.SessionBusy)):
		return fail(codeBusy, "A turn is running in this session already: steer it, stop it, or ask in another session.")
	}
	return err
}

// sessionOf returns the session in which a turn was started. The current session may be
// another one by now, because a command may have started one.
func (o *opened) sessionOf(id history.TurnID) history.SessionID {
	if l := o.turns.log(id); l != nil {
		return l.Session
	}
	t, err := o.History().Turn(o.ctx, id) // another turn has begun in that session since
	if err != nil {
		o.host.notice(levelWarning, fmt.Sprintf("The session of the turn could not be read: %v", err))
	}
	return t.Session
}

func (o *opened) turnChanged() { o.notify(func(k *known) { k.turn = true }) }

// theTurn returns the running turn with this id, whoever started it.
func (o *opened) theTurn(id history.TurnID) (*app.TurnLog, error) {
	if t := o.RunningTurn(id); t != nil {
		return t, nil
	}
	return nil, fail(codeGone, fmt.Sprintf("Turn %d is not running any more.", id))
}

// finish stops the turns that pages started, and waits until their ends are recorded.
func (t *turns) finish() error {
	t.starting.Lock()
	defer t.starting.Unlock()
	t.mu.Lock()
	all := slices.Collect(maps.Keys(t.own))
	t.mu.Unlock()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute) // settling takes at most half of it
	defer cancel()
	for _, turn := range all {
		turn.Stop()
	}
	var errs []error
	for _, turn := range all {
		select {
		case <-turn.Ended():
		case <-ctx.Done():
			errs = append(errs,
				fmt.Errorf("stop turn %d: it did not end within a minute; what it edited until then is kept", turn.ID()))
		}
	}
	return errors.Join(errs...)
}

// runningNow lists the running turns for pages.
func (o *opened) runningNow() []RunningTurn {
	out := []RunningTurn{}
	for _, r := range o.Running() {
		out = append(out, RunningTurn{r.ID, r.Session, r.Request, r.Model, r.Began.UnixMilli()})
	}
	return out
}
