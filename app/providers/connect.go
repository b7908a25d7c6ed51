package providers

import (
	"context"
	"crypto/x509"
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"reflect"

	"waferpair/app/config"
	"waferpair/engine"
	"waferpair/engine/agent"
	"waferpair/engine/responses/chat"
	"waferpair/engine/responses/client"
)

// connection is the client of a provider, and the settings that it was made with.
type connection struct {
	of      config.Provider
	headers map[string]string
	wire    string
	client  *client.Client
}

// Open returns the driver of a model: PROVIDER/MODEL.
func (s *Source) Open(name string) (engine.Driver, error) {
	p, m, err := s.Find(name)
	if err != nil {
		return nil, err
	}
	if s.unprobed(p) {
		return agent.New(metered{probing{s, p, m}, s}, agent.Tools()...), nil
	}
	c, err := s.Client(p)
	if err != nil {
		return nil, err
	}
	return agent.New(metered{c.Model(m.ID, s.Info(p, m)), s}, agent.Tools()...), nil
}

// Client returns the process's client of a provider. A client of settings that have changed stays
// open: turns may still use it.
func (s *Source) Client(p config.Provider) (*client.Client, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	headers, wire := s.headers(p), s.wire(p)
	if c := s.clients[p.Name]; c != nil {
		if reflect.DeepEqual(c.of, p) && maps.Equal(c.headers, headers) && c.wire == wire {
			return c.client, nil
		}
		s.retired = append(s.retired, c)
		delete(s.clients, p.Name)
	}
	made, err := s.dial(p, wire)
	if err != nil {
		return nil, err
	}
	s.clients[p.Name] = &connection{p, headers, wire, made}
	return made, nil
}

// Dial returns a client of a provider that only the caller uses, and closes. It speaks the wire that
// config.toml names, or the first request or a test has found: "websocket", "sse", or, until one is
// known, "chat", which all providers have.
func (s *Source) Dial(p config.Provider) (*client.Client, error) { return s.dial(p, s.wire(p)) }

// wire is what a provider is asked over.
func (s *Source) wire(p config.Provider) string {
	learned := s.state.get(p).Wire
	switch {
	case p.Wire == "chat", p.Wire == "" && learned == "":
		return Chat
	case p.WebSockets != nil && !*p.WebSockets && (p.Wire == "responses" || learned != Chat):
		return SSE
	case p.Wire == "responses" && (learned == "" || learned == Chat):
		return WebSocket // a refused upgrade leads to SSE
	}
	return learned
}

// dial returns a client that speaks a wire.
func (s *Source) dial(p config.Provider, wire string) (*client.Client, error) {
	return s.dialWith(p, wire, func(ctx context.Context) (string, error) { return s.key(ctx, p) })
}

// dialWith returns a client that speaks a wire, and asks for the key at each request.
func (s *Source) dialWith(p config.Provider, wire string,
	key func(context.Context) (string, error)) (*client.Client, error) {
	h, err := s.http(p)
	if err != nil {
		return nil, err
	}
	of := client.Provider{Provider: chat.Provider{Name: p.Name, BaseURL: p.BaseURL, Query: p.Query,
		Headers: s.headers(p), Retries: 4, Streams: 5, Idle: p.IdleTimeout, HTTP: h,
		Key: key, KeyEnv: p.EnvKey},
		Wire: "responses", WebSockets: wire == WebSocket}
	if wire == Chat {
		of.Wire = Chat
	}
	if p.RequestRetries != nil {
		of.Retries = *p.RequestRetries
	}
	if p.StreamRetries != nil {
		of.Streams = *p.StreamRetries
	}
	return client.New(of), nil
}

// http returns the HTTP client of a provider with certificates of its own; nil for others.
func (s *Source) http(p config.Provider) (*http.Client, error) {
	if p.CAFile == "" {
		return nil, nil
	}
	path := p.CAFile
	if !filepath.IsAbs(path) {
		path = filepath.Join(filepath.Dir(s.File.Path()), path)
	}
	pem, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read the ca_file of %s: %w; correct it in %s", p.Name, err, s.File.Path())
	}
	pool, err := x509.SystemCertPool()
	if err != nil {
		pool = x509.NewCertPool()
	}
	if !pool.AppendCertsFromPEM(pem) {
		return nil, fmt.Errorf("the ca_file of %s: %s has no certificates in PEM form; correct it in %s", p.Name, path,
			s.File.Path())
	}
	return chat.Trusting(pool), nil
}

// headers are those of config.toml, and those whose values are in variables of this process. A
// variable that is not set adds none.
func (s *Source) headers(p config.Provider) map[string]string {
	out := maps.Clone(p.Headers)
	if out == nil {
		out = map[string]string{}
	}
	for name, variable := range p.EnvHeaders {
		if v := os.Getenv(variable); v != "" {
			out[name] = v
		}
	}
	return out
}

// Refresh asks a provider for its models, and remembers them.
func (s *Source) Refresh(ctx context.Context, p config.Provider) ([]Listed, error) {
	c, err := s.Client(p)
	if err != nil {
		return nil, err
	}
	all, err := c.Models(ctx)
	if err != nil {
		return nil, err
	}
	out, unusable := listed(all)
	return out, s.state.learn(p, func(l *Learned) {
		l.Models, l.Unusable = out, unusable[:min(len(unusable), maxUnusable)]
	})
}

// Close closes the connections of all providers.
func (s *Source) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range s.clients {
		c.client.Close()
	}
	for _, c := range s.retired {
		c.client.Close()
	}
	s.clients, s.retired = map[string]*connection{}, nil
}
