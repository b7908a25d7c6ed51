package app

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"sync"

	"waferpair/history"
)

// running are the turns that run: one in a session at most.
type running struct {
	listener Listener

	mu        sync.Mutex
	turns     map[history.SessionID]*run
	switching bool // to another fork: no turn begins
}

// run is a turn that runs.
type run struct {
	*hold
	session history.SessionID
	log     *TurnLog // nil while it is only being started
}

// SessionBusy refuses a second turn in a session: the one that runs can be steered
// or stopped. Turns of different sessions run side by side.
type SessionBusy struct {
	Session history.SessionID
	Turn    history.TurnID // 0 while it is only being started
}

func (e *SessionBusy) Error() string {
	return fmt.Sprintf("a turn is already running in session %d: steer it, stop it, or ask in another session", e.Session)
}

// in refuses a session in which a turn runs.
func (r *running) in(session history.SessionID) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if x := r.turns[session]; x != nil {
		return &SessionBusy{session, x.turn}
	}
	return nil
}

// begin makes a turn the one that runs in a session.
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

// began says by which number a turn is known.
func (r *running) began(h *hold, turn history.TurnID) {
	r.mu.Lock()
	defer r.mu.Unlock()
	h.turn = turn
}

// shown shows a turn that is about to begin.
func (r *running) shown(h *hold, l *TurnLog) {
	r.mu.Lock()
	if x := r.of(h); x != nil {
		x.log, l.Session = l, x.session
	}
	r.mu.Unlock()
	r.listener.TurnBegan(l)
}

// of is the run of a hold; nil when it has ended. mu is held.
func (r *running) of(h *hold) *run {
	for _, x := range r.turns {
		if x.hold == h {
			return x
		}
	}
	return nil
}

// ended lets the next turn of a session begin.
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

// list is the turns that run, oldest first.
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

// find is a turn that runs; nil when it does not.
func (r *running) find(id history.TurnID) *TurnLog {
	for _, l := range r.list() {
		if l.ID == id {
			return l
		}
	}
	return nil
}

// standStill keeps turns from beginning until goOn; it refuses while one runs: what
// a turn edits belongs to one line of the history.
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

// quiet keeps turns from beginning in a session until done is called; it refuses while
// one runs there, which would write down again what it was asked and has said.
func (r *running) quiet(session history.SessionID) (done func(), err error) {
	h := &hold{}
	err = r.begin(h, session)
	var busy *SessionBusy
	if errors.As(err, &busy) {
		return nil,
			fmt.Errorf("a turn is running in session %d: stop it, or wait until it is done, before you remove what it says",
				session)
	}
	return func() { r.ended(h) }, err
}
