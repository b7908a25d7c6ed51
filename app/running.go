package app

import (
	"errors"
	"fmt"
	"sync"

	"waferpair/history"
)

// running are the turns that run: one in a session at most. The zero value is ready.
type running struct {
	mu        sync.Mutex
	turns     map[history.SessionID]*hold
	switching bool // to another fork: no turn begins
}

// SessionBusy refuses a second turn in a session: the one that runs can be steered
// or stopped. Turns of different sessions run side by side.
type SessionBusy struct {
	Session history.SessionID
	Turn    history.TurnID // 0 while it is only being started
}

func (e *SessionBusy) Error() string {
	return fmt.Sprintf("a turn is running in session %d already: steer it, or stop it first, or ask in another session", e.Session)
}

// in refuses a session in which a turn runs.
func (r *running) in(session history.SessionID) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if h := r.turns[session]; h != nil {
		return &SessionBusy{session, h.turn}
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
		return errors.New("the project is going to another fork just now; send the request again")
	case r.turns[session] != nil:
		return &SessionBusy{Session: session}
	case r.turns == nil:
		r.turns = map[history.SessionID]*hold{}
	}
	r.turns[session] = h
	return nil
}

// began says by which number a turn is known.
func (r *running) began(h *hold, turn history.TurnID) {
	r.mu.Lock()
	defer r.mu.Unlock()
	h.turn = turn
}

// ended lets the next turn of a session begin.
func (r *running) ended(h *hold) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	for session, other := range r.turns {
		if other == h {
			delete(r.turns, session)
		}
	}
	return nil
}

// standStill keeps turns from beginning until goOn; it refuses while one runs: what
// a turn edits belongs to one line of the history.
func (r *running) standStill() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, h := range r.turns {
		return fmt.Errorf("turn %d is running: stop it, or wait until it is done, before you go to another fork", h.turn)
	}
	r.switching = true
	return nil
}

func (r *running) goOn() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.switching = false
}
