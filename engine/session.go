package engine

import (
	"context"

	"waferpair/engine/model"
)

// Session is a conversation in one project. It runs one turn at a time.
type Session struct {
	project Project
}

// NewSession starts a conversation about a project.
func NewSession(p Project) *Session { return &Session{project: p} }

// Request is what the user asks of a turn.
type Request struct {
	Prompt model.Prompt // Files is filled in from the session's project
	Driver Driver
	Turn   int64 // the turn's number in the history; 0 when nothing is recorded
	// OnEvent is told every event before whoever reads Events, and before the turn goes
	// on: in order, but for the receipts of edits, which come from a goroutine of their
	// own. nil is allowed.
	OnEvent func(Event)
	// OnItem is told the items of the turn as they begin, go on and end, each before
	// what follows from it: model.Output makes items of them, At over the whole turn.
	// They begin with the prompt's from From on, the request. At the turn's end all
	// have ended: what was cut is Incomplete. nil is allowed.
	OnItem func(round int, d model.Delta)
	// OnHeld is told, as soon as one is added, which hunks are held because of other
	// turns, as Outcome.Unmade says it at the end; nil is allowed.
	OnHeld func([]Unmade)
	// Ask has the user decide; nil when there is nobody who could.
	Ask func(context.Context, Question) (Answer, error)
	// Done is told the outcome before anybody else, to record it; nil is allowed.
	Done func(Outcome) error
}

// Start begins a turn. The turn stops when ctx ends, keeping what it has
// edited so far. The caller must read Events until Ended.
func (s *Session) Start(ctx context.Context, r Request) *Turn {
	r.Prompt.Files = s.project
	t := newTurn(r.Turn)
	go t.run(ctx, s.project, r)
	return t
}
