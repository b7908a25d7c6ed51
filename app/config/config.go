package config

import (
	"fmt"
	"net/url"
	"strings"
	"time"

	"waferpair/engine/model"
)

// Config is the content of config.toml.
type Config struct {
	Path          string
	Model         string     // of turns that name none; "": the built-in
	ModelProvider string     // whose Model is
	Providers     []Provider // in the file's order
	Auto          Auto       // which model "auto" asks, if the built-in is not certain
	DailyBudget   float64    // dollars a day, over all projects; 0: no limit
	ModelFiles    ModelFiles
	Unknown       []Problem // keys that nothing reads
	Problem       *Problem  // why the file as a whole cannot be used
}

// Provider is a server of models.
type Provider struct {
	Name           string // before the slash in names of models
	Title          string // for people; may be ""
	BaseURL        string
	EnvKey         string // the variable with the key, or ""
	Keyring        bool   // the key is in the keyring
	Wire           string // "responses", "chat"; "": to be tried out
	Query          map[string]string
	Headers        map[string]string
	EnvHeaders     map[string]string // header -> variable
	RequestRetries *int
	StreamRetries  *int
	IdleTimeout    time.Duration // 0: the default
	WebSockets     *bool         // nil: to be tried out
	CAFile         string
	Models         []Model
	Problems       []Problem // why it cannot be used
}

// ModelFiles is the table [model_files]: what the models in files may use of this computer.
type ModelFiles struct {
	Memory  int64          // bytes that loaded models take together; 0: the default
	Keep    *time.Duration // how long one stays in memory that nobody uses; nil: as long as there is room
	Threads int            // that compute; 0: the default
}

// Model is what the file says about a model.
type Model struct {
	ID      string
	Context int          // 0: unknown
	Price   *model.Price // nil: unknown
}

// Problem is something in a file that the user has to change.
type Problem struct {
	File      string
	Line, Col int // 0: the file as a whole
	Key       string
	What      string
	Next      string
}

// Error returns place, cause and next step.
func (p Problem) Error() string {
	s := p.File
	if p.Line > 0 {
		s = fmt.Sprintf("%s:%d:%d", s, p.Line, p.Col)
	}
	s += ": " + p.What
	if p.Next != "" {
		s += "; " + p.Next
	}
	return s
}

// Provider finds a provider.
func (c Config) Provider(name string) (Provider, bool) {
	for _, p := range c.Providers {
		if p.Name == name {
			return p, true
		}
	}
	return Provider{}, false
}

// Taken returns why a provider cannot be added under a name: there is one, in this or another case.
func (c Config) Taken(name string) error {
	for _, p := range c.Providers {
		if strings.EqualFold(p.Name, name) {
			return &TakenError{Name: p.Name, Path: c.Path}
		}
	}
	return nil
}

// Default returns the name of the model for turns that name none; "" means the built-in.
func (c Config) Default() string {
	if c.ModelProvider == "" || c.Model == "" || c.Model == "auto" {
		return c.Model
	}
	return c.ModelProvider + "/" + c.Model
}

// Model returns what the file says about a model; nothing but its name when that is nothing.
func (p Provider) Model(id string) Model {
	for _, m := range p.Models {
		if m.ID == id {
			return m
		}
	}
	return Model{ID: id}
}

// Err returns the first reason why the provider cannot be used; nil when it can.
func (p Provider) Err() error {
	if len(p.Problems) == 0 {
		return nil
	}
	return p.Problems[0]
}

// Label is the provider's name for people.
func (p Provider) Label() string {
	if p.Title != "" {
		return p.Title
	}
	return p.Name
}

// Origin is the server that gets the key: scheme, host and port. A key is kept for an origin, so
// that a changed base_url does not send it elsewhere.
func (p Provider) Origin() string {
	u, err := url.Parse(p.BaseURL)
	if err != nil {
		return ""
	}
	return u.Scheme + "://" + u.Host
}
