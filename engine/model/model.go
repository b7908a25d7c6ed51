package model

import "context"

// Info describes a model to people.
type Info struct {
	Name    string `json:"name"`
	Kind    string `json:"kind"` // spark, script, remote; later local
	Help    string `json:"help"`
	Offline bool   `json:"offline"`
	// Language means that the model writes text: its prompt has the conversation and the
	// context of the project, and its speed is counted in tokens.
	Language bool   `json:"language,omitempty"`
	Context  int    `json:"context,omitempty"` // tokens of prompt and answer together; 0: unknown
	Price    *Price `json:"price,omitempty"`   // nil: unknown
	Thinks   bool   `json:"-"`                 // its answers begin within a thought, without a tag: see ThoughtMinder
	// GoesOn means that it continues a prompt's last item, when that is its own and incomplete, where its text
	// ends, to the byte.
	GoesOn bool `json:"-"`
}

// Price is what a million tokens cost, in dollars.
type Price struct {
	Input  float64 `json:"input" toml:"input"`
	Cached float64 `json:"cached" toml:"cached"` // of the prompt, from the model's cache
	Output float64 `json:"output" toml:"output"`
}

// Of returns what an answer cost, in dollars.
func (p Price) Of(u Usage) float64 {
	return (float64(u.Input-u.Cached)*p.Input + float64(u.Cached)*p.Cached + float64(u.Output)*p.Output) / 1e6
}

// Model answers a prompt.
//
// Generate calls yield for each delta, from one goroutine, and returns the Result at the
// end of the answer. It returns soon after ctx is cancelled or yield fails, with that error
// and with the usage so far. A delta that yield refused has not happened and is not in the
// Result's Cursor. yield blocks while the turn is busy or paused, so a model never runs far
// ahead of what the user sees. A *Refusal means that the request is beyond the model.
type Model interface {
	Info() Info
	Generate(ctx context.Context, p Prompt, yield func(Delta) error) (Result, error)
}

// Optional interfaces of a model, found by type assertion.
type (
	// Operator is a model with a fixed set of operations.
	Operator interface{ Operations() []Operation }

	// Networked is a model with a neural network inside.
	Networked interface{ Network() (Network, error) }

	// Preparer does slow work before the first request needs it: at low priority, and once
	// for each state of the project that it depends on. It ends with ctx.
	Preparer interface {
		Prepare(ctx context.Context, files Source) error
	}

	// Tryer finds the requests, made like p, that would change files. It takes only as long
	// as a user would wait and omits the requests that it has not tried by then.
	Tryer interface {
		Working(ctx context.Context, p Prompt, requests []string) []string
	}

	// Understander says what it understands of a prompt's request so far, while it is typed. It
	// tries nothing, and takes a few milliseconds.
	Understander interface {
		Understand(ctx context.Context, p Prompt) (Understanding, error)
	}

	// Prober says, without trying it, whether a request is certainly one of its operations. It takes a few
	// milliseconds.
	Prober interface {
		Certain(ctx context.Context, p Prompt) (bool, error)
	}

	// Counter counts the tokens of a prompt. exact means that the model itself would count
	// the same.
	Counter interface {
		Count(p Prompt) (n int, exact bool)
	}

	// ThoughtMinder remembers whether the model's answers begin within a thought, without a tag.
	ThoughtMinder interface{ BeginsInThought(begins bool) }

	// Connecter connects to where the model runs, ahead of a request, and returns at once.
	// Nothing of the user's or of the project's is sent.
	Connecter interface{ Connect() }

	// Filler generates the text between two texts and yields it as Generate does.
	Filler interface {
		Fill(ctx context.Context, before, after string, yield func(Delta) error) (Result, error)
	}
)

// Network is the neural network inside a model, to be shown and to be placed elsewhere. One
// without a file is none.
type Network struct {
	File    []byte   // GGUF
	Request string   // an example
	Tokens  []int    // of the example, as the network reads them
	Names   []string // of all tokens
}

// Understanding is what a model understands of a request so far; nothing, if Operations is empty.
type Understanding struct {
	Operations []string
	Names      []string // of symbols, as the project spells them, and new ones
	Files      []string // that it is about
	Lacks      []string // arguments that are yet to come
	Certain    bool     // sent as it is, it would be carried out, or refused with a reason
}

// Operation is an operation of a model, and the languages that it supports.
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
