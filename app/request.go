package app

import (
	"time"

	"waferpair/engine/model"
	"waferpair/history"
)

// EditRequest is a request by the user.
type EditRequest struct {
	Text    string
	Model   string // "" is the default
	Mode    Mode
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

	Asked time.Time // when the user sent it, if that was before now
}

// Mode is what a request is for.
type Mode string

// The modes. An answer to a question edits nothing.
const (
	ModeEdit Mode = "edit" // also ""
	ModeAsk  Mode = "ask"
)

// Choice is one of the requests that a declined turn offered.
type Choice struct {
	Turn history.TurnID `json:"turn"` // 0: the newest one of the session
	N    int            `json:"n"`    // its number in the list, from 1; 0: nothing is chosen
}

// Continuation says which turn to go on with.
type Continuation struct {
	Turn history.TurnID `json:"turn"` // 0: the newest one of the session
}

// Again says which turn's request to send again.
type Again struct {
	Turn history.TurnID `json:"turn"` // 0: the newest one of the session
}
