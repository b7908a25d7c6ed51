package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"waferpair/app/config"
	"waferpair/app/keys"
	"waferpair/app/providers"
)

func modelsTestCommand(e *env) *cobra.Command {
	return &cobra.Command{
		Use:   "test PROVIDER[/MODEL] | NAME | FILE.gguf",
		Short: "Connect to a provider, or load a model file, and measure how fast it answers",
		Long: `test connects to the provider, lists its models, tries out what it can do, and
measures the time to the first token (the median of 5 requests) and tokens a second,
over each protocol that the provider has: the Responses API over a WebSocket and over
HTTP, chat completions. Unless wire_api says which, the best one is remembered and used
from then on; before, chat completions are, which all providers have. It sends short
texts of its own, never yours; that costs about a thousand tokens for each protocol.

With --json, a test that fails is one object {"kind":"error","provider","error"}.

Of a model file it measures how fast it loads, reads a prompt of 512 tokens and writes 64.

Without MODEL it takes the first model of config.toml, or else the first one that the
provider lists and that writes text.`,
		Example: "  waferpair models test openai/gpt-5.5\n  waferpair models test local --json\n" +
			"  waferpair models test gguf:qwen2.5-coder-0.5b-q8_0.gguf",
		Args: args(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, words []string) error {
			if e.isFileName(words[0]) || e.isModelFile(words[0]) {
				return e.testFile(cmd.Context(), words[0])
			}
			if err := e.knownToTest(words[0]); err != nil {
				e.testFailed(words[0], err)
				return err
			}
			err := e.testProvider(cmd.Context(), words[0])
			if err != nil && cmd.Context().Err() != nil {
				err = errors.New("stopped; nothing was changed")
			}
			e.testFailed(words[0], err)
			return err
		},
	}
}

// knownToTest returns an error for a name that is neither a provider's nor a model file's.
func (e *env) knownToTest(name string) error {
	provider, _, isModel := strings.Cut(name, "/")
	c := e.providers.File.Read()
	if _, is := c.Provider(provider); is || isModel || c.Problem != nil {
		return nil // the provider says the rest
	}
	for _, m := range e.models.BuiltIn() {
		if m.Name == name {
			return usageError("%s is built in: there is nothing to connect to or to load; 'waferpair bench' measures it", name)
		}
	}
	var known []string
	for _, p := range c.Providers {
		known = append(known, p.Name)
	}
	entries, err := e.files.Entries()
	if err != nil {
		return err
	}
	for _, f := range entries {
		known = append(known, f.Name)
	}
	if len(known) == 0 {
		return usageError("nothing is called %q: no model file and no provider was added yet; "+
			"waferpair models add FILE.gguf, or models add --help", name)
	}
	return usageError("no model file and no provider is called %q; there are: %s", name, strings.Join(known, ", "))
}

// testFailed prints the error of a test with --json, unless another process has printed it.
func (e *env) testFailed(name string, err error) {
	var elsewhere *codeError
	if err == nil || !e.json || errors.As(err, &elsewhere) && elsewhere.quiet {
		return
	}
	provider, _, _ := strings.Cut(name, "/")
	jsonOut(e.out, failedModels{"error", provider, err.Error()})
}

// tested is what a test of a provider found.
type tested struct {
	Provider string             `json:"provider"`
	BaseURL  string             `json:"base_url"`
	Key      keys.Place         `json:"key"`
	Models   []providers.Listed `json:"models"`
	NoList   string             `json:"models_error,omitempty"`
	Model    string             `json:"model"`
	providers.Tested
	named bool // the user named the model
}

// testWithin bounds a test.
const testWithin = 5 * time.Minute

func (e *env) testProvider(ctx context.Context, name string) error {
	provider, id, _ := strings.Cut(name, "/")
	p, m, err := e.providers.Find(name)
	if id == "" {
		p, err = e.providers.Usable(provider)
	}
	if err != nil {
		return usageError("%w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, testWithin)
	defer cancel()
	wait := e.startWaiting()
	defer wait.over()
	t := tested{Provider: p.Name, BaseURL: p.BaseURL, Models: []providers.Listed{}, named: id != ""}
	wait.say("looking for the key")
	_, at, err := e.providers.Keys.Find(ctx, providers.For(p))
	if t.Key = at; err != nil {
		return err
	}
	if at == keys.Missing {
		wait.over()
		if err := e.runWhereItStays(ctx); err != nil { // it may have the key in its memory
			return err
		}
		return fmt.Errorf("test %s: %w", p.Name, providers.MissingKey(p))
	}
	wait.say("connecting to " + clean(p.BaseURL))
	listed, err := e.providers.Refresh(ctx, p)
	if err != nil {
		t.NoList = clean(err.Error())
	} else {
		t.Models = listed
	}
	if id == "" {
		if m, err = chooseModel(p, listed, err); err != nil {
			return err
		}
	}
	t.Model = m.ID
	t.Tested, err = e.providers.Test(ctx, p, m, wait.say)
	wait.over()
	if err != nil {
		return fmt.Errorf("test %s/%s: %w", p.Name, m.ID, err)
	}
	e.printTest(t)
	return nil
}

// chooseModel returns the model to test when none was named.
func chooseModel(p config.Provider, listed []providers.Listed, err error) (config.Model, error) {
	switch {
	case len(p.Models) > 0:
		return p.Models[0], nil
	case err != nil:
		return config.Model{}, fmt.Errorf("test %s: %w", p.Name, err)
	}
	for _, l := range listed {
		if providers.WritesText(l.ID) {
			return config.Model{ID: l.ID, Context: l.Context}, nil
		}
	}
	return config.Model{},
		fmt.Errorf("test %s: it lists no model that writes text; name one: waferpair models test %s/MODEL",
			p.Name, p.Name)
}

func (e *env) printTest(t tested) {
	if e.json {
		jsonOut(e.out, t)
		return
	}
	v := newDiffView(e.out, e.color(e.out))
	fmt.Fprintf(e.out, "%s\n", v.paint(ansiBold, clean(t.Provider+"/"+t.Model)+" at "+clean(t.BaseURL)))
	row := func(what, says string) { fmt.Fprintf(e.out, "  %-22s %s\n", what, says) }
	row("key", string(t.Key))
	models := count(len(t.Models), "model") + " listed"
	if t.NoList != "" {
		models = "no list: " + t.NoList
	}
	row("models", models)
	if !t.named && len(t.Models) > 1 {
		row("", "tested is "+clean(t.Model)+"; another: waferpair models test "+clean(t.Provider)+"/MODEL")
	}
	row("wire", wireWords[t.Wire])
	for _, wire := range []string{providers.WebSocket, providers.SSE, providers.Chat} {
		if why, is := t.Refused[wire]; is {
			row("", wireWords[wire]+" does not work: "+clean(why))
		}
	}
	row("tools", clean(t.Tools))
	for _, s := range t.Speeds {
		printSpeed(row, s)
	}
}

// wireWords are the wires for people.
var wireWords = map[string]string{
	providers.WebSocket: "Responses over a WebSocket, chained: only what is new is sent",
	providers.SSE:       "Responses over HTTP",
	providers.Chat:      "chat completions over HTTP",
}

func printSpeed(row func(what, says string), s providers.Speed) {
	row("", "")
	row(s.Wire, figure(s.First)+" ms to the first token of the first request, with connecting")
	row("", fmt.Sprintf("%s ms to the first token after that (median of %d)", figure(s.TTFT), len(s.TTFTs)))
	speed := "all text came at once"
	if s.PerSecond > 0 {
		speed = fmt.Sprintf("%s tokens a second (over %s)", figure(s.PerSecond), count(s.Tokens, "token"))
	}
	if s.Estimated {
		speed += ", counted by us"
	}
	row("", speed)
}
