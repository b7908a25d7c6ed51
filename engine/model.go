package engine

import (
	"context"

	"waferpair/engine/refactor"
)

// Info describes a model to people.
type Info struct {
	Name    string `json:"name"`
	Kind    string `json:"kind"` // spark, script; later local, remote
	Help    string `json:"help"`
	Offline bool   `json:"offline"`
}

// Prompt is what a model is asked.
type Prompt struct {
	Request string
	Target  refactor.Target // what the user pointed at
	Source  refactor.Source // the project as it is now
	Fence   Fence           // where edits may land without approval

	// After a steer, the model goes on from what it had said already.
	Partial string   // its own text so far in this turn, cut at a token
	Steers  []string // the instructions that cut in, oldest first
}

// Model answers a prompt with text that holds edits in one of the formats of
// package editstream.
//
// Generate calls yield for each chunk as it comes and returns nil at the end
// of the answer. It returns soon after ctx is cancelled or yield fails, with
// that error. yield blocks while the turn is busy or paused, so a model never
// runs far ahead of what the user sees. A *refactor.Declined error says that
// the request is beyond the model, a *HeldError that it needs approval.
type Model interface {
	Info() Info
	Generate(ctx context.Context, p Prompt, yield func(text string) error) error
}
