package providers

import (
	"context"
	"errors"
	"strings"

	"waferpair/app/config"
	"waferpair/app/keys"
	"waferpair/engine/responses/client"
)

// The wires.
const (
	WebSocket = "websocket" // the Responses API over a WebSocket
	SSE       = "sse"       // the Responses API over HTTP
	Chat      = "chat"      // chat completions over HTTP
)

var errNoSocket = errors.New("it has no WebSocket: the upgrade was refused")

// Tested is what a test of a provider's model found.
type Tested struct {
	Wire    string            `json:"wire"`    // that is used from now on
	Refused map[string]string `json:"refused"` // wires that the provider has not, and why
	Tools   string            `json:"tools"`   // "yes", or why not
	Speeds  []Speed           `json:"speeds"`  // of each wire that it has
}

// wires are those that a provider is tried over, the best first.
func wires(p config.Provider) []string {
	sockets := p.WebSockets == nil || *p.WebSockets
	switch {
	case p.Wire == "chat":
		return []string{Chat}
	case p.Wire == "responses" && sockets:
		return []string{WebSocket, SSE}
	case p.Wire == "responses":
		return []string{SSE}
	case sockets:
		return []string{WebSocket, SSE, Chat}
	}
	return []string{SSE, Chat}
}

// Test tries out what a provider speaks and whether a model can call tools, and measures how fast the
// model answers over each wire. Each has a client of its own, so that connecting is measured, too. The
// best wire is remembered.
func (s *Source) Test(ctx context.Context, p config.Provider, m config.Model, doing func(string)) (Tested, error) {
	return s.TestWith(ctx, p, m, nil, doing)
}

// TestWith is Test of a provider that need not be in config.toml yet. key is nil for the one that there is.
func (s *Source) TestWith(ctx context.Context, p config.Provider, m config.Model, key *keys.Secret,
	doing func(string)) (Tested, error) {
	none := 0
	p.RequestRetries, p.StreamRetries = &none, &none // what does not work is said at once
	dial := func(wire string) (*client.Client, error) { return s.dial(p, wire) }
	if key != nil {
		dial = func(wire string) (*client.Client, error) {
			return s.dialWith(p, wire, func(context.Context) (string, error) { return key.Reveal(), nil })
		}
	}
	t := Tested{Refused: map[string]string{}, Speeds: []Speed{}}
	var first error
	for _, wire := range wires(p) {
		speed, tools, err := s.testOver(ctx, dial, p, m, wire, doing)
		switch {
		case ctx.Err() != nil:
			return t, context.Cause(ctx)
		case err != nil:
			t.Refused[wire] = err.Error()
			first = err // the last wire is the one that all should have
			continue
		}
		t.Speeds = append(t.Speeds, speed)
		if t.Wire == "" {
			t.Wire, t.Tools = wire, tools
		}
	}
	if t.Wire == "" {
		return t, first
	}
	return t, s.state.learn(p, func(l *Learned) {
		if l.Wire = t.Wire; l.Measured == nil {
			l.Measured = map[string]Measured{}
		}
		l.Measured[m.ID] = Measured{t.Speeds[0].TTFT, t.Speeds[0].PerSecond} // the first is that of the wire
	})
}

// Measured returns how fast a model was when it was tested last; false: it was not.
func (s *Source) Measured(name string) (Measured, bool) {
	provider, id, is := strings.Cut(name, "/")
	if !is && s.Local != nil {
		return s.Local(name)
	}
	p, _ := s.File.Read().Provider(provider)
	found, is := s.state.get(p).Measured[id]
	return found, is
}

// testOver tests one wire.
func (s *Source) testOver(ctx context.Context, dial func(wire string) (*client.Client, error), p config.Provider,
	m config.Model, wire string, doing func(string)) (Speed, string, error) {
	c, err := dial(wire)
	if err != nil {
		return Speed{}, "", err
	}
	defer c.Close()
	ctx = OverBudget(ctx) // the user asked for the test, which costs little
	of := metered{c.Model(m.ID, s.Info(p, m)), s}
	if wire == WebSocket {
		doing("connecting over a WebSocket")
		if _, err := ask(ctx, of, shortText, 64); err != nil {
			return Speed{}, "", err
		}
		if c.Wire() != WebSocket {
			return Speed{}, "", errNoSocket
		}
		c.Close()
		if c, err = dial(wire); err != nil {
			return Speed{}, "", err
		}
		defer c.Close()
		of = metered{c.Model(m.ID, s.Info(p, m)), s}
	}
	speed, err := Measure(ctx, of, wire, doing)
	if err != nil {
		return speed, "", err
	}
	doing(wire + ": tools")
	return speed, callsTool(ctx, of), nil
}
