package prompt

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"waferpair/engine/model"
)

// Request is what a prompt is built from.
type Request struct {
	Text     string // of the user
	Target   model.Target
	ReadOnly bool // it is a question
	Files    model.Source

	Tools    string     // what the model is told of them, beside the prompt
	Task     string     // instructions of a ready request, such as the form of its answer
	Attached []Attached // what the request is about, the most important first
	Beside   []Beside   // files that help with it

	Open    []string // files that the user has open, besides the target
	Pins    []string // files that must be in
	Without []string // names of parts that must not
	Turns   []Turn   // of the session, oldest first
	Before  *Memory  // of the session's last prompt; nil: there is none

	Summaries Summaries // of Turns
	// GoesOn means that the prompt ends in the last turn, whose last item the model goes on writing: it has neither
	// the request, whose words only serve to find what belongs into it, nor what the user points at.
	GoesOn bool

	Limit int              // tokens of prompt and answer together; 0: DefaultLimit
	Count func(string) int // tokens of a text; nil: as the zero Ratio
}

// Attached is a text that a request is about: the changes of a file. It belongs to this prompt only.
type Attached struct {
	Name, Path, Text, Reason string
	Cut                      string // what of it is not in Text, and why
}

// Beside is a file that helps with a request, and why.
type Beside struct{ Path, Reason string }

// without reports whether the user took a part out.
func (r Request) without(name string) bool { return slices.Contains(r.Without, name) }

// DefaultLimit is the context of a model that does not say how large it is.
const DefaultLimit = 128_000

// Turn is an earlier turn of the session.
type Turn struct {
	ID       int64
	Target   model.Target // what the user pointed at
	ReadOnly bool         // it was a question
	Note     string       // both, as Note returns them without lines
	Items    []model.Item
}

// Kind is the kind of a part.
type Kind string

// The kinds of parts, in the order of a first prompt.
const (
	Instructions Kind = "instructions" // ours, and the tools
	Rules        Kind = "rules"        // the project's: AGENTS.md and its relatives
	Map          Kind = "map"
	File         Kind = "file"
	Summarized   Kind = "summary"      // of earlier turns
	Conversation Kind = "conversation" // a turn
	Changes      Kind = "changes"      // of a file
	Pointer      Kind = "place"        // what the user points at, and in which mode
	Asked        Kind = "request"
)

// Part is a piece of a prompt.
type Part struct {
	Kind   Kind   `json:"kind"`
	Name   string `json:"name"` // unique in the prompt: a path, or as the kind
	Path   string `json:"path,omitempty"`
	Text   string `json:"-"`
	Bytes  int    `json:"bytes"`
	Tokens int    `json:"tokens"`
	Reason string `json:"reason,omitempty"` // why it is in
	Cut    string `json:"cut,omitempty"`    // what of it is not, and why
	Pinned bool   `json:"pinned,omitempty"`
	// Removable parts can be taken out by the user.
	Removable bool `json:"removable"`

	from, to int // the lines of a file that are in; 0: all of them
}

// Left is something that was wanted and is not in the prompt.
type Left struct {
	Kind   Kind   `json:"kind"`
	Name   string `json:"name"`
	Path   string `json:"path,omitempty"`
	Tokens int    `json:"tokens,omitempty"`
	Reason string `json:"reason"`
}

// Context is an assembled prompt.
type Context struct {
	Parts   []Part `json:"parts"` // in the prompt's order
	Out     []Left `json:"out"`
	Tokens  int    `json:"tokens"`
	Limit   int    `json:"limit"`   // of prompt and answer together
	Reserve int    `json:"reserve"` // for the answer

	Items  []model.Item `json:"-"`
	From   int          `json:"-"` // the request among them
	Memory Memory       `json:"-"` // for the session's next prompt
	Due    *Due         `json:"-"` // the summary without which turns are left out; nil: none
}

// TooLargeError means that a request does not fit into a model's context, even alone.
type TooLargeError struct{ Tokens, Limit int }

func (e *TooLargeError) Error() string {
	return fmt.Sprintf("the request needs about %d tokens and the model has room for %d; shorten it, or choose a model with a larger context",
		e.Tokens, e.Limit)
}

// errNoOpenTurn means that the turn that goes on was taken out, or a summary stands for it.
var errNoOpenTurn = errors.New("the turn that goes on is not in the prompt")

// Build assembles the prompt of a request.
func Build(ctx context.Context, r Request) (Context, error) {
	b, err := newBuilder(ctx, r)
	if err != nil {
		return Context{}, err
	}
	b.gather()
	if r.GoesOn && (len(b.turns) == 0 || !b.stays(b.turns[len(b.turns)-1])) {
		return Context{}, errNoOpenTurn
	}
	if err := b.fit(); err != nil {
		return Context{}, err
	}
	return b.assemble(), nil
}

// Reserve returns how many tokens of a context are left for the answer.
func Reserve(limit int) int { return min(limit/4, 32_000) }
