package providers

import (
	"context"

	"waferpair/app/config"
	"waferpair/engine/model"
)

// probing is a model of a provider of which nobody has said or found out yet what it speaks. Its first
// request finds out, and goes over that.
type probing struct {
	*Source
	of    config.Provider
	model config.Model
}

// Info describes the model.
func (m probing) Info() model.Info { return m.Source.Info(m.of, m.model) }

// Generate asks the model.
func (m probing) Generate(ctx context.Context, p model.Prompt, yield func(model.Delta) error) (model.Result, error) {
	if err := yield(model.Progress{Phase: model.Connect, Note: "finding out what " + m.of.Label() + " speaks"}); err !=
		nil {
		return model.Result{Stop: model.StopCut}, err
	}
	wire, err := m.probe(ctx, m.of)
	if err != nil {
		return model.Result{Stop: model.StopCut}, err
	}
	c, err := m.Client(m.of)
	if err != nil {
		return model.Result{Stop: model.StopCut}, err
	}
	r, err := c.Model(m.model.ID, m.Info()).Generate(ctx, p, yield)
	if err == nil && wire != "" && c.Wire() != wire {
		err = m.state.learn(m.of, func(l *Learned) { l.Wire = c.Wire() }) // it has no WebSocket
	}
	return r, err
}

// unprobed reports whether it is still to be found out what a provider speaks.
func (s *Source) unprobed(p config.Provider) bool { return p.Wire == "" && s.state.get(p).Wire == "" }

// probe finds out what a provider speaks, and remembers it. "" means that it cannot be known now:
// chat completions serve then, and the next request tries again.
func (s *Source) probe(ctx context.Context, p config.Provider) (wire string, err error) {
	if !s.unprobed(p) {
		return "", nil // another turn was first
	}
	c, err := s.dial(p, SSE)
	if err != nil {
		return "", err
	}
	defer c.Close()
	has, sure := c.Probe(ctx)
	switch {
	case !sure:
		return "", nil
	case has:
		wire = WebSocket // a refused upgrade leads to SSE
	default:
		wire = Chat
	}
	return wire, s.state.learn(p, func(l *Learned) { l.Wire = wire })
}
