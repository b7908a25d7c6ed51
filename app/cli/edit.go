package cli

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"waferpair/app"
	"waferpair/app/owner"
	"waferpair/engine"
	"waferpair/engine/model"
)

type editFlags struct {
	model  string
	file   string
	lines  string
	scope  []string
	dryRun bool
	choose int
	title  string
}

func editCommand(e *env) *cobra.Command {
	var f editFlags
	c := &cobra.Command{
		Use:   "edit [flags] REQUEST",
		Short: "Make the edits that a request asks for, streaming them",
		Long: `edit hands the request to a model and streams the edits into the project's
files. Each edit is kept in the history as soon as it is made: when this command
is stopped (Ctrl-C), the edits made until then stay, and each can be reverted.

The built-in model does everyday structural edits and declines the rest (exit
code 3) without changing anything; 'waferpair models show spark' lists what it
can do. Where it is not sure, it lists what may be meant: --choose 1 with the same
request takes the first of the list. REQUEST may be several words; '-' reads it from standard input.

With --json the first line is {"event":"turn.started","turn":N,"model":NAME}, as
soon as the model is asked: until the next one, it is waited for. N is the turn's
number in the history, 0 in a dry run. Each edit that is kept is an "edit.acked"
with its id and path, each that was not made a "hunk.failed" with the reason. The
last line is "turn.done" with the same turn, its status, message, edits and timing,
and, when it was declined, a code for the reason: ambiguous (say which), no-symbol,
no-file, or beyond (none of these).`,
		Example: `  waferpair edit "rename parseConfig to loadConfig everywhere"
  waferpair edit --file server.go "add doc comments to the exported functions"
  waferpair edit --file price.go --lines 14-14 "extract variable total from a.Price*a.Count"
  waferpair edit --scope 'internal/**' --dry-run "remove unused imports in internal/db/db.go"
  waferpair edit --choose 1 "fetch could really use a timeout time.Duration param"
  waferpair edit --model script:answer.jsonl "replay a recorded answer"`,
		Args: args(cobra.MinimumNArgs(1)),
		RunE: func(cmd *cobra.Command, words []string) error {
			return e.edit(cmd.Context(), f, words)
		},
	}
	fl := c.Flags()
	fl.StringVar(&f.model, "model", "", "`model` to ask (default spark, the built-in one)")
	fl.StringVar(&f.file, "file", "", "the `file` that the request is about")
	fl.StringVar(&f.lines, "lines", "", "the selected lines `A-B` of --file")
	fl.StringArrayVar(&f.scope, "scope", nil,
		"only edit files that match this `glob`; edits elsewhere wait for approval (repeatable)")
	fl.BoolVar(&f.dryRun, "dry-run", false, "show the edits without making them")
	fl.IntVar(&f.choose, "choose", 0, "carry out the `N`th of the requests that were listed instead of this one")
	fl.StringVar(&f.title, "session", "", "continue the session with this `id`; 'new' starts one")
	// fails only for an unknown flag
	_ = c.RegisterFlagCompletionFunc("model", func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return e.models.Names(), cobra.ShellCompDirectiveNoSpace
	})
	_ = c.RegisterFlagCompletionFunc("scope", cobra.NoFileCompletions) // likewise
	return c
}

// request builds a request from the flags and words, and checks it.
func (e *env) request(f editFlags, words []string) (app.EditRequest, error) {
	r := app.EditRequest{Text: strings.Join(words, " "), Model: f.model, Scope: f.scope, DryRun: f.dryRun,
		Session: f.title}
	if r.Text == "-" {
		b, err := e.readAll("-", 1<<20)
		if err != nil {
			return r, fmt.Errorf("read the request from standard input: %w", err)
		}
		r.Text = strings.TrimSpace(string(b))
	}
	if strings.TrimSpace(r.Text) == "" {
		return r, usageError("the request is empty; say what to do, as in: waferpair edit \"add doc comments to the " +
			"exported functions in server.go\"")
	}
	if _, err := e.models.Open(f.model); err != nil {
		return r, usageError("%w", err)
	}
	for _, g := range f.scope {
		if err := model.CheckGlob(g); err != nil {
			return r, usageError("%w", err)
		}
	}
	r.Target.File = e.inProject(f.file)
	if f.lines == "" {
		return r, nil
	}
	if f.file == "" {
		return r, usageError("--lines needs --file")
	}
	from, to, err := parseLines(f.lines)
	if err != nil {
		return r, err
	}
	r.Target.From, r.Target.To = from, to
	return r, nil
}

// parseLines reads A-B or A.
func parseLines(s string) (from, to int, err error) {
	a, b, both := strings.Cut(s, "-")
	if !both {
		b = a
	}
	from, err1 := strconv.Atoi(a)
	to, err2 := strconv.Atoi(b)
	if err1 != nil || err2 != nil || from < 1 || to < from {
		return 0, 0, usageError("--lines %q: give the first and the last line, from 1, as in 10-20", s)
	}
	return from, to, nil
}

func (e *env) edit(ctx context.Context, f editFlags, words []string) error {
	req, err := e.request(f, words)
	if err != nil {
		return err
	}
	p, err := e.open(ctx)
	if err != nil {
		return err
	}
	defer e.close(p)
	if f.choose != 0 {
		if req.Text, err = e.chosen(ctx, p, req, f.choose); err != nil {
			return err
		}
	}
	turn, err := p.Edit(ctx, req)
	if err != nil {
		return classify(err)
	}
	view := newTurnView(e, turn.ID())
	wait := e.startWaiting()
	for ev := range turn.Events() {
		if _, began := ev.(engine.Started); !began { // the turn has shown nothing yet
			wait.over()
		}
		view.show(ev)
	}
	wait.over()
	return view.end(turn.Wait(), req.DryRun)
}

// chosen returns the nth of the requests that the model lists instead of this one.
func (e *env) chosen(ctx context.Context, p *owner.Use, req app.EditRequest, n int) (string, error) {
	if n < 1 {
		return "", usageError("--choose %d: the numbers of the list begin with 1", n)
	}
	req.DryRun = true
	turn, err := p.Edit(ctx, req)
	if err != nil {
		return "", classify(err)
	}
	wait := e.startWaiting()
	for range turn.Events() {
	}
	wait.over()
	out := turn.Wait()
	r := out.Refusal
	switch {
	case r == nil && out.Status != engine.Completed:
		return "", fmt.Errorf("find what to choose from: %s", out.Message)
	case r == nil || len(r.Candidates) == 0:
		return "", usageError("--choose %d: this request lists nothing to choose from; run it without --choose", n)
	case n > len(r.Candidates):
		return "", usageError("--choose %d: the list has the numbers 1 to %d:\n%s", n, len(r.Candidates),
			numbered(r.Candidates))
	}
	return r.Candidates[n-1], nil
}

// numbered lists requests with the numbers by which --choose takes them.
func numbered(requests []string) string {
	var b strings.Builder
	for i, r := range requests {
		fmt.Fprintf(&b, "%13d  %s\n", i+1, clean(r))
	}
	return strings.TrimSuffix(b.String(), "\n")
}
