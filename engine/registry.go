package engine

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"waferpair/engine/model"
)

// Registry finds drivers by name. The program makes it once and passes it on.
//
// A name is a driver's name, or begins with the prefix of an opener: "script:FILE",
// "PROVIDER/MODEL", "agent:NAME". A file name alone is never a driver's name.
type Registry struct {
	drivers []Driver
	openers []Opener
	source  Source // or nil
	named   Named  // or nil
}

// Named has drivers that come and go while the program runs, under plain names: model files that the user
// has added.
type Named interface {
	List() []model.Info
	Open(name string) (d Driver, is bool, err error) // is: there is one of the name
}

// Source has drivers that come and go while the program runs, under names with a slash:
// PROVIDER/MODEL, cut at the first slash.
type Source interface {
	List() []model.Info
	Open(name string) (Driver, error)
	Names() []string // the List's, and PROVIDER/ for each provider
	Default() string // the name of the model that the user set as the default, or ""
	// Auto returns the name of the model for a kind of task that the built-in is not certain of; ""
	// when there is none. It may ask a provider which models it has.
	Auto(ctx context.Context, kind string) (string, error)
}

// Auto is the name with which a request leaves the choice of its model to the program: see Registry.Auto.
const Auto = "auto"

// Opener opens drivers by a name with a prefix, such as script:FILE.
type Opener struct {
	Prefix string // with its colon or slash
	Rest   string // placeholder for the rest of the name, for help texts: FILE, NAME
	Help   string
	Open   func(rest string) (Driver, error)
}

// Info describes the drivers that it opens.
func (o Opener) Info() model.Info {
	return model.Info{Name: o.Prefix + o.Rest, Kind: strings.TrimRight(o.Prefix, ":/"), Help: o.Help, Offline: true}
}

// NewRegistry returns a registry of drivers, the first of which is the default, and of
// openers.
func NewRegistry(drivers []Driver, openers ...Opener) *Registry {
	return &Registry{drivers: drivers, openers: openers}
}

// With adds a source of drivers, and returns the registry.
func (r *Registry) With(s Source) *Registry {
	r.source = s
	return r
}

// WithNamed adds drivers with plain names, and returns the registry.
func (r *Registry) WithNamed(n Named) *Registry {
	r.named = n
	return r
}

// List describes the drivers that have names, the built-in ones first.
func (r *Registry) List() []model.Info {
	out := append(r.BuiltIn(), r.Named()...)
	if r.hasOthers() {
		out = append(out, auto{r.Default()}.Info())
	}
	if r.source != nil {
		out = append(out, r.source.List()...)
	}
	return out
}

// Named describes the drivers that the user has named.
func (r *Registry) Named() []model.Info {
	if r.named == nil {
		return nil
	}
	return r.named.List()
}

// BuiltIn describes the drivers that are always there.
func (r *Registry) BuiltIn() []model.Info {
	out := make([]model.Info, len(r.drivers))
	for i, d := range r.drivers {
		out[i] = d.Info()
	}
	return out
}

// Openers returns the openers.
func (r *Registry) Openers() []Opener { return r.openers }

// Names returns the names of the drivers and the prefixes of the openers.
func (r *Registry) Names() []string {
	var out []string
	for _, d := range r.drivers {
		out = append(out, d.Info().Name)
	}
	for _, o := range r.openers {
		out = append(out, o.Prefix)
	}
	for _, m := range r.Named() {
		out = append(out, m.Name)
	}
	if r.hasOthers() {
		out = append(out, Auto)
	}
	if r.source != nil {
		out = append(out, r.source.Names()...)
	}
	return out
}

// Default returns the built-in driver that turns without a model's name get, unless the user
// has set another: see DefaultName. It also does what needs no turn, such as suggestions.
func (r *Registry) Default() Driver { return r.drivers[0] }

// DefaultName returns the name of the model for turns that name none.
func (r *Registry) DefaultName() string {
	if r.source != nil {
		if name := r.source.Default(); name != "" {
			return name
		}
	}
	return r.Default().Info().Name
}

// hasOthers reports whether there are models beside those that are always there.
func (r *Registry) hasOthers() bool { return r.source != nil && len(r.source.Names()) > 0 }

// Auto returns the name of the model for a kind of task that the built-in is not certain of; "" when there
// is none but the built-in, or nobody has chosen one of several. Where the source knows none, the only model that
// was added by name is it.
func (r *Registry) Auto(ctx context.Context, kind string) (name string, err error) {
	if r.source != nil {
		name, err = r.source.Auto(ctx, kind)
	}
	if list := r.Named(); name == "" && err == nil && len(list) == 1 {
		return list[0].Name, nil
	}
	return name, err
}

// auto is what stands for Auto until a request is there to choose a model for: the built-in, which helps
// while the request is written.
type auto struct{ Driver }

// Info describes the choice.
func (a auto) Info() model.Info {
	return model.Info{Name: Auto, Kind: Auto, Language: true,
		Help: a.Driver.Info().Name + " where it is certain, otherwise the model that config.toml names for the task"}
}

// Unwrap returns the built-in model.
func (a auto) Unwrap() model.Model {
	if u, ok := a.Driver.(interface{ Unwrap() model.Model }); ok {
		return u.Unwrap()
	}
	return nil
}

// Open finds a driver by name. An empty name means DefaultName.
func (r *Registry) Open(name string) (Driver, error) {
	if name == "" {
		name = r.DefaultName()
	}
	if name == Auto {
		return auto{r.Default()}, nil
	}
	var known []string
	for _, d := range r.drivers {
		if d.Info().Name == name {
			return d, nil
		}
		known = append(known, d.Info().Name)
	}
	for _, o := range r.openers {
		if rest, ok := strings.CutPrefix(name, o.Prefix); ok && rest != "" {
			return o.Open(rest)
		}
		known = append(known, o.Info().Name)
	}
	if r.named != nil {
		if d, is, err := r.named.Open(name); is {
			return d, err
		}
		for _, m := range r.named.List() {
			known = append(known, m.Name)
		}
	}
	if r.source != nil {
		others := r.source.Names()
		if strings.Contains(name, "/") || slices.Contains(others, name+"/") {
			return r.source.Open(name)
		}
		if at := slices.IndexFunc(others, func(o string) bool { return strings.HasSuffix(o, "/"+name) }); at >= 0 {
			return nil, fmt.Errorf("no model named %q; did you mean %s?", name, others[at])
		}
		known = append(known, others...)
		if len(others) == 0 {
			return nil, fmt.Errorf("no model named %q; there are: %s; other models are called PROVIDER/MODEL, "+
				"and 'waferpair models add' connects their provider", name, strings.Join(known, ", "))
		}
	}
	if more := len(known) - maxNamed; more > 0 {
		known = append(known[:maxNamed], fmt.Sprintf("and %d more ('waferpair models list')", more))
	}
	return nil, fmt.Errorf("no model named %q; there are: %s", name, strings.Join(known, ", "))
}

// maxNamed is how many models an error names; a provider may have hundreds.
const maxNamed = 12

// As returns a driver, or the model inside it, as the optional interface T, such as
// model.Tryer. A model may wrap another one.
func As[T any](d Driver) (T, bool) {
	for of := any(d); of != nil; {
		if t, ok := of.(T); ok {
			return t, true
		}
		u, ok := of.(interface{ Unwrap() model.Model })
		if !ok {
			break
		}
		of = u.Unwrap()
	}
	var none T
	return none, false
}
