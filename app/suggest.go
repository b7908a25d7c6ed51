package app

import (
	"cmp"
	"context"

	"waferpair/engine"
	"waferpair/engine/model"
	"waferpair/engine/refactor"
)

// suggester has the default model work ahead.
type suggester struct{ *turnFiles }

// Working are those of some requests that the default model would carry out now,
// with a file open: each is tried on copies. It takes as long as a user would wait
// for suggestions, and leaves out what was not tried by then.
func (p *suggester) Working(ctx context.Context, path string, requests []string) ([]string, error) {
	m, ok := engine.As[model.Tryer](p.models.Default())
	if !ok {
		return nil, nil
	}
	return m.Working(ctx, model.Prompt{Files: newDryRun(p.turnFiles), Target: model.Target{File: path}}, requests), nil
}

// Prepare has the default model do slow work, such as compiling what a Go project
// depends on, before a request needs it. It is for processes that stay: it takes
// a while, with low priority, and ends with ctx.
func (p *suggester) Prepare(ctx context.Context) error {
	m, ok := engine.As[model.Preparer](p.models.Default())
	if !ok || p.ReadOnly() {
		return nil
	}
	return m.Prepare(p.notifying(ctx), p)
}

// notifying is a context whose operations say what they wait for.
func (p *core) notifying(ctx context.Context) context.Context {
	return refactor.WithProgress(ctx, func(what string, seconds int, done bool) {
		if done {
			p.opt.Progress(Progress{What: what, Done: 1, Total: 1, Model: true})
		} else {
			p.opt.Progress(Progress{What: what, Done: seconds, Model: true})
		}
	})
}

// working tells how far a model is that says nothing yet.
func (p *core) working(ev engine.Event) {
	if w, is := ev.(engine.Working); is {
		p.opt.Progress(Progress{What: cmp.Or(w.Note, string(w.Phase)), Done: int(w.Done), Total: int(w.Total)})
	}
}
