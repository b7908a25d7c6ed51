package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/adrg/xdg"
	"github.com/spf13/cobra"

	"waferpair/app/config"
)

func modelsRemoveCommand(e *env) *cobra.Command {
	return &cobra.Command{
		Use: "remove NAME", Short: "Remove a model file's name, or a provider and its key",
		Long: `The name of a model file is removed; the file stays. Of a provider, remove cuts the provider's tables out of config.toml; all other bytes stay. Its key
leaves the keyring; a variable that has it stays as it is.`,
		Example: "  waferpair models remove openai",
		Args:    args(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, words []string) error {
			if is, err := e.removeFile(words[0]); is || err != nil {
				return err
			}
			if err := e.runWhereItStays(cmd.Context()); err != nil { // its memory may have the key
				return err
			}
			if err := e.removeProvider(cmd.Context(), words[0]); err != nil {
				return err
			}
			c := e.providers.File.Read()
			left := c.ModelProvider == words[0] || strings.HasPrefix(c.Model, words[0]+"/")
			if e.json {
				jsonOut(e.out, map[string]any{"removed": words[0], "file": c.Path, "still_default": left})
				return nil
			}
			fmt.Fprintf(e.out, "removed %s from %s\n", words[0], clean(c.Path))
			if left {
				fmt.Fprintln(e.out, "it is still the default there: change model and model_provider")
			}
			for _, u := range c.Unknown {
				if strings.HasPrefix(u.Key, "auto.") && strings.Contains(u.What, fmt.Sprintf("no provider %q", words[0])) {
					fmt.Fprintf(e.out, "it is still named there: %s\n", clean(u.Error()))
				}
			}
			return nil
		},
	}
}

func (e *env) removeProvider(ctx context.Context, name string) error {
	err := e.providers.Remove(ctx, name)
	if no := (*config.UnknownError)(nil); errors.As(err, &no) {
		return usageError("%w", err)
	}
	return err
}

func modelsImportCommand(e *env) *cobra.Command {
	return &cobra.Command{
		Use: "import-codex [FILE]", Short: "Take over the providers of a Codex configuration",
		Long: `import-codex adds the providers of Codex's config.toml (without FILE: the one in
CODEX_HOME, or else ~/.codex) to waferpair's. Names that are there already are left
alone. A key in Codex's file (experimental_bearer_token) goes to the keyring; with no
keyring it is left out, and said.`,
		Example: "  waferpair models import-codex",
		Args:    args(cobra.MaximumNArgs(1)),
		RunE: func(cmd *cobra.Command, words []string) error {
			if len(words) > 0 {
				return e.importCodex(cmd.Context(), words[0], true)
			}
			return e.importCodex(cmd.Context(), config.CodexFile(e.around().getenv, xdg.Home), false)
		},
	}
}

// nothingToImport says what was looked for.
func (e *env) nothingToImport(file string) error {
	fmt.Fprintf(e.err, "waferpair: there is nothing to import: Codex has no %s; name another file, or add a provider: "+
		"waferpair models add --help\n", clean(file))
	return nil
}

// sayDefault says how to have Codex's default model here, too: it is not changed by an import.
func (e *env) sayDefault(file string, providers int) {
	if providers == 0 {
		fmt.Fprintf(e.err, "waferpair: %s has no providers\n", clean(file))
	}
	codex := config.CodexDefault(file)
	if codex == "" {
		return
	}
	provider, _, _ := strings.Cut(codex, "/")
	if known, err := config.FindPreset(provider); err == nil && e.providers.File.Read().Taken(provider) == nil {
		fmt.Fprintf(e.err, "waferpair: Codex's own provider %s is not in its file; to have it here: "+
			"waferpair models add %s --provider %s\n", provider, provider, known.Name)
	}
	fmt.Fprintf(e.err, "waferpair: Codex's default model is called %s here: name it with --model, or as model and "+
		"model_provider in %s\n", clean(codex), clean(e.providers.File.Path()))
}

// importCodex takes over the providers of a file, which the user named, or where Codex keeps it.
func (e *env) importCodex(ctx context.Context, file string, named bool) error {
	all, unknown, err := config.ReadCodex(file)
	if errors.Is(err, fs.ErrNotExist) && !named {
		return e.nothingToImport(file)
	}
	if err != nil {
		return err
	}
	failed := false
	for _, i := range all {
		got := e.providers.Import(ctx, i)
		failed = failed || !got.Added
		if e.json {
			jsonOut(e.out, got)
			continue
		}
		what := "added"
		if !got.Added {
			what = "left out"
		}
		fmt.Fprintf(e.out, "%-12s %s", clean(got.Name), what)
		if got.Key != "" {
			fmt.Fprintf(e.out, ", key: %s", got.Key)
		}
		if got.Why != "" {
			fmt.Fprintf(e.out, ": %s", clean(got.Why))
		}
		fmt.Fprintln(e.out)
	}
	for _, u := range unknown {
		if strings.HasPrefix(u.Key, "model_providers.") {
			fmt.Fprintf(e.err, "waferpair: %s\n", clean(strings.TrimSuffix(u.Error(), "; it is kept")))
		}
	}
	e.sayDefault(file, len(all))
	if failed {
		return &codeError{code: exitFailed, err: errors.New("some providers were left out"), quiet: true}
	}
	return nil
}
