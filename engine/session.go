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
	Model  model.Model
	Turn   int64 // the turn's number in the history; 0 when nothing is recorded
	// Heard is told what the model answers, before what comes of it; nil is allowed.
	Heard func(model.Delta)
	// Seen is told every event but receipts of edits and the end, in order and
	// before the turn goes on; nil is allowed.
	Seen func(Event)
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
