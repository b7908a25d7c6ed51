package model

import (
	"fmt"
	"strings"
)

// Registry is where models are found by name. It is made once and injected.
type Registry struct {
	models  []Model
	openers []Opener
}

// Opener opens models by a name with a prefix, such as script:FILE.
type Opener struct {
	Prefix string // with its colon
	Help   string
	Open   func(rest string) (Model, error)
}

// Info describes what it opens, as a model that is yet to be named.
func (o Opener) Info() Info {
	return Info{Name: o.Prefix + "FILE", Kind: strings.TrimSuffix(o.Prefix, ":"), Help: o.Help, Offline: true}
}

// NewRegistry has these models, of which the first is the default, and openers of others.
func NewRegistry(models []Model, openers ...Opener) *Registry {
	return &Registry{models: models, openers: openers}
}

// Models lists the models that can be named.
func (r *Registry) Models() []Info {
	out := make([]Info, len(r.models))
	for i, m := range r.models {
		out[i] = m.Info()
	}
	return out
}

// Openers lists what opens models by a prefix.
func (r *Registry) Openers() []Opener { return r.openers }

// Names are the names of the models, and the prefixes of others.
func (r *Registry) Names() []string {
	var out []string
	for _, m := range r.models {
		out = append(out, m.Info().Name)
	}
	for _, k := range r.openers {
		out = append(out, k.Prefix)
	}
	return out
}

// Default is the model that is asked when none is named.
func (r *Registry) Default() Model { return r.models[0] }

// Open finds a model by name; an empty name means the default.
func (r *Registry) Open(name string) (Model, error) {
	if name == "" {
		return r.Default(), nil
	}
	var known []string
	for _, m := range r.models {
		if m.Info().Name == name {
			return m, nil
		}
		known = append(known, m.Info().Name)
	}
	for _, k := range r.openers {
		if rest, ok := strings.CutPrefix(name, k.Prefix); ok && rest != "" {
			return k.Open(rest)
		}
		known = append(known, k.Info().Name)
	}
	return nil, fmt.Errorf("no model named %q; there are: %s", name, strings.Join(known, ", "))
}
