package engine

import (
	"fmt"
	"strings"

	"waferpair/engine/model"
)

// Registry is where drivers are found by name. It is made once and injected.
//
// A name is that of a driver, or begins with the prefix of an opener: "script:FILE",
// "PROVIDER/MODEL", "agent:NAME". The name of a file alone is never one.
type Registry struct {
	drivers []Driver
	openers []Opener
}

// Opener opens drivers by a name with a prefix, such as script:FILE.
type Opener struct {
	Prefix string // with its colon or slash
	Rest   string // what follows it, for people: FILE, NAME
	Help   string
	Open   func(rest string) (Driver, error)
}

// Info describes what it opens, as a driver that is yet to be named.
func (o Opener) Info() model.Info {
	return model.Info{Name: o.Prefix + o.Rest, Kind: strings.TrimRight(o.Prefix, ":/"), Help: o.Help, Offline: true}
}

// NewRegistry has these drivers, of which the first is the default, and openers of others.
func NewRegistry(drivers []Driver, openers ...Opener) *Registry {
	return &Registry{drivers: drivers, openers: openers}
}

// List describes the drivers that can be named.
func (r *Registry) List() []model.Info {
	out := make([]model.Info, len(r.drivers))
	for i, d := range r.drivers {
		out[i] = d.Info()
	}
	return out
}

// Openers lists what opens drivers by a prefix.
func (r *Registry) Openers() []Opener { return r.openers }

// Names are the names of the drivers, and the prefixes of others.
func (r *Registry) Names() []string {
	var out []string
	for _, d := range r.drivers {
		out = append(out, d.Info().Name)
	}
	for _, o := range r.openers {
		out = append(out, o.Prefix)
	}
	return out
}

// Default is the driver that is asked when none is named.
func (r *Registry) Default() Driver { return r.drivers[0] }

// Open finds a driver by name; an empty name means the default.
func (r *Registry) Open(name string) (Driver, error) {
	if name == "" {
		return r.Default(), nil
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
	return nil, fmt.Errorf("no model named %q; there are: %s", name, strings.Join(known, ", "))
}

// As is the optional face T of a driver, such as model.Tryer, or of the model that
// it is around.
func As[T any](d Driver) (T, bool) {
	if t, ok := d.(T); ok {
		return t, true
	}
	if u, ok := d.(interface{ Unwrap() model.Model }); ok {
		t, ok := u.Unwrap().(T)
		return t, ok
	}
	var none T
	return none, false
}
