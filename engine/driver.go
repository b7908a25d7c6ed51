package engine

import (
	"context"
	"errors"

	"waferpair/engine/model"
)

// Driver answers one turn after the other: engine/agent does around a Model, others
// around another program.
//
// Drive returns at the end of its answer, or soon after ctx ends or a CommandStop.
// It receives from h.Commands() as long as it runs: whoever sends one waits for
// that. Its error says how the turn ends: a *model.Refusal declines it, a *HeldError
// holds it, model.ErrStale is a conflict, another one fails it; with none, a Stop
// of StopCut is one that the user stopped. What it did stays in any case.
type Driver interface {
	Info() model.Info
	Drive(ctx context.Context, b Brief, h Host) (Ending, error)
}

// Brief is what a driver is asked.
type Brief struct {
	Turn   int64 // the turn's number in the history; 0 when nothing is recorded
	Prompt model.Prompt
}

// Ending is what an answer came to, over all of its rounds.
type Ending struct {
	model.Result
	Rounds int // how often a model was asked
}

// Host is the turn, as its driver sees it: the one route by which an answer
// reaches the project, the history and the user. A driver calls it from one
// goroutine at a time. Once the turn has let go of its driver, everything is
// refused with ErrTurnEnded.
type Host interface {
	// Emit tells whoever watches. The turn says itself what its edits are, and at
	// which of them a steer was applied.
	Emit(ev Event)

	// Record keeps what an item of the turn is, goes on with and ends as: At counts
	// them over the whole turn, after those of the request, see Request.OnItem. It comes
	// before what follows from it. An End that is Incomplete is a cut.
	Record(round int, d model.Delta) error

	// Stream opens the way of a text with edits, in one of the formats below, to
	// the files: each is made as soon as its place is certain. call is the item's,
	// or "". One text is open at a time: the turn's view of a file is one.
	Stream(call string, format Format) (EditWriter, error)

	// Apply makes exact edits: all of them or none. A *HeldError says that some are
	// outside the scope, model.ErrStale that somebody else changed the same places,
	// *Busy that another turn has one of the files.
	Apply(ctx context.Context, of []model.FileEdit) (Receipt, error)

	// Claim says that somebody else writes these files, or what is below these
	// folders, for the turn: until it is released, what the disk shows of them is the
	// turn's edits. A *HeldError says that some are outside the scope, *Busy that
	// another turn has one. release looks at them once more, and says what was
	// taken in; what is written afterwards is another program's. A turn that ends
	// releases what it has claimed.
	Claim(call string, paths []string) (release func() Receipt, err error)

	// Ask has the user decide. Without anybody who could, it is refused.
	Ask(ctx context.Context, q Question) (Answer, error)

	// Commands are what the user says while the turn runs.
	Commands() <-chan Command
}

// ErrTurnEnded refuses what a driver does after its turn has ended.
var ErrTurnEnded = errors.New("the turn has ended")

// Format is how a text says edits.
type Format string

// The formats of texts, see package editstream.
const (
	AnyFormat Format = ""       // whichever comes; what is no edit is prose
	V4A       Format = "v4a"    // the input of apply_patch
	Blocks    Format = "blocks" // search/replace
	WholeFile Format = "whole"
)

// EditWriter takes a text with edits, cut anywhere. It ends with Close or Cut.
type EditWriter interface {
	// Write goes on with the text. Its error ends the turn; that an edit has no
	// place, or is held, is in the Receipt.
	Write(ctx context.Context, text string) error
	// Close says that the text is complete.
	Close() Receipt
	// Cut says that it is not, and why: the edit that is open stays as far as it is.
	Cut(why string) Receipt
}

// Question is something that the user is to decide.
type Question struct {
	Call    string // the item that waits for it, or ""
	Words   string
	Choices []Choice
}

// Choice is one answer to a question.
type Choice struct {
	ID    string
	Words string
}

// Answer is the choice that was made; the zero value is that it was refused.
type Answer struct{ ID string }

// Command is something that the user tells a running turn.
type Command struct {
	Kind  CommandKind
	Text  string // of a CommandSteer
	Steer int    // and its number in the turn, from 1
}

// CommandKind is what the user wants of a running turn.
type CommandKind string

// The commands. Stop and steer cut the answer where it is; a pause holds it there.
const (
	CommandStop   CommandKind = "stop"
	CommandPause  CommandKind = "pause"
	CommandResume CommandKind = "resume"
	CommandSteer  CommandKind = "steer"
)
