package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"waferpair/app"
	"waferpair/app/keys"
	"waferpair/app/providers"
	"waferpair/engine"
	"waferpair/engine/model"
)

func modelsListCommand(e *env) *cobra.Command {
	var refresh bool
	c := &cobra.Command{
		Use: "list", Short: "List the models and the providers",
		Long: `list shows the built-in models, the model files that were added, then the providers of config.toml: where their models
run, where the key was found, and which models are known. It does not use the network;
--refresh asks each provider for its models and remembers them.

With --json, a model file is a line of kind "local" (one that cannot be used has an error), a provider
is a line of kind "provider", and each known model of it one
of kind "remote"; one that did not answer to --refresh is a line {"kind":"error","provider","error"}.`,
		Example: "  waferpair models list\n  waferpair models list --refresh\n  waferpair models list --json",
		Args:    args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			shown, missing := e.shownProviders(cmd.Context())
			if missing { // a process that stays may have the key in its memory
				if err := e.runWhereItStays(cmd.Context()); err != nil {
					return err
				}
			}
			var failed error
			if refresh {
				failed = e.refreshModels(cmd.Context())
				shown, _ = e.shownProviders(cmd.Context())
			}
			e.listBuiltIn()
			if err := e.listFiles(); err != nil {
				return err
			}
			if len(shown) > 0 {
				e.listAuto()
			}
			e.warnConfig()
			for _, p := range shown {
				e.printProvider(p)
			}
			if len(shown) == 0 && !e.json && e.providers.File.Read().Problem == nil {
				fmt.Fprintln(e.out,
					"\nThere is no provider of other models: waferpair models add NAME --provider openai, ollama, ... "+
						"('waferpair models add --help').")
			}
			return failed
		},
	}
	c.Flags().BoolVar(&refresh, "refresh", false, "ask each provider for its models")
	return c
}

// failedModels is a line for a provider that did not do what a command asked of it.
type failedModels struct {
	Kind     string `json:"kind"` // error
	Provider string `json:"provider"`
	Error    string `json:"error"`
}

// refreshWithin is how long a provider may take to list its models.
const refreshWithin = 20 * time.Second

// refreshModels asks all providers for their models, at the same time.
func (e *env) refreshModels(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, refreshWithin)
	defer cancel()
	wait := e.startWaiting()
	defer wait.over()
	all := e.providers.File.Read().Providers
	errs := make([]error, len(all))
	var done sync.WaitGroup
	for i, p := range all {
		if p.Err() == nil {
			done.Go(func() { _, errs[i] = e.providers.Refresh(ctx, p) })
		}
	}
	done.Wait()
	failed := false
	for i, err := range errs {
		if err != nil {
			failed = true
			fmt.Fprintf(e.err, "waferpair: the models of %s: %s\n", clean(all[i].Name), clean(err.Error()))
			if e.json {
				jsonOut(e.out, failedModels{"error", all[i].Name, err.Error()})
			}
		}
	}
	if failed {
		return &codeError{code: exitFailed, err: errors.New("not all providers listed their models"), quiet: true}
	}
	return nil
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

// listAuto says which models "auto" chooses. Nobody is asked for that.
func (e *env) listAuto() {
	d, err := e.models.Open(engine.Auto)
	if err != nil {
		return // it is always there
	}
	info := d.Info()
	if e.json {
		jsonOut(e.out, info)
		return
	}
	is := ""
	if e.models.DefaultName() == engine.Auto {
		is = "the default: "
	}
	edits, why := e.providers.Known(string(app.KindEdit))
	asks, _ := e.providers.Known(string(app.KindAsk))
	switch {
	case why != nil:
		edits = "no other: " + why.Error()
	case asks != edits && asks != "":
		edits += ", for questions " + asks
	}
	fmt.Fprintf(e.out, "%-12s %s\n", info.Name,
		clean(is+e.models.Default().Info().Name+" where it is certain, otherwise "+edits))
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

// keyringWithin is how long a list waits for the keyring.
const keyringWithin = 5 * time.Second

// shownProviders describes the providers. missing: the key of one was not found.
func (e *env) shownProviders(ctx context.Context) (out []providers.Shown, missing bool) {
	ctx, cancel := context.WithTimeout(ctx, keyringWithin)
	defer cancel()
	out = e.providers.Shown(ctx)
	return out, slices.ContainsFunc(out, func(s providers.Shown) bool { return s.Key == keys.Missing })
}

func (e *env) printProvider(s providers.Shown) {
	if e.json {
		jsonOut(e.out, s)
		for _, m := range s.Models {
			jsonOut(e.out, e.measured(m))
		}
		return
	}
	fmt.Fprintf(e.out, "%-12s %s%s\n", clean(s.Name), clean(s.Help), keyWords(s))
	for _, why := range s.Problems {
		fmt.Fprintf(e.out, "  cannot be used: %s\n", clean(why))
	}
	if len(s.Problems) == 0 && len(s.Models) == 0 {
		fmt.Fprintf(e.out, "  no model is known yet: waferpair models test %s\n", strings.TrimSuffix(s.Name, "/"))
	}
	for _, m := range s.Models {
		fmt.Fprintf(e.out, "  %s%s\n", clean(m.Name), e.measured(m).words())
	}
	for _, name := range s.LeftOut {
		fmt.Fprintf(e.out, "  left out, because no model can have such a name: %s\n", clean(name))
	}
}

// measured is a model with what was measured of it here.
type measured struct {
	model.Info
	Here *providers.Measured `json:"measured,omitempty"` // by 'models test'
}

func (e *env) measured(m model.Info) measured {
	if found, is := e.providers.Measured(m.Name); is {
		return measured{m, &found}
	}
	return measured{Info: m}
}

// words says how large a model's context is, what it costs, and how fast it was here.
func (m measured) words() string {
	s := sizeWords(m.Info)
	if m.Here == nil {
		return s
	}
	if s += ", here: "; m.Here.PerSecond > 0 {
		s += figure(m.Here.PerSecond) + " tok/s, "
	}
	return s + figure(m.Here.TTFT) + " ms to the first token"
}

// keyWords says where a provider's key is.
func keyWords(s providers.Shown) string {
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
