package model

import "context"

// Info describes a model to people.
type Info struct {
	Name    string `json:"name"`
	Kind    string `json:"kind"` // spark, script; later local, remote
	Help    string `json:"help"`
	Offline bool   `json:"offline"`
}

// Source is the project as a turn sees it: open buffers over disk. Paths are
// slash-separated and relative to the project folder. Its methods are called from
// several goroutines.
type Source interface {
	// Files lists every readable text file that is not ignored, sorted.
	Files(ctx context.Context) ([]string, error)
	// Read returns the bytes of a file; callers must not modify them.
	Read(path string) ([]byte, error)
	// Root is the project folder on disk, for tools that load packages from there.
	Root() string
}

// Target is what the user pointed at. The zero value is the whole project.
type Target struct {
	File     string // the open or named file, or ""
	From, To int    // selected lines of File, from 1, inclusive; 0 when nothing is selected
}

// Prompt is what a model is asked.
type Prompt struct {
	Request string
	Target  Target
	Files   Source // the project as it is now
	Fence   Fence  // where edits may land without approval

	// After a steer, the model goes on from what it had said already.
	Partial string   // its own text so far in this turn, cut at a token
	Steers  []string // the instructions that cut in, oldest first
}

// Model answers a prompt.
//
// Generate calls yield, from one goroutine, for each delta as it comes, and
// returns nil at the end of the answer. It returns soon after ctx is cancelled or
// yield fails, with that error; a delta that yield refused has not happened. yield
// blocks while the turn is busy or paused, so a model never runs far ahead of what
// the user sees. A *Refusal says that the request is beyond the model.
type Model interface {
	Info() Info
	Generate(ctx context.Context, p Prompt, yield func(Delta) error) error
}

// Optional faces of a model, by type assertion.
type (
	// Operator is a model that does a known set of things.
	Operator interface{ Operations() []Operation }

	// Preparer does slow work before the first request needs it: gently, and once
	// for each state of the project that it depends on. It ends with ctx.
	Preparer interface {
		Prepare(ctx context.Context, files Source) error
	}

	// Tryer says which of some requests, made as p was, would change files. It
	// takes as long as a user would wait, and leaves out what was not tried by then.
	Tryer interface {
		Working(ctx context.Context, p Prompt, requests []string) []string
	}
)

// Operation is something that a model can do, and in which languages.
type Operation struct {
	Name      string   `json:"name"`
	Help      string   `json:"help"`
	Example   string   `json:"example"` // a request that asks for it
	Params    []Param  `json:"params,omitempty"`
	Languages []string `json:"languages"`
}

// Param is one named argument of an operation.
type Param struct {
	Name     string `json:"name"`
	Optional bool   `json:"optional,omitempty"`
	Help     string `json:"help"`
}
