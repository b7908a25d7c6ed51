package providers

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"slices"
	"strings"
	"sync"

	"waferpair/app/config"
	"waferpair/app/keys"
	"waferpair/app/spending"
	"waferpair/engine"
	"waferpair/engine/model"
)

// Source is the providers of a user. Make it with New.
type Source struct {
	File   *config.File
	Keys   *keys.Store
	Ledger *spending.Ledger // what requests cost

	// Local returns how fast a model that is no provider's was here; nil: none of them was measured.
	Local func(name string) (Measured, bool)

	state   *State
	mu      sync.Mutex
	clients map[string]*connection // by provider
	retired []*connection          // of settings that have changed
}

// New returns the providers of config.toml in a configuration folder. Nothing is read yet.
func New(configHome, stateHome string) *Source {
	return &Source{File: config.In(configHome), Keys: keys.NewStore(),
		Ledger: spending.In(stateHome), state: newState(stateHome),
		clients: map[string]*connection{}}
}

// For says whose key a provider needs.
func For(p config.Provider) keys.For {
	return keys.For{Provider: p.Name, Origin: p.Origin(), EnvKey: p.EnvKey, Ring: p.Keyring}
}

// Models returns the models of a provider that are known: those of config.toml, then those that the
// provider has listed.
func (s *Source) Models(p config.Provider) []config.Model {
	out := append([]config.Model(nil), p.Models...)
	at := map[string]int{}
	for i, m := range out {
		at[m.ID] = i
	}
	for _, l := range s.state.get(p).Models {
		i, is := at[l.ID]
		if !is {
			out = append(out, config.Model{ID: l.ID, Context: l.Context, Price: l.Price})
			continue
		}
		if out[i].Context == 0 {
			out[i].Context = l.Context
		}
		if out[i].Price == nil {
			out[i].Price = l.Price
		}
	}
	return out
}

// Info describes a model.
func (s *Source) Info(p config.Provider, m config.Model) model.Info {
	return model.Info{Name: p.Name + "/" + m.ID, Kind: "remote", Help: m.ID + " at " + p.Label() + ", " + Where(p),
		Offline: OnThisComputer(p), Language: true, Context: m.Context, Price: m.Price,
		Thinks: slices.Contains(s.state.get(p).Thinks, m.ID)}
}

// Where says where a provider's models run.
func Where(p config.Provider) string {
	if OnThisComputer(p) {
		return "on this computer"
	}
	u, err := url.Parse(p.BaseURL)
	if err != nil {
		return "nowhere"
	}
	return u.Host
}

// OnThisComputer reports whether a provider's models run here.
func OnThisComputer(p config.Provider) bool {
	u, err := url.Parse(p.BaseURL)
	if err != nil {
		return false
	}
	ip := net.ParseIP(u.Hostname())
	return u.Hostname() == "localhost" || ip != nil && ip.IsLoopback()
}

// List describes the known models of all providers that can be used.
func (s *Source) List() (out []model.Info) {
	for _, p := range s.File.Read().Providers {
		if p.Err() != nil {
			continue
		}
		for _, m := range s.Models(p) {
			out = append(out, s.Info(p, m))
		}
	}
	return out
}

// Names returns the names of the known models, and PROVIDER/ for the others.
func (s *Source) Names() (out []string) {
	for _, m := range s.List() {
		out = append(out, m.Name)
	}
	for _, p := range s.File.Read().Providers {
		out = append(out, p.Name+"/")
	}
	return out
}

// Default returns the default model of config.toml; with providers and without one it is "auto".
func (s *Source) Default() string {
	c := s.File.Read()
	if name := c.Default(); name != "" || len(c.Providers) == 0 {
		return name
	}
	return engine.Auto
}

// Variables returns the names of the variables that the providers' keys and headers are read from.
func (s *Source) Variables() (out []string) {
	if s == nil {
		return nil
	}
	for _, p := range s.File.Read().Providers {
		if p.Err() != nil {
			continue
		}
		if p.EnvKey != "" {
			out = append(out, p.EnvKey)
		}
		for _, name := range p.EnvHeaders {
			out = append(out, name)
		}
	}
	return out
}

// Find returns the provider and the model of a name.
func (s *Source) Find(name string) (config.Provider, config.Model, error) {
	provider, id, _ := strings.Cut(name, "/")
	p, err := s.Usable(provider)
	switch {
	case err != nil:
		return p, config.Model{}, err
	case id == "":
		return p, config.Model{}, fmt.Errorf("%s is a provider; name a model of it as %s/MODEL%s", provider, provider,
			s.there(p))
	}
	if err := config.CheckModel(id); err != nil {
		return p, config.Model{}, err
	}
	for _, m := range s.Models(p) {
		if m.ID == id {
			return p, m, nil
		}
	}
	return p, config.Model{ID: id}, nil // the provider knows
}

// Usable returns a provider that can be used.
func (s *Source) Usable(name string) (config.Provider, error) {
	c := s.File.Read()
	p, is := c.Provider(name)
	switch {
	case c.Problem != nil:
		return p, fmt.Errorf("use the provider %s: %w", clip(name), *c.Problem)
	case !is:
		return p, unknown(c, name)
	case p.Err() != nil:
		return p, fmt.Errorf("use the provider %s: %w", name, p.Err())
	}
	return p, nil
}

// unknown is the error for a provider that is not there.
func unknown(c config.Config, name string) error {
	var known []string
	for _, p := range c.Providers {
		known = append(known, p.Name)
	}
	next := fmt.Sprintf("add it: waferpair models add %s --base-url URL", clip(name))
	if _, err := config.FindPreset(name); err == nil {
		next = fmt.Sprintf("add it: waferpair models add %s --provider %s", name, name)
	}
	if len(known) == 0 {
		return fmt.Errorf("no provider is called %q, there are none yet; %s", clip(name), next)
	}
	return fmt.Errorf("no provider is called %q; there are: %s; %s", clip(name), strings.Join(known, ", "), next)
}

// there lists the known models of a provider, for the end of an error.
func (s *Source) there(p config.Provider) string {
	var ids []string
	for i, m := range s.Models(p) {
		if i == 8 {
			ids = append(ids, "...")
			break
		}
		ids = append(ids, m.ID)
	}
	if len(ids) == 0 {
		return fmt.Sprintf("; 'waferpair models list --refresh' asks %s which there are", p.Label())
	}
	return "; there are: " + strings.Join(ids, ", ")
}

// clip shortens a name for an error.
func clip(s string) string {
	if r := []rune(s); len(r) > 80 {
		return string(r[:80]) + "..."
	}
	return s
}

// key returns the key of a provider, for the header of a request; "" when it needs none.
func (s *Source) key(ctx context.Context, p config.Provider) (string, error) {
	k, at, err := s.Keys.Find(ctx, For(p))
	switch {
	case err != nil:
		return "", err
	case at == keys.Missing:
		return "", MissingKey(p)
	}
	return k.Reveal(), nil
}

// MissingKey is the error for a provider whose key is nowhere.
func MissingKey(p config.Provider) error {
	s := "there is no key for " + p.Label() + ": "
	if p.EnvKey != "" {
		s += fmt.Sprintf("the variable %s is not set, and the keyring has none; set it, or run ", p.EnvKey)
	} else {
		s += "the keyring has none; run "
	}
	return errors.New(s + "'waferpair models add " + p.Name + " --key-stdin'")
}
