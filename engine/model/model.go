package model

import "context"

// Info describes a model to people.
type Info struct {
	Name    string `json:"name"`
	Kind    string `json:"kind"` // spark, script; later local, remote
	Help    string `json:"help"`
	Offline bool   `json:"offline"`
}

// Model answers a prompt.
//
// Generate calls yield, from one goroutine, for each delta as it comes, and
// returns at the end of the answer what it came to. It returns soon after ctx is
// cancelled or yield fails, with that error and with what had been used by then; a
// delta that yield refused has not happened, and is not in the Result's Cursor.
// yield blocks while the turn is busy or paused, so a model never runs far ahead of
// what the user sees. A *Refusal says that the request is beyond the model.
type Model interface {
	Info() Info
	Generate(ctx context.Context, p Prompt, yield func(Delta) error) (Result, error)
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

	// Counter says how many tokens a prompt is; exact where the model itself would
	// count the same.
	Counter interface {
		Count(p Prompt) (n int, exact bool)
	}

	// Warmer reads a prompt ahead, so that one that begins as it does is answered
	// sooner with After.
	Warmer interface {
		Warm(ctx context.Context, p Prompt) (Cursor, error)
	}

	// Filler says what stands between two texts, as Generate says it.
	Filler interface {
		Fill(ctx context.Context, before, after string, yield func(Delta) error) (Result, error)
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
