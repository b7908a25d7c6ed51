package app

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"waferpair/engine"
	"waferpair/engine/model"
	"waferpair/engine/prompt"
	"waferpair/history"
	"waferpair/workspace/text"
)

// EditRequest is a request by the user.
type EditRequest struct {
	Text    string
	Model   string // "" is the default
	Mode    Mode
	Kind    Kind     // what it is for, finer than Mode; "" is the mode's own, see TaskKind
	Ready   string   // the name of a ready request, which has Text as its arguments; "": Text is the request
	Changes *Changes // of a review or a commit message
	Target  model.Target
	Scope   []string // globs; edits elsewhere are held
	DryRun  bool     // show the edits, make none
	Session string   // a session's number, "new", or "" for the newest one
	Choice  Choice   // of a list; Text is then "", or the request that listed it
	// Continue goes on with a turn that broke off; Text is then "", or words to add. nil: it is a
	// new request.
	Continue *Continuation
	Again    *Again // sends the request of a turn again, or Text in its place, from before that turn

	// Of a language model's prompt: files that must be in it, and names of parts that must not.
	Pins, Without []string

	OverBudget bool // it is sent even if the daily budget is used up

	auto string // why the model was chosen; see chosenModel

	Asked time.Time // when the user sent it, if that was before now

	Finding int           // the number of the finding that the request fixes; 0: none
	driver  engine.Driver // that answers; nil: the one of Model
	task    *task         // what the kind adds to the prompt; nil: nothing
}

// Changes says which changes a request is about. The zero value are those that are not committed or,
// without git, those of the last turn that changed something.
type Changes struct {
	Staged bool           `json:"staged,omitempty"`
	Since  string         `json:"since,omitempty"` // a revision of git
	Turn   history.TurnID `json:"turn,omitempty"`  // those that a turn made
	Paths  []string       `json:"paths,omitempty"` // only in these files and folders
}

// Mode is what a request is for.
type Mode string

// The modes. An answer to a question edits nothing.
const (
	ModeEdit Mode = "edit" // also ""
	ModeAsk  Mode = "ask"
)

// Kind is the kind of task that a request sets. Which model suits depends on it.
type Kind string

// The kinds of tasks. Review, commit and explain answer in words: their mode is ModeAsk.
const (
	KindEdit    Kind = "edit"
	KindAsk     Kind = "ask"
	KindReview  Kind = "review"  // find faults in changes
	KindDocs    Kind = "docs"    // write documentation
	KindTests   Kind = "tests"   // write tests
	KindCommit  Kind = "commit"  // word a commit message
	KindExplain Kind = "explain" // explain code
)

// TaskKind returns the kind of task, never "".
func (r EditRequest) TaskKind() Kind {
	switch {
	case r.Kind != "":
		return r.Kind
	case r.Mode == ModeAsk:
		return KindAsk
	}
	return KindEdit
}

// Choice is one of the requests that a declined turn offered.
type Choice struct {
	Turn history.TurnID `json:"turn"` // 0: the newest one of the session
	N    int            `json:"n"`    // its number in the list, from 1; 0: nothing is chosen
}

// Continuation says which turn to go on with.
type Continuation struct {
	Turn history.TurnID `json:"turn"` // 0: the newest one of the session

	adds bool // the user adds words
}

// Again says which turn's request to send again.
type Again struct {
	Turn history.TurnID `json:"turn"` // 0: the newest one of the session
	// also if edits that are not a model's stay behind on the line before the fork
	Leave bool `json:"leave,omitempty"`
}

// LeftBehind is why a request is not sent again from before its turn: others have edited files since.
type LeftBehind struct {
	Turn  history.TurnID
	Paths []string
}

func (e *LeftBehind) Error() string {
	return fmt.Sprintf("%s changed since turn %d, not by a model: a fork from before the turn would not have that; "+
		"nothing was changed", e.Files(), e.Turn)
}

// Files names the first files.
func (e *LeftBehind) Files() string {
	const most = 3
	names := e.Paths
	if more := len(names) - most; more > 0 {
		names = append(slices.Clone(names[:most]), fmt.Sprintf("%d more", more))
	}
	return strings.Join(names, ", ")
}

// task is what a request of some kind adds to its prompt.
type task struct {
	says     string // how to answer
	attached []prompt.Attached
	beside   []prompt.Beside
	alone    bool // without the conversation

	shown map[string]text.Text // the changed files, as the model sees them
	at    history.EditID       // the newest edit before the turn
	left  []string             // what the model does not get, and why
}
