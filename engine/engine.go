package engine

import (
	"context"
	"fmt"
	"strings"
)

// Engine knows the models.
type Engine struct {
	models []Model
	kinds  []Kind
}

// Kind opens models by a name with a prefix, such as script:FILE.
type Kind struct {
	Prefix string
	Help   string
	Open   func(rest string) (Model, error)
}

// New makes an engine with the models that are part of this build; the first
// one is the default.
func New() *Engine {
	return &Engine{
		models: []Model{NewSpark()},
		kinds: []Kind{{
			Prefix: "script:", Help: "script:FILE replays JSON lines as a model would stream them",
			Open: func(rest string) (Model, error) { return Script{Path: rest}, nil },
		}},
	}
}

// Models lists the models that can be named.
func (e *Engine) Models() []Info {
	out := make([]Info, len(e.models))
	for i, m := range e.models {
		out[i] = m.Info()
	}
	return out
}

// Kinds lists the kinds of models that are named by a prefix.
func (e *Engine) Kinds() []Kind { return e.kinds }

// Model finds a model by name; an empty name means the default.
func (e *Engine) Model(name string) (Model, error) {
	if name == "" {
		return e.models[0], nil
	}
	var known []string
	for _, m := range e.models {
		if m.Info().Name == name {
			return m, nil
		}
		known = append(known, m.Info().Name)
	}
	for _, k := range e.kinds {
		if rest, ok := strings.CutPrefix(name, k.Prefix); ok && rest != "" {
			return k.Open(rest)
		}
		known = append(known, k.Prefix+"FILE")
	}
	return nil, fmt.Errorf("no model named %q; there are: %s", name, strings.Join(known, ", "))
}

// Session is a conversation in one project. It runs one turn at a time.
type Session struct {
	project Project
}

// NewSession starts a conversation about a project.
func NewSession(p Project) *Session { return &Session{project: p} }

// Request is what the user asks of a turn.
type Request struct {
	Prompt Prompt // Source is filled in from the session's project
	Model  Model
	Turn   int64 // the turn's number in the history; 0 when nothing is recorded
	// Seen is told every event but receipts of edits and the end, in order and
	// before the turn goes on; nil is allowed.
	Seen func(Event)
	// Done is told the outcome before anybody else, to record it; nil is allowed.
	Done func(Outcome) error
}

// Start begins a turn. The turn stops when ctx ends, keeping what it has
// edited so far. The caller must read Events until Ended.
func (s *Session) Start(ctx context.Context, r Request) *Turn {
	r.Prompt.Source = s.project
	t := newTurn(r.Turn)
	go t.run(ctx, s.project, r)
	return t
}
