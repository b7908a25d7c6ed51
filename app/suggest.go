package app

import (
	"cmp"
	"context"

	"waferpair/engine"
	"waferpair/engine/model"
	"waferpair/engine/refactor"
)

// suggester lets the default model work ahead.
type suggester struct{ *turnFiles }

// Working returns those of the requests that the default model could carry out now, with a
// file open. It tries each on copies. It stops after the time that a user would wait for
// suggestions, and leaves out the requests not tried by then.
func (p *suggester) Working(ctx context.Context, path string, requests []string) ([]string, error) {
	m, ok := engine.As[model.Tryer](p.models.Default())
	if !ok {
		return nil, nil
	}
	return m.Working(ctx, model.Prompt{Files: newDryRun(p.turnFiles, false), Target: model.Target{File: path}}, requests),
		nil
}

// Connect connects to where a model runs, ahead of a request that the user has begun to type. Models
// that run here, or that are not known, need nothing.
func (p *suggester) Connect(of string) {
	if driver, err := p.models.Open(of); err == nil {
		connect(driver)
	}
}

func connect(driver engine.Driver) {
	if m, ok := engine.As[model.Connecter](driver); ok {
		m.Connect()
	}
}

// Understand says what a model understands of a request so far; nothing if the model does not say.
func (p *suggester) Understand(ctx context.Context, of string, target model.Target,
	request string) (model.Understanding, error) {
	driver, err := p.models.Open(of)
	if err != nil {
		return model.Understanding{}, err
	}
	m, ok := engine.As[model.Understander](driver)
	if !ok {
		return model.Understanding{}, nil
	}
	return m.Understand(ctx, model.Prompt{Items: []model.Item{model.User(request)}, Files: p, Target: target})
}

// Prepare lets the default model do slow work, such as compiling a Go project's
// dependencies, before a request needs it. Only long-lived processes call it: it takes a
// while, with low priority, and ends with ctx.
func (p *suggester) Prepare(ctx context.Context) error {
	m, ok := engine.As[model.Preparer](p.models.Default())
	if !ok || p.ReadOnly() {
		return nil
	}
	return m.Prepare(p.notifying(ctx), p)
}

// notifying returns a context under which operations report what they wait for.
func (p *core) notifying(ctx context.Context) context.Context {
	return refactor.WithProgress(ctx, func(what string, seconds int, done bool) {
		if done {
			p.opt.Progress(Progress{What: what, Done: 1, Total: 1, Model: true})
		} else {
			p.opt.Progress(Progress{What: what, Done: seconds, Model: true})
		}
	})
}

// working reports the progress of a model that has not said anything yet.
func (p *core) working(ev engine.Event) {
	if w, is := ev.(engine.Working); is {
		p.opt.Progress(Progress{What: cmp.Or(w.Note, string(w.Phase)), Done: int(w.Done), Total: int(w.Total)})
	}
}
