package server

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"waferpair/app/config"
	"waferpair/app/keys"
	"waferpair/app/providers"
)

// ProviderForm is what the user says about a provider.
type ProviderForm struct {
	Name     string       `json:"name"`
	Preset   string       `json:"preset"` // with which the form began; ""
	Title    string       `json:"title"`
	BaseURL  string       `json:"baseURL"`
	EnvKey   string       `json:"envKey"`
	Wire     string       `json:"wire"` // responses, chat; "": to be found out
	Key      TypedKey     `json:"key"`  // "": the one that there is
	Models   []FoundModel `json:"models"`
	Replaces string       `json:"replaces"` // the provider that is changed; "": it is a new one
}

// TypedKey is a key on its way from the page: printed, it shows nothing.
type TypedKey string

func (TypedKey) String() string   { return "•••" }
func (TypedKey) GoString() string { return "•••" }

// ProviderTest is what a provider answered.
type ProviderTest struct {
	Models   []FoundModel `json:"models"`
	Answered float64      `json:"answeredMs"`
	Note     string       `json:"note"` // what the user should know; ""
}

type savedProvider struct {
	Key KeyPlace `json:"key"`
}

type providerName struct {
	Name string `json:"name"`
}

// testWithin bounds a test.
const testWithin = 15 * time.Second

// testProvider connects, and lists the models. Nothing is kept.
func testProvider(c *call, in ProviderForm) (ProviderTest, error) {
	s := c.page.host.opt.Providers
	p, key, err := in.read(s)
	if err != nil {
		return ProviderTest{}, err
	}
	ctx, cancel := context.WithTimeout(c.page.ctx, testWithin)
	defer cancel()
	began := time.Now()
	found, err := s.Try(ctx, p, key)
	if err != nil {
		return ProviderTest{}, err
	}
	out := ProviderTest{Models: make([]FoundModel, len(found.Models)), Note: found.Note,
		Answered: millis(time.Since(began))}
	for i, m := range found.Models {
		out.Models[i] = FoundModel{m.ID, m.Context, m.Price}
	}
	return out, nil
}

// saveProvider keeps the key, then writes config.toml.
func saveProvider(c *call, in ProviderForm) (savedProvider, error) {
	s, ctx := c.page.host.opt.Providers, c.page.ctx
	p, key, err := in.read(s)
	if err != nil {
		return savedProvider{}, err
	}
	if _, is := s.File.Read().Provider(p.Name); is && in.Replaces != p.Name { // before its key is replaced
		return savedProvider{}, usage(fmt.Sprintf("There is a provider %q already: choose another name, or change that one.",
			p.Name))
	}
	if key != nil {
		at, why := s.Keys.Keep(ctx, providers.For(p), *key)
		if why != nil && !errors.Is(why, keys.ErrNoKeyring) {
			c.page.host.notice(levelWarning, "The key is kept in memory until Waferpair ends: "+why.Error())
		}
		p.Keyring = at == keys.Keyring || p.EnvKey == ""
	}
	if err := replaceProvider(s.File, in.Replaces, p); err != nil {
		if key != nil && in.Replaces == "" {
			err = errors.Join(err, s.Keys.Forget(ctx, providers.For(p)))
		}
		return savedProvider{}, err
	}
	go learnModels(ctx, s, p)
	at, err := keyOf(ctx, s, p)
	return savedProvider{at}, err
}

// learnModels has the provider's list remembered, with contexts and prices.
func learnModels(ctx context.Context, s *providers.Source, p config.Provider) {
	ctx, cancel := context.WithTimeout(ctx, testWithin)
	defer cancel()
	_, _ = s.Refresh(ctx, p) // the provider is saved, and works without
}

// replaceProvider writes a provider in the place of an old one, which stays if that fails.
func replaceProvider(f *config.File, old string, p config.Provider) error {
	if old == "" {
		return f.Add(p)
	}
	before, is := f.Read().Provider(old)
	if !is {
		return f.Add(p)
	}
	if err := f.Remove(old); err != nil {
		return err
	}
	if err := f.Add(p); err != nil {
		return errors.Join(err, f.Add(before))
	}
	return nil
}

func removeProvider(c *call, in providerName) (null, error) {
	return nil, c.page.host.opt.Providers.Remove(c.page.ctx, in.Name)
}

// read makes a provider of the form; key is nil when none was typed.
func (in ProviderForm) read(s *providers.Source) (p config.Provider, key *keys.Secret, err error) {
	at := p.At
	if in.Replaces != "" {
		old, is := s.File.Read().Provider(in.Replaces)
		if !is {
			return p, nil, fail(codeGone, fmt.Sprintf("There is no provider %q any more: add it again.", in.Replaces))
		}
		p, at = old, old.At
	} else if preset, err := config.FindPreset(in.Preset); err == nil {
		p, at = preset.Provider, preset.At
	}
	wire := p.Wire
	p = at(in.BaseURL)
	if p.Wire == wire { // the address does not tell it
		p.Wire = in.Wire
	}
	p.Name, p.Title, p.EnvKey = strings.TrimSpace(in.Name), strings.TrimSpace(in.Title), strings.TrimSpace(in.EnvKey)
	if p.Problems = nil; len(in.Models) > 0 || in.Replaces != "" {
		p.Models = in.models(p)
	}
	if in.Key == "" {
		return p, nil, nil
	}
	k, err := keys.New(string(in.Key))
	if err != nil {
		return p, nil, usage("The key cannot be used: " + err.Error())
	}
	if keyIsSet(p.EnvKey) { // it would count before the one that was typed
		p.EnvKey = ""
	}
	p.Keyring = true
	return p, &k, nil
}

// models are those that the user picked, with what was known of them.
func (in ProviderForm) models(old config.Provider) []config.Model {
	out := make([]config.Model, len(in.Models))
	for i, m := range in.Models {
		out[i] = old.Model(m.ID)
		if m.Context > 0 {
			out[i].Context = m.Context
		}
	}
	return out
}
