package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"waferpair/app"
	"waferpair/engine"
	"waferpair/history"
)

func commitMessageCommand(e *env) *cobra.Command {
	var of string
	var staged bool
	c := &cobra.Command{
		Use:   "commit-message [flags] [PATH]...",
		Short: "Print a message for a git commit of the changes",
		Long: `commit-message lets a language model write the message of a commit, in the style of the
repository's newest messages, and prints it: nothing else goes to standard output. It commits
nothing. The message is for the staged changes if there are any, or if --staged says so, and
otherwise for all that is not committed (of PATH, if given).`,
		Example: `  git add -p && waferpair commit-message | git commit -F -
  git commit -e -m "$(waferpair commit-message --staged)"`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, paths []string) error {
			return e.commitMessage(cmd.Context(), of, staged, paths)
		},
	}
	c.Flags().Var(e.modelValue(&of), "model", "`model` to ask")
	c.Flags().BoolVar(&staged, "staged", false, "only what is staged; it fails if nothing is")
	e.completeModels(c)
	return c
}

func (e *env) commitMessage(ctx context.Context, of string, staged bool, names []string) error {
	if err := e.checkModel(of); err != nil {
		return usageError("%w", err)
	}
	p, err := e.open(ctx)
	if err != nil {
		return err
	}
	defer e.close(p)
	paths, err := e.pathsIn(p, names)
	if err != nil {
		return err
	}
	req := app.EditRequest{Model: of, Mode: app.ModeAsk, Kind: app.KindCommit,
		Changes: &app.Changes{Staged: true, Paths: paths}}
	o, err := e.quietTurn(ctx, p, req)
	if errors.As(err, new(*app.NoChanges)) && !staged {
		req.Changes.Staged = false
		o, err = e.quietTurn(ctx, p, req)
	}
	if err != nil {
		return err
	}
	if o.Status != engine.Completed {
		if o.Status == engine.Declined {
			fmt.Fprint(e.err, questionDeclined(o))
		} else {
			e.showRefused(o)
		}
		return codeOf(o.Status)
	}
	t, err := p.Query().Turn(ctx, history.TurnID(o.Turn))
	if err != nil {
		return err
	}
	said := ""
	for _, m := range t.Messages { // the last one: others came before the model looked something up
		if m.Role == "assistant" {
			said = m.Text
		}
	}
	message := app.CommitMessage(said)
	if message == "" {
		return errors.New("the model's answer is empty: try again, or name another model with --model")
	}
	if e.json {
		jsonOut(e.out, map[string]any{"event": "message", "text": message})
		jsonEvent(e.out, engine.End(o))
		return nil
	}
	fmt.Fprintln(e.out, clean(message))
	fmt.Fprintln(e.err, strings.TrimSpace(join(o.Model, speedLine(o.Timing))))
	return nil
}
