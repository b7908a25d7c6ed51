package model

import (
	"fmt"
	"strings"
)

// Registry is where models are found by name. It is made once and injected.
type Registry struct {
	models []Model
	kinds  []Kind
}

// Kind opens models by a name with a prefix, such as script:FILE.
type Kind struct {
	Prefix string // with its colon
	Help   string
	Open   func(rest string) (Model, error)
}

// Info describes the kind, as a model that is yet to be named.
func (k Kind) Info() Info {
	return Info{Name: k.Prefix + "FILE", Kind: strings.TrimSuffix(k.Prefix, ":"), Help: k.Help, Offline: true}
}

// NewRegistry has these models, of which the first is the default, and kinds.
func NewRegistry(models []Model, kinds ...Kind) *Registry {
	return &Registry{models: models, kinds: kinds}
}

// Models lists the models that can be named.
func (r *Registry) Models() []Info {
	out := make([]Info, len(r.models))
	for i, m := range r.models {
		out[i] = m.Info()
	}
	return out
}

// Kinds lists the kinds of models that are named by a prefix.
func (r *Registry) Kinds() []Kind { return r.kinds }

// Names are the names of the models, and the prefixes of the kinds.
func (r *Registry) Names() []string {
	var out []string
	for _, m := range r.models {
		out = append(out, m.Info().Name)
	}
	for _, k := range r.kinds {
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
	for _, k := range r.kinds {
		if rest, ok := strings.CutPrefix(name, k.Prefix); ok && rest != "" {
			return k.Open(rest)
		}
		known = append(known, k.Info().Name)
	}
	return nil, fmt.Errorf("no model named %q; there are: %s", name, strings.Join(known, ", "))
}
