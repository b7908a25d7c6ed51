package engine

import (
	"context"
	"errors"

	"waferpair/engine/model"
)

// Driver answers turns. engine/agent is the driver around a Model; other drivers run
// another program.
//
// Drive returns when its answer ends, or soon after ctx ends or CommandStop arrives. It
// must receive from h.Commands() as long as it runs, because the sender of a command blocks
// until then. Its error decides how the turn ends: a *model.Refusal declines it, a
// *HeldError or *Busy holds it, model.ErrStale is a conflict, any other error fails it.
// Without an error, the stop reason StopCut means that the user stopped the turn. The edits
// made until then stay in every case.
type Driver interface {
	Info() model.Info
	Drive(ctx context.Context, b Brief, h Host) (Ending, error)
}

// Brief is the task that a turn gives its driver.
type Brief struct {
	Turn   int64 // the turn's number in the history; 0 when nothing is recorded
	Prompt model.Prompt
	Broken *Broken // the answer that this one goes on with; nil: none

	Recap *Recap // to be written first; nil: none

	// Open are the items of a prompt that ends in the model's answer, which broke off there: its last item is
	// incomplete. A driver whose model goes on at the byte may ask with them first, and then with Prompt.
	// nil: there are none.
	Open []model.Item
}

// Recap is what a language model is asked for before its answer: a summary of earlier turns, without
// which its prompt would lack them. A driver may go without: Brief.Prompt does.
type Recap struct {
	Items []model.Item
	About string // which turns, for people
	// Use takes the summary, or why there is none, and returns the items of the prompt, as in
	// model.Prompt, and what has become of it, for people.
	Use func(text string, failed error) (items []model.Item, from int, note string, err error)
}

// ErrCutByUser means that the user stopped or steered the turn before a summary was written.
var ErrCutByUser = errors.New("you went on before it was written")

// Broken is an answer that broke off in an edit, which was taken back.
type Broken struct {
	Text  string // of the answer, as far as it came
	Call  bool   // it is the input of a call
	Lost  []Lost // what was taken back; none: it broke off between edits
	Begun bool   // it broke off in what announces an edit, of which nothing is known yet
}

// Lost are the edits of a file that were taken back, to be written again.
type Lost struct {
	Path  string
	Hunks int
	Lines []string // that they had inserted, as far as that is known
}

// Ending is the result of an answer over all of its rounds.
type Ending struct {
	model.Result
	Rounds int // how many times a model was asked
	Each   []Generation
}

// Host is the turn as its driver sees it: the only way from an answer to the project, the
// history and the user. A driver calls it from one goroutine at a time. After the turn has
// ended, every method fails with ErrTurnEnded.
type Host interface {
	// Emit sends an event to everybody who watches the turn. The turn itself emits the
	// events of its edits, and fills in the edit at which a steer was applied.
	Emit(ev Event)

	// Record stores an item of the turn as it begins, goes on and ends. Its At counts the
	// items of the whole turn, after those of the request; see Request.OnItem. A driver
	// records an item before it acts on it. An End with the status Incomplete marks a cut.
	Record(round int, d model.Delta) error

	// Stream opens a text with edits in one of the formats below. Each edit is made as soon
	// as its place is certain. call is the id of the item's call, or "". Only one text can
	// be open at a time, because a turn has only one view of a file.
	Stream(call string, format Format) (EditWriter, error)

	// Return says that failed edits go back to the model, which writes them again: an edit of
	// the same file then stands for them.
	Return(hunks []HunkReceipt)

	// Apply makes exact edits: all of them or none. It returns a *HeldError when some of
	// them are outside the scope, model.ErrStale when somebody else changed the same
	// places, and *Busy when another turn is editing one of the files.
	Apply(ctx context.Context, of []model.FileEdit) (Receipt, error)

	// Revert reverts what the last Apply did, all or none, and says why. It returns an error when
	// somebody else has changed the same places since.
	Revert(ctx context.Context, why string) error

	// Claim announces that another program writes these files, or files below these
	// folders, for the turn: until release, changes on disk count as the turn's edits. It
	// returns a *HeldError when some paths are outside the scope and *Busy when another
	// turn is editing one of the files. release reads the files once more and returns a
	// receipt of the edits; later changes count as another program's. A turn releases all
	// of its claims when it ends.
	Claim(call string, paths []string) (release func() Receipt, err error)

	// Ask asks the user to decide. The answer is a refusal when there is nobody to ask.
	Ask(ctx context.Context, q Question) (Answer, error)

	// Commands returns the user's commands to the running turn.
	Commands() <-chan Command

	// CommandWaits reports whether a command was sent that the driver has not said to have
	// carried out. A driver whose model acts by itself asks before each delta.
	CommandWaits() bool
	// CarriedOut says that a command from Commands has taken effect.
	CarriedOut()
}

// ErrTurnEnded is returned to a driver that still acts after its turn has ended.
var ErrTurnEnded = errors.New("the turn has ended")

// ErrQuestion is returned to a driver that edits in a turn whose prompt is ReadOnly.
var ErrQuestion = errors.New("the user asked a question: nothing is edited")

// Unfinished means that an answer ended before the model was done, without a decision of the
// user: what there is of it is kept, and another turn can go on from there.
type Unfinished struct{ Err error }

func (e *Unfinished) Error() string { return e.Err.Error() }
func (e *Unfinished) Unwrap() error { return e.Err }

// ContinueCode is the code of a turn that is Failed and can be continued.
const ContinueCode model.Code = "continue"

// NoEditCode is the code of a turn that is Declined because its model wrote words and no edit.
const NoEditCode model.Code = "no-edit"

// Format is a format for edits in a text.
type Format string

// The formats of texts; see package editstream.
const (
	AnyFormat Format = ""       // whichever is there, also in the input of apply_patch; the text around is prose
	V4A       Format = "v4a"    // patches alone
	Blocks    Format = "blocks" // search/replace
	WholeFile Format = "whole"
)

// EditWriter accepts a text with edits in chunks of any size. The caller ends it with Close
// or Cut.
type EditWriter interface {
	// Write adds text. An error ends the turn; an edit that has no place or is held is no
	// error but part of the Receipt.
	Write(ctx context.Context, text string) error
	// Close ends a complete text.
	Close() Receipt
	// Cut ends an incomplete text and gives the reason. The open edit keeps the lines that
	// are already in place.
	Cut(why string) Receipt
}

// Question is a decision for the user to make.
type Question struct {
	Call    string // the item that waits for the answer, or ""
	Words   string
	Choices []Choice
}

// Choice is one possible answer to a question.
type Choice struct {
	ID    string
	Words string
}

// Answer is the user's choice. The zero value means that the user refused.
type Answer struct{ ID string }

// Command is an instruction from the user to a running turn.
type Command struct {
	Kind  CommandKind
	Text  string // of a CommandSteer
	Steer int    // its number in the turn, from 1
}

// CommandKind is the kind of a command.
type CommandKind string

// The commands. Stop and steer cut the answer where it is; pause suspends it.
const (
	CommandStop   CommandKind = "stop"
	CommandPause  CommandKind = "pause"
	CommandResume CommandKind = "resume"
	CommandSteer  CommandKind = "steer"
)
