package app

import (
	"context"
	"fmt"
	"slices"

	"waferpair/engine"
	"waferpair/engine/model"
)

// Which model answers a request to "auto". It is decided before the turn begins, so the turn is that
// model's: its name, its price and its prompt. Nothing else is asked if it fails.
//
//	an edit ──> the built-in understands all of it, and a trial on copies does it ──> the built-in
//	  '── no ──> the model that config.toml names for the kind of task, see providers.Source.Auto
//	a question ──^

// chooser chooses models.
type chooser struct{ *turnFiles }

// chosenModel is the model for a request.
type chosenModel struct {
	name string
	why  string // for the turn's line; "": the user named it
}

// opened returns the driver of a request, and notes in it why it was chosen.
func (p *chooser) opened(ctx context.Context, r *EditRequest) (engine.Driver, error) {
	chosen, err := p.choose(ctx, *r)
	if err != nil {
		return nil, err
	}
	r.auto = chosen.why
	d, err := p.models.Open(chosen.name)
	if err != nil && chosen.why != "" {
		return nil, fmt.Errorf("auto has chosen %s, as config.toml says: %w", chosen.name, err)
	}
	return d, err
}

// choose returns the model of a request.
func (p *chooser) choose(ctx context.Context, r EditRequest) (chosenModel, error) {
	name := r.Model
	if name == "" {
		name = p.models.DefaultName()
	}
	if name != engine.Auto {
		return chosenModel{name: r.Model}, nil
	}
	builtIn := p.models.Default().Info().Name
	kind, why := string(r.TaskKind()), ""
	switch {
	case r.Mode != ModeAsk:
		did, err := p.trial(ctx, r)
		if err != nil {
			return chosenModel{}, err
		}
		if did == "" {
			return chosenModel{builtIn, "built-in, certain"}, nil
		}
		why = "because the built-in " + did
	case kind == string(KindAsk):
		why = "for a question"
	default:
		why = "for the task " + kind
	}
	larger, err := p.models.Auto(ctx, kind)
	switch {
	case err != nil:
		return chosenModel{}, fmt.Errorf("auto has no model to ask, %s: %w", why, err)
	case larger == "" || larger == builtIn:
		return chosenModel{builtIn, "built-in, because config.toml names no other model"}, nil
	}
	return chosenModel{larger, larger + ", " + why}, nil
}

// trial returns "" if the built-in model carries a request out, or asks which one of several is
// meant by an operation that it is certain of; otherwise, what it did.
func (p *chooser) trial(ctx context.Context, r EditRequest) (did string, err error) {
	driver := p.models.Default()
	prompt := model.Prompt{Items: []model.Item{model.User(r.Text)}, Target: r.Target,
		Fence: model.Fence{Globs: r.Scope}}
	dry := newDryRun(p.turnFiles, false)
	if m, ok := engine.As[model.Prober](driver); ok {
		quick := prompt
		quick.Files = dry
		if sure, err := m.Certain(ctx, quick); err != nil || !sure {
			return "declined", err
		}
	}
	turn := engine.NewSession(dry).Start(ctx, engine.Request{Driver: driver, Prompt: prompt})
	for range turn.Events() { // nobody watches a trial
	}
	switch o := turn.Wait(); o.Status {
	case engine.Completed, engine.Held:
		return "", nil
	case engine.Declined:
		if oneOperation(o.Refusal) {
			return "", nil
		}
		return "declined", nil
	case engine.Stopped:
		return "", context.Cause(ctx)
	case engine.Failed, engine.Conflict:
	}
	return "could not do it", nil
}

// oneOperation reports whether a model asks which of several is meant, and knows what to do with it.
func oneOperation(r *model.Refusal) bool {
	return r != nil && r.Code == model.Ambiguous && r.Understood != "" && len(r.Candidates) > 0 &&
		!slices.ContainsFunc(r.Candidates, func(c model.Candidate) bool { return c.Operation != r.Candidates[0].Operation })
}
