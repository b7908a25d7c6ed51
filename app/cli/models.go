package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"waferpair/app/config"
	"waferpair/app/providers"
	"waferpair/engine"
	"waferpair/engine/model"
)

func modelsCommand(e *env) *cobra.Command {
	var emulate bool
	show := &cobra.Command{
		Use: "show MODEL|FILE.gguf|PROVIDER", Short: "Show what a model can do, or how a provider is set up",
		Args: args(cobra.ExactArgs(1)),
		Example: "  waferpair models show spark\n  waferpair models show spark --emulate\n" +
			"  waferpair models show openai/gpt-5.5\n  waferpair models show openai",
		RunE: func(cmd *cobra.Command, words []string) error {
			if is, err := e.showProvider(cmd.Context(), strings.TrimSuffix(words[0], "/")); is {
				return err
			}
			name := words[0]
			if strings.HasPrefix(name, "gguf:") || !e.isFileName(name) && e.isModelFile(name) {
				file, err := e.fileOf(name)
				if err != nil {
					return err
				}
				name = "gguf:" + file
			}
			d, err := e.models.Open(name)
			if err != nil {
				return usageError("%w", err)
			}
			return e.showModel(cmd.Context(), d, emulate)
		},
	}
	show.Flags().BoolVar(&emulate, "emulate", false,
		"run a step of its neural network on the emulated wafer, wavelet by wavelet, and count the cycles")
	return group("models", "List the models and what they can do; add providers of others", "",
		modelsListCommand(e), show, modelsAddCommand(e), modelsFindCommand(e), modelsTestCommand(e), modelsCheckCommand(e),
		modelsRemoveCommand(e),
		modelsImportCommand(e), modelsCostCommand(e))
}

func (e *env) showModel(ctx context.Context, d engine.Driver, emulate bool) error {
	var ops []model.Operation
	if o, ok := engine.As[model.Operator](d); ok {
		ops = o.Operations()
	}
	info := d.Info()
	network, err := e.networkShown(ctx, d, emulate)
	if err != nil {
		return err
	}
	var about *aboutFile
	if info.Kind == "local" {
		path, err := e.modelFile(info.Name)
		if err != nil {
			return err
		}
		of, err := e.aboutFile(path)
		if err != nil {
			return err
		}
		about = &of
	}
	if e.json {
		jsonOut(e.out, struct {
			measured
			Network    *shownNetwork     `json:"network,omitempty"`
			Operations []model.Operation `json:"operations,omitempty"`
			About      *aboutFile        `json:"file,omitempty"`
		}{e.measured(info), network, ops, about})
		return nil
	}
	fmt.Fprintf(e.out, "%s (%s): %s%s\n", cleanName(info.Name), info.Kind, cleanName(info.Help), e.measured(info).words())
	if about != nil {
		fmt.Fprintf(e.out, "%s\n  %s\n", cleanName(about.File), clean(factsWords(about.Facts)))
		e.printAbout(*about, info.Name)
	}
	if network != nil {
		e.printNetwork(*network, info.Name)
	}
	for _, op := range ops {
		fmt.Fprintf(e.out, "\n  %s (%s)\n      %s\n      waferpair edit %q\n", op.Name, strings.Join(op.Languages, ", "),
			op.Help, op.Example)
	}
	return nil
}

// showProvider shows a provider of config.toml; false: there is none of this name.
func (e *env) showProvider(ctx context.Context, name string) (bool, error) {
	if _, is := e.providers.File.Read().Provider(name); !is {
		return false, nil
	}
	shown, missing := e.shownProviders(ctx)
	if missing { // a process that stays may have the key in its memory
		if err := e.runWhereItStays(ctx); err != nil {
			return true, err
		}
	}
	e.warnConfig()
	for _, s := range shown {
		if s.Name != name+"/" {
			continue
		}
		e.printProvider(s)
		if !e.json && len(s.Problems) == 0 {
			fmt.Fprintf(e.out, "  base_url: %s\n  protocol: %s\n", clean(s.BaseURL), e.wireOf(s))
		}
	}
	return true, nil
}

// wireOf says what a provider is asked over, as far as it is known.
func (e *env) wireOf(s providers.Shown) string {
	if words := wireWords[s.Speaks]; words != "" {
		return words
	}
	return "not known yet; it is tried out with the first request, or by 'waferpair models test'"
}

// networkShown is what there is to say of a model's network, nil if it has none. A damaged one
// is no error: the model goes on without it.
func (e *env) networkShown(ctx context.Context, d engine.Driver, emulate bool) (*shownNetwork, error) {
	n, err := networkOf(d)
	switch {
	case err != nil && emulate:
		return nil, fmt.Errorf("emulate the network of %s: %w", d.Info().Name, err)
	case err != nil:
		return &shownNetwork{Error: clean(err.Error())}, nil
	case len(n.File) == 0 && emulate:
		return nil, usageError("--emulate: %s has no neural network inside", d.Info().Name)
	case len(n.File) == 0:
		return nil, nil
	}
	s, err := e.showNetwork(ctx, n, emulate)
	return &s, err
}

// checkModel returns why a model cannot be asked. It says, too, if config.toml cannot be read: the
// built-in model then answers what another one was meant to.
func (e *env) checkModel(name string) error {
	_, err := e.models.Open(name)
	if err != nil || e.outer != nil || e.providers == nil {
		return err
	}
	c := e.providers.File.Read()
	if c.Problem != nil {
		e.notify(fmt.Sprintf("waferpair: %s\n", clean(c.Problem.Error())))
	}
	for _, u := range c.Unknown { // a choice or a limit that is not kept
		table, _, _ := strings.Cut(u.Key, ".")
		if slices.Contains([]string{"auto", "limits", "model_files"}, table) {
			e.notify(fmt.Sprintf("waferpair: %s\n", clean(u.Error())))
		}
	}
	return nil
}

// otherThan returns the name of a language model beside one, those of [auto] first; "" if none is known.
func (e *env) otherThan(name string) string {
	for _, kind := range config.Kinds {
		other, _ := e.providers.File.Read().Auto.Model(kind)
		if _, err := e.models.Open(other); err == nil && strings.Contains(other, "/") && other != name {
			return other
		}
	}
	for _, m := range e.models.List() {
		if m.Language && m.Name != name && m.Name != engine.Auto {
			return m.Name
		}
	}
	return ""
}
