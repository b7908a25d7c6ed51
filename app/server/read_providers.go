package server

import (
	"context"
	"errors"
	"os"
	"time"

	"waferpair/app/config"
	"waferpair/app/keys"
	"waferpair/app/providers"
	"waferpair/engine/model"
)

// PresetInfo is a known provider, with what its form begins with.
type PresetInfo struct {
	Name             string `json:"name"`
	Title            string `json:"title"`
	Help             string `json:"help"`
	BaseURL          string `json:"baseURL"`
	Ask              string `json:"ask"` // what the base URL looks like, if everybody has another one
	EnvKey           string `json:"envKey"`
	Wire             string `json:"wire"`
	KeyInEnvironment bool   `json:"keyInEnvironment"` // the variable is set
}

// ProviderInfo is a provider of config.toml.
type ProviderInfo struct {
	Name    string       `json:"name"`
	Title   string       `json:"title"`
	BaseURL string       `json:"baseURL"`
	Where   string       `json:"where"`
	EnvKey  string       `json:"envKey"`
	Wire    string       `json:"wire"`
	Key     KeyPlace     `json:"key"`
	Models  []FoundModel `json:"models"`  // that the user picked
	Problem string       `json:"problem"` // why it cannot be used; ""
}

// KeyPlace is where the key of a provider is.
type KeyPlace string

const (
	keyInEnvironment KeyPlace = "environment"
	keyInKeyring     KeyPlace = "keyring"
	keyInMemory      KeyPlace = "memory"
	keyMissing       KeyPlace = "missing"
	keyNotNeeded     KeyPlace = "none"
)

// FoundModel is a model of a provider.
type FoundModel struct {
	ID      string `json:"id"`
	Context int    `json:"context"` // tokens; 0: unknown

	Price *model.Price `json:"price"` // that the provider lists
}

type providersAnswer struct {
	File      string         `json:"file"`      // config.toml
	Problem   string         `json:"problem"`   // why the file cannot be used; ""
	NoKeyring string         `json:"noKeyring"` // why keys are kept in memory only; ""
	Presets   []PresetInfo   `json:"presets"`
	Providers []ProviderInfo `json:"providers"`
}

// keyringWithin bounds how long the dialog waits for a keyring that is locked.
const keyringWithin = 2 * time.Second

func readProviders(ctx context.Context, h *host, _ none) (providersAnswer, error) {
	s := h.opt.Providers
	file := s.File.Read()
	out := providersAnswer{File: file.Path, Presets: []PresetInfo{}, Providers: []ProviderInfo{}}
	if file.Problem != nil {
		out.Problem = file.Problem.Error()
	}
	ctx, cancel := context.WithTimeout(ctx, keyringWithin)
	defer cancel()
	if err := s.Keys.CheckKeyring(ctx); err != nil {
		out.NoKeyring = "There is no keyring here."
		if !errors.Is(err, keys.ErrNoKeyring) {
			out.NoKeyring = "The keyring cannot be used: " + err.Error() + "."
		}
	}
	for _, p := range config.Presets() {
		out.Presets = append(out.Presets, PresetInfo{Name: p.Name, Title: p.Title, Help: p.Help, BaseURL: p.BaseURL,
			Ask: p.Ask, EnvKey: p.EnvKey, Wire: p.Wire, KeyInEnvironment: keyIsSet(p.EnvKey)})
	}
	for _, p := range file.Providers {
		out.Providers = append(out.Providers, providerInfo(ctx, s, p))
	}
	return out, nil
}

func providerInfo(ctx context.Context, s *providers.Source, p config.Provider) ProviderInfo {
	info := ProviderInfo{Name: p.Name, Title: p.Title, BaseURL: p.BaseURL, Where: whereOf(p), EnvKey: p.EnvKey,
		Wire: p.Wire, Models: []FoundModel{}}
	for _, m := range p.Models {
		info.Models = append(info.Models, FoundModel{ID: m.ID, Context: m.Context})
	}
	var err error
	if info.Key, err = keyOf(ctx, s, p); err != nil {
		info.Problem = err.Error()
	}
	if err := p.Err(); err != nil {
		info.Problem = err.Error()
	}
	return info
}

// keyOf says where the key of a provider is; the key itself is dropped at once.
func keyOf(ctx context.Context, s *providers.Source, p config.Provider) (KeyPlace, error) {
	_, at, err := s.Keys.Find(ctx, providers.For(p))
	switch at {
	case keys.Env:
		return keyInEnvironment, err
	case keys.Memory:
		return keyInMemory, err
	case keys.Keyring:
		return keyInKeyring, err
	case keys.None:
		return keyNotNeeded, err
	case keys.Missing:
	}
	return keyMissing, err
}

// whereOf says where a provider's models run, as the page words it.
func whereOf(p config.Provider) string {
	if providers.OnThisComputer(p) {
		return "this computer"
	}
	return providers.Where(p)
}

// keyIsSet reports whether a variable has a key.
func keyIsSet(name string) bool { return name != "" && os.Getenv(name) != "" }

// whose says of a provider what its models share in the picker.
type whose struct {
	where  string
	lacks  string
	picked map[string]bool
}

// pickedModels describes the providers of config.toml, by name.
func (h *host) pickedModels(ctx context.Context) map[string]whose {
	out := map[string]whose{}
	s := h.opt.Providers
	ctx, cancel := context.WithTimeout(ctx, keyringWithin)
	defer cancel()
	for _, p := range s.File.Read().Providers {
		w := whose{where: whereOf(p), picked: map[string]bool{}}
		for _, m := range p.Models {
			w.picked[m.ID] = true
		}
		if at, err := keyOf(ctx, s, p); err == nil && at == keyMissing {
			w.lacks = "key"
		}
		out[p.Name] = w
	}
	return out
}

func (w whose) describe(m *ModelInfo, id string) {
	m.Where, m.Lacks, m.Picked = w.where, w.lacks, w.picked[id]
}
