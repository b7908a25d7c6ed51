package app

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"sync"

	"waferpair/history"
)

// running is the set of running turns, at most one in a session.
type running struct {
	listener Listener

	mu        sync.Mutex
	turns     map[history.SessionID]*run
	switching bool // the project is switching forks: no turn may start
}

// run is a running turn.
type run struct {
	*hold
	session history.SessionID
	log     *TurnLog // nil while the turn is being started
}

// SessionBusy refuses a second turn in a session: the user can steer or stop the running
// one. Turns of different sessions run side by side.
type SessionBusy struct {
	Session history.SessionID
	Turn    history.TurnID // 0 while the turn is being started
}

func (e *SessionBusy) Error() string {
	return fmt.Sprintf("a turn is already running in session %d: steer it, stop it, or ask in another session", e.Session)
}

// in refuses a session that has a running turn.
func (r *running) in(session history.SessionID) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if x := r.turns[session]; x != nil {
		return &SessionBusy{session, x.turn}
	}
	return nil
}

// begin enters a turn as the running one of a session.
func (r *running) begin(h *hold, session history.SessionID) error {
	if err := r.in(session); err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case r.switching:
		return errors.New("the project is switching forks; send the request again")
	case r.turns[session] != nil:
		return &SessionBusy{Session: session}
	case r.turns == nil:
		r.turns = map[history.SessionID]*run{}
	}
	r.turns[session] = &run{hold: h, session: session}
	return nil
}

// began sets the id of a turn, once history has assigned it.
func (r *running) began(h *hold, turn history.TurnID) {
	r.mu.Lock()
	defer r.mu.Unlock()
	h.turn = turn
}

// shown announces a turn that is about to begin.
func (r *running) shown(h *hold, l *TurnLog) {
	r.mu.Lock()
	if x := r.of(h); x != nil {
		x.log, l.Session = l, x.session
	}
	r.mu.Unlock()
	r.listener.TurnBegan(l)
}

// of returns the run of a hold; nil when it has ended. mu is held.
func (r *running) of(h *hold) *run {
	for _, x := range r.turns {
		if x.hold == h {
			return x
		}
	}
	return nil
}

// ended removes a turn, so that the next one of its session can begin.
func (r *running) ended(h *hold) {
	r.mu.Lock()
	x := r.of(h)
	if x != nil {
		delete(r.turns, x.session)
	}
	r.mu.Unlock()
	if x != nil {
		r.listener.TurnsChanged()
	}
}

// list returns the running turns, oldest first.
func (r *running) list() []*TurnLog {
	r.mu.Lock()
	defer r.mu.Unlock()
	out := []*TurnLog{}
	for _, x := range r.turns {
		if x.log != nil {
			out = append(out, x.log)
		}
	}
	slices.SortFunc(out, func(a, b *TurnLog) int { return cmp.Compare(a.ID, b.ID) })
	return out
}

// find returns a running turn; nil when it is not running.
func (r *running) find(id history.TurnID) *TurnLog {
	for _, l := range r.list() {
		if l.ID == id {
			return l
		}
	}
	return nil
}

// standStill keeps turns from starting until goOn. It refuses while one is running,
// because a turn's edits belong to one line of the history.
func (r *running) standStill() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, x := range r.turns {
		return fmt.Errorf("turn %d is running: stop it, or wait until it is done, before you switch forks", x.turn)
	}
	r.switching = true
	return nil
}

func (r *running) goOn() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.switching = false
}

// quiet keeps turns from starting in a session until done is called. It refuses while one
// is running there, which goes by what was there at its beginning; before is what the user wants to do.
func (r *running) quiet(session history.SessionID, before string) (done func(), err error) {
	h := &hold{}
	err = r.begin(h, session)
	var busy *SessionBusy
	if errors.As(err, &busy) {
		return nil,
			fmt.Errorf("a turn is running in session %d: stop it, or wait until it is done, before you %s", session, before)
	}
	return func() { r.ended(h) }, err
}
