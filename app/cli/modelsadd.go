package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"waferpair/app/config"
	"waferpair/app/keys"
	"waferpair/app/owner"
	"waferpair/app/providers"
)

// addFlags are the flags of 'models add'.
type addFlags struct {
	preset, url, env, wire string
	keyStdin               bool
	models                 []string
	name, template         string // of a model file
}

func modelsAddCommand(e *env) *cobra.Command {
	var f addFlags
	c := &cobra.Command{
		Use:   "add FILE.gguf [--name NAME] | NAME (--provider PRESET | --base-url URL) [--env-key VARIABLE | --key-stdin] [--model ID]...",
		Short: "Add a model file, or a provider of models: OpenAI, a company's cluster, Ollama, ...",
		Long: `With a .gguf file, or a folder of them, add gives the file a name, under which it runs
on this computer: a link, the file stays where it is. Families: llama, qwen2, qwen3;
quantised as Q8_0, Q4_0, Q4_K_M and others; chats in the form of ChatML or Llama 3.
It says how fast the file may be here, which 'models test' measures, and what the emulated
wafer would do. Loaded models take six tenths of the memory at most and stay as long as
there is room, and one thread computes on each core, unless config.toml says otherwise:

  [model_files]
  memory = "8GB"
  keep = "10m"       # how long one stays that nobody uses
  threads = 4

Otherwise add writes a provider to config.toml, after which its models are called NAME/MODEL.
Everything else in the file stays as it is, to the byte.

The key is never written to a file of waferpair, and never an argument. It is read
from the variable of --env-key (each preset has one), or kept in the desktop's
keyring: --key-stdin reads it as one line, without echo on a terminal. With no
keyring, a waferpair that runs for longer (a window, serve) keeps it in memory; with
neither, it is refused. For a provider that is there already, --key-stdin alone
replaces the key.

The presets:
` + presetTable(),
		Example: `  waferpair models add ~/models/qwen2.5-coder-1.5b-instruct-q4_k_m.gguf --name qwen
  waferpair models add openai --provider openai
  waferpair models add openai --provider openai --key-stdin < key.txt
  waferpair models add local --provider ollama --model qwen3-coder:30b
  waferpair models add work --base-url https://llm.example.com/v1 --env-key WORK_KEY
  waferpair models add azure --provider azure --base-url https://RESOURCE.openai.azure.com/openai/v1`,
		Args: args(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, words []string) error {
			if f.preset == "" && f.url == "" && !f.keyStdin && e.isModelFile(words[0]) {
				return e.addFiles(words[0], f.name, f.template)
			}
			if f.name != "" || f.template != "" {
				return usageError("--name and --template are for a model file; %s is the provider's name", words[0])
			}
			return e.addProvider(cmd.Context(), words[0], f)
		},
	}
	fl := c.Flags()
	fl.StringVar(&f.name, "name", "", "the `name` of a model file; default: that of the file")
	fl.StringVar(&f.template, "template", "", "the form of a model file's chats, `chatml` or llama3; default: its own")
	fl.StringVar(&f.preset, "provider", "", "a known provider, a `preset` of the list above")
	fl.StringVar(&f.url, "base-url", "", "the `address` of the API, mostly ending in /v1")
	fl.StringVar(&f.env, "env-key", "", "the name of the `variable` that has the key")
	fl.BoolVar(&f.keyStdin, "key-stdin", false, "read the key from standard input and keep it in the keyring")
	fl.StringVar(&f.wire, "wire", "",
		"the `protocol`: responses or chat (default: tried out with the first request)")
	fl.StringArrayVar(&f.models, "model", nil, "a model to offer, by its `id` at the provider (repeatable)")
	// fails only for an unknown flag
	_ = c.RegisterFlagCompletionFunc("provider",
		func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return presetNamesOf(config.Presets()), cobra.ShellCompDirectiveNoFileComp
		})
	e.explainFiles(c)
	return c
}

func presetNamesOf(all []config.Preset) (out []string) {
	for _, p := range all {
		out = append(out, p.Name)
	}
	return out
}

func presetTable() string {
	var b strings.Builder
	for _, p := range config.Presets() {
		fmt.Fprintf(&b, "  %-11s %s", p.Name, p.Help)
		if p.EnvKey != "" {
			fmt.Fprintf(&b, " (%s)", p.EnvKey)
		}
		b.WriteByte('\n')
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// provider returns the provider that the flags describe.
func (f addFlags) provider(name string) (config.Provider, error) {
	p, err := f.at(name)
	if err != nil {
		return p, err
	}
	p.Name = name
	if f.wire != "" {
		p.Wire = f.wire
	}
	if f.env != "" {
		p.EnvKey = f.env
	}
	if f.keyStdin {
		p.EnvKey, p.Keyring = "", true
	}
	for _, id := range f.models {
		p.Models = append(p.Models, config.Model{ID: id})
	}
	if err := config.Check(p); err != nil {
		return p, usageError("%w", err)
	}
	return p, nil
}

// at returns the preset of the flags, at their address.
func (f addFlags) at(name string) (config.Provider, error) {
	if f.env != "" && f.keyStdin {
		return config.Provider{},
			usageError("--env-key names a variable that has the key, --key-stdin reads it: give one of them")
	}
	if f.preset == "" && f.url == "" {
		if known, err := config.FindPreset(name); err == nil {
			return config.Provider{}, usageError("say which provider: waferpair models add %s --provider %s, or --base-url URL",
				name, known.Name)
		}
		return config.Provider{}, usageError("say which provider: --provider PRESET (%s), or --base-url URL",
			strings.Join(presetNamesOf(config.Presets()), ", "))
	}
	var known config.Preset
	if f.preset != "" {
		var err error
		if known, err = config.FindPreset(f.preset); err != nil {
			return known.Provider, usageError("--provider: %w", err)
		}
	}
	switch {
	case f.url != "":
		return known.At(f.url), nil
	case known.Ask != "":
		return known.Provider, usageError("%s needs --base-url %s with your own name in it", known.Name, known.Ask)
	}
	return known.Provider, nil
}

// onlyKey reports whether the flags say nothing but that there is a key.
func (f addFlags) onlyKey() bool {
	return f.keyStdin && f.preset == "" && f.url == "" && f.env == "" && f.wire == "" && len(f.models) == 0
}

func (e *env) addProvider(ctx context.Context, name string, f addFlags) error {
	file := e.providers.File
	c := file.Read()
	if c.Problem != nil {
		return fmt.Errorf("add the provider: %w", *c.Problem)
	}
	p, there := c.Provider(name)
	if !there || !f.onlyKey() {
		var err error
		if p, err = f.provider(name); err != nil {
			return err
		}
		if taken := c.Taken(name); taken != nil {
			return usageError("%w", taken)
		}
	}
	var k keys.Secret
	if f.keyStdin {
		var err error
		if k, err = e.readKey(); err != nil {
			return err
		}
	}
	keep := e.providers.Add
	if there {
		keep = e.providers.ChangeKey
	}
	at, err := keep(ctx, p, k, e.stays())
	if no := (*providers.NotKeptError)(nil); errors.As(err, &no) {
		if err := e.runWhereItStays(ctx); err != nil {
			return err
		}
	}
	if err != nil {
		return err
	}
	e.sayAdded(p, there, at)
	return nil
}

// readKey reads the key: one line, without echo on a terminal.
func (e *env) readKey() (keys.Secret, error) {
	if f, ok := e.in.(*os.File); ok && e.isTerminal(e.in) {
		fmt.Fprint(e.err, "The key (it is not shown): ")
		line, err := term.ReadPassword(int(f.Fd()))
		fmt.Fprintln(e.err)
		if err != nil {
			return keys.Secret{}, fmt.Errorf("read the key: %w", err)
		}
		e.read["-"] = line // for the process that the command may move to
	}
	body, err := e.readAll("-", 1<<16)
	if err != nil {
		return keys.Secret{}, fmt.Errorf("read the key from standard input: %w", err)
	}
	k, err := keys.New(string(body))
	if err != nil {
		return k, usageError("--key-stdin: %w", err)
	}
	return k, nil
}

// stays reports whether this process runs for longer than the command.
func (e *env) stays() bool { _, client := e.around().(remote); return client }

// runWhereItStays runs the command in the owner of the user's processes, if that stays; nil: there is
// none. What was read from standard input is sent along over its socket.
func (e *env) runWhereItStays(ctx context.Context) error {
	place, err := e.desk().Place()
	if err != nil || place.Owner() == "" || e.stays() {
		return nil
	}
	c := e.command()
	c.Stays = true // it attaches to such a process only
	code, err := owner.Attach(ctx, place.Owner(), Version, c, owner.Streams{In: e.in, Out: e.out, Err: e.err})
	if err != nil {
		return nil // there is none that could keep it
	}
	return elsewhere(code)
}

// sayAdded says what was added, where the key is, and what to do next.
func (e *env) sayAdded(p config.Provider, there bool, at keys.Place) {
	if e.json {
		jsonOut(e.out, map[string]any{"provider": p.Name, "base_url": p.BaseURL, "file": e.providers.File.Path(),
			"key": at, "added": !there})
		return
	}
	if !there {
		fmt.Fprintf(e.out, "added %s (%s) to %s\n", p.Name, clean(p.BaseURL), clean(e.providers.File.Path()))
	}
	switch at {
	case keys.Env:
		fmt.Fprintf(e.out, "its key is in the variable %s\n", p.EnvKey)
	case keys.Keyring:
		fmt.Fprintln(e.out, "its key is in the keyring")
	case keys.Memory:
		fmt.Fprintf(e.out, "there is no keyring: process %d keeps its key in memory, until it ends\n", os.Getpid())
	case keys.Missing:
		fmt.Fprintf(e.out, "its key is missing: %s\n", clean(providers.MissingKey(p).Error()))
	case keys.None:
	}
	if strings.HasPrefix(p.BaseURL, "http://") && !providers.OnThisComputer(p) && at != keys.None {
		fmt.Fprintln(e.out, "its address begins with http://: the key and all texts travel unencrypted")
	}
	fmt.Fprintf(e.out, "try it: waferpair models test %s\n", p.Name)
}
