package providers

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"

	"waferpair/app/config"
)

// listWithin is how long a provider may take to say which models it has.
const listWithin = 10 * time.Second

// Auto returns the model for a kind of task that the built-in is not certain of; "" without providers.
// The first of these that there is:
//
//	[auto] KIND, [auto] default          config.toml names it for this
//	model, model_provider                the default model
//	the first model of a provider        that config.toml lists
//	the only model that a provider has   which it is asked for once, if nothing is known
//
// More than one model, and nobody has named one: that is an error, because they differ in price.
func (s *Source) Auto(ctx context.Context, kind string) (string, error) {
	c := s.File.Read()
	if c.Problem != nil {
		return "", *c.Problem
	}
	if name, err := s.listed(c, kind); name != "" || err != nil {
		return name, err
	}
	return s.onlyOne(c.Providers, func(p config.Provider) error {
		ctx, cancel := context.WithTimeout(ctx, listWithin)
		defer cancel()
		_, err := s.Refresh(ctx, p)
		return err
	})
}

// errUnasked means that a provider has to be asked which models it has.
var errUnasked = errors.New("no model is known yet")

// Known returns what Auto would, without asking a provider; the error says why it cannot.
func (s *Source) Known(kind string) (string, error) {
	c := s.File.Read()
	if name, err := s.listed(c, kind); name != "" || err != nil {
		return name, err
	}
	name, err := s.onlyOne(c.Providers, func(config.Provider) error { return errUnasked })
	switch {
	case name == "" && err == nil:
		err = errors.New("there is no provider")
	case errors.Is(err, errUnasked):
		err = fmt.Errorf("%w; 'waferpair models list --refresh' asks the providers for theirs", errUnasked)
	}
	return name, err
}

// listed returns the model that config.toml names; "" if it does not.
func (s *Source) listed(c config.Config, kind string) (string, error) {
	if name, key := c.Auto.Model(kind); name != "" {
		return name, s.named(name, key)
	}
	if name := c.Default(); strings.Contains(name, "/") {
		return name, s.named(name, "model")
	}
	for _, p := range c.Providers {
		if p.Err() == nil && len(p.Models) > 0 {
			return p.Name + "/" + p.Models[0].ID, nil
		}
	}
	return "", nil
}

// named returns why a model that a key of config.toml names cannot be asked.
func (s *Source) named(name, key string) error {
	if !strings.Contains(name, "/") {
		return nil
	}
	if _, _, err := s.Find(name); err != nil {
		return fmt.Errorf("%s in %s names %s: %w", key, s.File.Path(), clip(name), err)
	}
	return nil
}

// onlyOne returns the only model of the providers.
func (s *Source) onlyOne(all []config.Provider, ask func(config.Provider) error) (string, error) {
	var names []string
	var errs []error
	for _, p := range all {
		models, err := s.textModels(p, ask)
		if err != nil {
			errs = append(errs, err)
		}
		for _, m := range models {
			names = append(names, p.Name+"/"+m.ID)
		}
	}
	switch {
	case len(names) == 1:
		return names[0], nil
	case len(names) > 1:
		return "",
			fmt.Errorf("there are several models, and none is chosen: %s; write default = %q below [auto] in %s, or name one "+
				"with --model", some(names), names[0], s.File.Path())
	case len(errs) > 0:
		return "", errors.Join(errs...)
	case len(all) > 0:
		return "",
			fmt.Errorf("%s lists no model that writes text; name one with --model %s/MODEL, or as default below [auto] in %s",
				all[0].Name, all[0].Name, s.File.Path())
	}
	return "", nil
}

// textModels returns the models of a provider that write text. It asks for them if none is known.
func (s *Source) textModels(p config.Provider, ask func(config.Provider) error) (out []config.Model, err error) {
	if p.Err() != nil {
		return nil, fmt.Errorf("use the provider %s: %w", p.Name, p.Err())
	}
	all := s.Models(p)
	if len(all) == 0 {
		if err := ask(p); err != nil {
			return nil, fmt.Errorf("ask %s for its models: %w", p.Name, err)
		}
		all = s.Models(p)
	}
	for _, m := range all {
		if WritesText(m.ID) {
			out = append(out, m)
		}
	}
	return out, nil
}

// some lists the first names.
func some(names []string) string {
	const most = 6
	if len(names) > most {
		return strings.Join(names[:most], ", ") + fmt.Sprintf(" and %d more", len(names)-most)
	}
	return strings.Join(names, ", ")
}

// noText matches the names of models that do not answer in text. A wrong guess is an error of the
// provider, and the user names another model.
var noText = regexp.MustCompile(
	`(?i)embed|whisper|transcri|tts|speech|audio|realtime|dall-e|image|vision-only|sora|moderation|rerank|guard`)

// WritesText reports whether a model answers in text, as far as its name tells.
func WritesText(id string) bool { return !noText.MatchString(id) }
