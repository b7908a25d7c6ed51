package providers

import (
	"context"

	"waferpair/app/config"
	"waferpair/app/keys"
	"waferpair/engine/model"
)

// Shown is a provider as lists show it.
type Shown struct {
	Name     string       `json:"name"` // with its slash
	Kind     string       `json:"kind"` // provider
	Help     string       `json:"help"`
	Offline  bool         `json:"offline"` // its models run on this computer
	BaseURL  string       `json:"base_url"`
	Wire     string       `json:"wire,omitempty"` // that config.toml names
	Key      keys.Place   `json:"key"`
	KeyIn    string       `json:"key_variable,omitempty"`
	Problems []string     `json:"problems,omitempty"` // why it cannot be used
	Speaks   string       `json:"speaks,omitempty"`   // what it is asked over: websocket, sse, chat; "": not known yet
	Models   []model.Info `json:"-"`                  // that are known
	LeftOut  []string     `json:"left_out,omitempty"` // quoted names that the provider lists and nothing can use
}

// Shown describes the providers. It asks the keyring, but nobody else.
func (s *Source) Shown(ctx context.Context) (out []Shown) {
	for _, p := range s.File.Read().Providers {
		out = append(out, s.show(ctx, p))
	}
	return out
}

func (s *Source) show(ctx context.Context, p config.Provider) Shown {
	out := Shown{Name: p.Name + "/", Kind: "provider", Help: p.Label() + ", " + Where(p),
		Offline: OnThisComputer(p), BaseURL: p.BaseURL, Wire: p.Wire, KeyIn: p.EnvKey}
	for _, w := range p.Problems {
		out.Problems = append(out.Problems, w.Error())
	}
	if len(out.Problems) > 0 {
		out.BaseURL, out.KeyIn, out.Key = "", "", keys.None // a wrong one may have a key in it
		out.Help = p.Name
		return out
	}
	if !s.unprobed(p) {
		out.Speaks = s.wire(p)
	}
	_, at, err := s.Keys.Find(ctx, For(p))
	if out.Key = at; err != nil {
		out.Problems = append(out.Problems, err.Error())
	}
	out.LeftOut = s.state.get(p).Unusable
	for _, m := range s.Models(p) {
		out.Models = append(out.Models, s.Info(p, m))
	}
	return out
}
