package cli

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"waferpair/app/config"
	"waferpair/app/keys"
	"waferpair/app/providers"
	"waferpair/engine/model"
)

func modelsListCommand(e *env) *cobra.Command {
	return &cobra.Command{
		Use: "list", Short: "List the models and the providers",
		Long: `list shows the built-in models, then the providers of config.toml: where their models
run, where the key was found, and which models are known. It does not use the network.

With --json, a provider is a line of kind "provider", and each known model of it one
of kind "remote".`,
		Example: "  waferpair models list\n  waferpair models list --json",
		Args:    args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			shown, missing := e.shownProviders(cmd.Context())
			if missing { // a process that stays may have the key in its memory
				if err := e.runWhereItStays(cmd.Context()); err != nil {
					return err
				}
			}
			e.listBuiltIn()
			e.warnConfig()
			for _, p := range shown {
				e.printProvider(p)
			}
			return nil
		},
	}
}

func (e *env) listBuiltIn() {
	all := e.models.BuiltIn()
	for _, o := range e.models.Openers() {
		all = append(all, o.Info())
	}
	for _, m := range all {
		if e.json {
			jsonOut(e.out, m)
			continue
		}
		fmt.Fprintf(e.out, "%-12s %s\n", m.Name, m.Help)
	}
}

// warnConfig says what is wrong with config.toml as a whole, and which keys nothing reads.
func (e *env) warnConfig() {
	c := e.providers.File.Read()
	if c.Problem != nil {
		fmt.Fprintf(e.err, "waferpair: %s\n", clean(c.Problem.Error()))
	}
	for _, u := range c.Unknown {
		fmt.Fprintf(e.err, "waferpair: %s\n", clean(u.Error()))
	}
}

// shownProvider is a provider as 'models list' shows it.
type shownProvider struct {
	Name     string       `json:"name"`
	Kind     string       `json:"kind"` // provider
	Help     string       `json:"help"`
	Offline  bool         `json:"offline"`
	BaseURL  string       `json:"base_url"`
	Wire     string       `json:"wire,omitempty"`
	Key      keys.Place   `json:"key"`
	KeyIn    string       `json:"key_variable,omitempty"`
	Problems []string     `json:"problems,omitempty"`
	models   []model.Info // each has a line of its own
}

// keyringWithin is how long a list waits for the keyring.
const keyringWithin = 5 * time.Second

// shownProviders describes the providers. missing: the key of one was not found.
func (e *env) shownProviders(ctx context.Context) (out []shownProvider, missing bool) {
	ctx, cancel := context.WithTimeout(ctx, keyringWithin)
	defer cancel()
	for _, p := range e.providers.File.Read().Providers {
		s := e.shownProvider(ctx, p)
		missing = missing || s.Key == keys.Missing
		out = append(out, s)
	}
	return out, missing
}

func (e *env) shownProvider(ctx context.Context, p config.Provider) shownProvider {
	s := shownProvider{Name: p.Name + "/", Kind: "provider", Help: p.Label() + ", " + providers.Where(p),
		Offline: providers.OnThisComputer(p), BaseURL: p.BaseURL, Wire: p.Wire, KeyIn: p.EnvKey}
	for _, w := range p.Problems {
		s.Problems = append(s.Problems, clean(w.Error()))
	}
	if len(s.Problems) > 0 {
		s.BaseURL, s.KeyIn, s.Key = "", "", keys.None // a wrong one may have a key in it
		s.Help = p.Name
		return s
	}
	_, at, err := e.providers.Keys.Find(ctx, providers.For(p))
	if s.Key = at; err != nil {
		s.Problems = append(s.Problems, clean(err.Error()))
	}
	for _, m := range e.providers.Models(p) {
		s.models = append(s.models, e.providers.Info(p, m))
	}
	return s
}

func (e *env) printProvider(s shownProvider) {
	if e.json {
		jsonOut(e.out, s)
		for _, m := range s.models {
			jsonOut(e.out, m)
		}
		return
	}
	fmt.Fprintf(e.out, "%-12s %s%s\n", clean(s.Name), clean(s.Help), keyWords(s))
	for _, why := range s.Problems {
		fmt.Fprintf(e.out, "  cannot be used: %s\n", why)
	}
	if len(s.Problems) == 0 && len(s.models) == 0 {
		fmt.Fprintf(e.out, "  no model is known yet: waferpair models test %s\n", strings.TrimSuffix(s.Name, "/"))
	}
	for _, m := range s.models {
		fmt.Fprintf(e.out, "  %s%s\n", clean(m.Name), sizeWords(m))
	}
}

// keyWords says where a provider's key is.
func keyWords(s shownProvider) string {
	switch s.Key {
	case keys.Env:
		return ", key: env " + s.KeyIn
	case keys.Missing:
		if s.KeyIn != "" {
			return ", key: missing (" + s.KeyIn + " is not set, the keyring has none)"
		}
		return ", key: missing"
	case keys.Keyring, keys.Memory:
		return ", key: " + string(s.Key)
	case keys.None:
	}
	return ""
}

// sizeWords says how large a model's context is, and what it costs.
func sizeWords(m model.Info) (s string) {
	if m.Context > 0 {
		s = fmt.Sprintf(", %d tokens", m.Context)
	}
	if m.Price != nil {
		s += fmt.Sprintf(", $%g in, $%g out for a million tokens", m.Price.Input, m.Price.Output)
	}
	return s
}
