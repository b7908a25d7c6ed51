package server

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"waferpair/app/config"
	"waferpair/app/providers"
)

// measuring is the measurement of a provider that a page waits for; there is one at a time.
type measuring struct {
	mu     sync.Mutex
	doing  string
	cancel context.CancelFunc // nil: none is running
}

// measureWithin bounds a measurement.
const measureWithin = 5 * time.Minute

// errGivenUp is the cause of a measurement that its user ended.
var errGivenUp = errors.New("the measurement was given up")

// MeasureForm is a provider of which one model is measured.
type MeasureForm struct {
	Provider ProviderForm `json:"provider"`
	Model    string       `json:"model"`
}

// ProviderSpeed is what a provider can do, and how fast a model of it answers.
type ProviderSpeed struct {
	Model string      `json:"model"`
	Wire  string      `json:"wire"`  // that is used from now on: websocket, sse, chat
	Tools string      `json:"tools"` // "yes", or why not
	Wires []WireSpeed `json:"wires"` // the best first
}

// WireSpeed is how fast a model answers over one wire.
type WireSpeed struct {
	Wire      string  `json:"wire"`
	Refused   string  `json:"refused"`   // why the provider does not have it; ""
	First     float64 `json:"firstMs"`   // to the first token, connecting included
	TTFT      float64 `json:"ttftMs"`    // to the first token, median of 5
	PerSecond float64 `json:"perSecond"` // tokens; 0: unknown
}

// measureProvider sends short texts of ours to a model, over each wire.
func measureProvider(c *call, in MeasureForm) (ProviderSpeed, error) {
	s := c.page.host.opt.Providers
	p, key, err := in.Provider.read(s)
	if err != nil {
		return ProviderSpeed{}, err
	}
	if err := config.CheckModel(in.Model); err != nil {
		return ProviderSpeed{}, usage(err.Error())
	}
	ctx, cancel := context.WithTimeout(c.page.ctx, measureWithin)
	ctx, giveUp := context.WithCancelCause(ctx)
	defer cancel()
	m := &c.page.measuring
	m.set("connecting", func() { giveUp(errGivenUp) })
	defer m.set("", nil)
	t, err := s.TestWith(ctx, p, p.Model(in.Model), key, func(what string) { m.set(what, func() { giveUp(errGivenUp) }) })
	switch {
	case errors.Is(context.Cause(ctx), errGivenUp):
		return ProviderSpeed{}, errGivenUp
	case err != nil:
		return ProviderSpeed{}, err
	}
	out := speedOf(in.Model, t)
	c.page.host.measured.add(p.Name+"/"+in.Model, out)
	return out, nil
}

// measuredModels is how fast models were when they were measured, for those that have no turn yet. A
// turn says more: its prompt is a real one.
type measuredModels struct {
	mu sync.Mutex
	by map[string]*speed // by the names of models
}

func (m *measuredModels) add(name string, found ProviderSpeed) {
	i := slices.IndexFunc(found.Wires, func(w WireSpeed) bool { return w.Wire == found.Wire })
	if i < 0 {
		return
	}
	w := found.Wires[i]
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.by == nil {
		m.by = map[string]*speed{}
	}
	m.by[name] = &speed{waited: []float64{w.TTFT}, rates: []float64{w.PerSecond}}
}

// of returns the speed of a model; nil when it was not measured.
func (m *measuredModels) of(name string) *speed {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.by[name]
}

func speedOf(id string, t providers.Tested) ProviderSpeed {
	out := ProviderSpeed{Model: id, Wire: t.Wire, Tools: t.Tools, Wires: []WireSpeed{}}
	for _, wire := range []string{providers.WebSocket, providers.SSE, providers.Chat} {
		if why, is := t.Refused[wire]; is {
			out.Wires = append(out.Wires, WireSpeed{Wire: wire, Refused: why})
		}
		for _, s := range t.Speeds {
			if s.Wire == wire {
				out.Wires = append(out.Wires, WireSpeed{Wire: wire, First: s.First, TTFT: s.TTFT, PerSecond: tenth(s.PerSecond)})
			}
		}
	}
	return out
}

func (m *measuring) set(doing string, cancel context.CancelFunc) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.doing, m.cancel = doing, cancel
}

type measureStep struct {
	Doing string `json:"doing"` // "": nothing is measured
}

// measureStepOf says how far the page's measurement is.
func measureStepOf(c *call, _ none) (measureStep, error) {
	m := &c.page.measuring
	m.mu.Lock()
	defer m.mu.Unlock()
	return measureStep{m.doing}, nil
}

// stopMeasuring ends the page's measurement; it is answered with an error.
func stopMeasuring(c *call, _ none) (null, error) {
	m := &c.page.measuring
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.cancel != nil {
		m.cancel()
	}
	return nil, nil
}
