package engine

import (
	"context"
	"time"

	"waferpair/engine/beside"
	"waferpair/engine/editstream"
	"waferpair/engine/model"
)

// Session is a conversation in one project. It runs one turn at a time.
type Session struct {
	project Project
}

// NewSession returns a conversation about a project.
func NewSession(p Project) *Session { return &Session{project: p} }

// Request is the user's request for a turn.
type Request struct {
	Prompt model.Prompt // Start fills Files in from the session's project
	Driver Driver
	Turn   int64 // the turn's number in the history; 0 when nothing is recorded
	// Auto is why the program chose this driver; "" when the user did.
	Auto string
	// Does is what the answer must do, as Effect says it: the turn makes these exact edits or
	// none, and then ends with a *ChangedError. "" allows everything.
	Does string
	// Prepared is how long the prompt took to put together.
	Prepared time.Duration
	// Mask hides from the driver what it must not read in a steer. nil: nothing.
	Mask func(string) string
	// Landed are hunks of earlier turns that are in place, which this turn goes on with: they
	// are not applied again. See editstream.Landed.
	Landed []editstream.Hunk
	// Broken is the answer that this turn goes on with; nil: it goes on with none.
	Broken *Broken
	// Recap is what the driver is asked for first; nil: nothing.
	Recap *Recap
	// Open is the prompt's other form, for a model that goes on at the byte: see Brief. It may be nil.
	Open []model.Item
	// OnEvent receives every event before Events does, and before the turn goes on. It
	// receives them in order, except EditAcked, which comes from a goroutine of its own. It
	// may be nil.
	OnEvent func(Event)
	// OnItem receives the items of the turn as they begin, go on and end, each before the
	// turn acts on it. model.Output assembles items from them; At counts over the whole
	// turn. The first are the request: the prompt's items from From on. When the turn ends,
	// all items have ended, and those that were cut are Incomplete. It may be nil.
	OnItem func(round int, d model.Delta)
	// OnHeld receives the hunks that are held because of other turns, as soon as one is
	// added, in the form of Outcome.Unmade. It may be nil.
	OnHeld func([]Unmade)
	// Beside adds up what the emulated wafer would do with the passes of the turn's model; nil: nothing does.
	Beside *beside.Meter
	// Ask asks the user to decide. It is nil when there is nobody to ask.
	Ask func(context.Context, Question) (Answer, error)
	// Cite finds and checks the places that the answer to a question names. It may be nil.
	Cite func(said string) []Cited
	// Done receives the outcome before anybody else, to record it. It may be nil.
	Done func(Outcome) error
}

// Start begins a turn. The turn stops when ctx ends and keeps the edits made so far. The
// caller must receive from Events until Ended.
func (s *Session) Start(ctx context.Context, r Request) *Turn {
	r.Prompt.Files = s.project
	t := newTurn(r.Turn)
	t.mask = r.Mask
	go t.run(ctx, s.project, r)
	return t
}
