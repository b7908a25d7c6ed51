package cli

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"waferpair/app"
	"waferpair/app/owner"
	"waferpair/engine"
	"waferpair/engine/model"
	"waferpair/history"
)

type editFlags struct {
	model   string
	file    string
	lines   string
	scope   []string
	dryRun  bool
	choose  int
	chooses bool // --choose is given
	title   string
	asks    bool // a question
	goesOn  bool // --continue
	again   bool
	leave   bool
	pins    []string
	without []string
	over    bool   // --over-budget
	ready   string // --ready
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
can do. Where it is not sure, it lists what may be meant, each tried on the project
as it is: --choose 1 takes the first request of the list that was shown last, and does
what its trial did, or nothing if the files have changed (exit code 4). On a terminal
one key does the same. REQUEST may be several words; '-' reads it from standard input.

An answer that broke off, at its limit, by a failure or when it was stopped, stays as far
as it came: --continue goes on with the last one, for its model, file and scope. Nothing
that is in place is made again.

With --json the first line is {"event":"turn.started","turn":N,"model":NAME}, as
soon as the model is asked: until the next one, it is waited for. N is the turn's
number in the history, 0 in a dry run. Each edit that is kept is an "edit.acked"
with its id and path, each that was not made a "hunk.failed" with the reason; "hunk.returned" says
that it went back to a language model once, and "try" counts from 2 then. A list to
choose from is {"event":"choice","candidates":[{"request","operation","summary","files"}]}:
what each request would do, and the lines that it adds and removes in which files. The
last line is "turn.done" with the same turn, its status, message, edits and timing, which
for a language model has its rounds, tokens ("usage") and cost in dollars too, and for a model file
"wafer": what an emulated WSE-3 would have done with the same passes, an estimate. When it was
declined it has a code for the reason: ambiguous (say which), no-symbol, no-file, types (it
brought type errors, and was reverted), or beyond (none of these); when it broke off, the
code is continue.`,
		Example: `  waferpair edit "rename parseConfig to loadConfig everywhere"
  waferpair edit --file server.go "add doc comments to the exported functions"
  waferpair edit --file price.go --lines 14-14 "extract variable total from a.Price*a.Count"
  waferpair edit --scope 'internal/**' --dry-run "remove unused imports in internal/db/db.go"
  waferpair edit "fetch could really use a timeout time.Duration param"
  waferpair edit --ready tests --file price.go --model openai/gpt-5.5
  waferpair edit --choose 1
  waferpair edit --continue
  waferpair edit --model script:answer.jsonl "replay a recorded answer"`,
		Args: args(func(cmd *cobra.Command, words []string) error {
			if f.chooses = cmd.Flags().Changed("choose"); f.chooses || f.goesOn || f.again || f.ready != "" {
				return nil
			}
			return cobra.MinimumNArgs(1)(cmd, words)
		}),
		RunE: func(cmd *cobra.Command, words []string) error {
			return e.edit(cmd.Context(), f, words)
		},
	}
	fl := c.Flags()
	fl.Var(e.modelValue(&f.model), "model", "`model` to ask (default: that of config.toml, or spark, the built-in one)")
	fl.StringVar(&f.file, "file", "", "the `file` that the request is about")
	fl.StringVar(&f.lines, "lines", "", "the selected lines `A-B` of --file")
	readyFlag(c, &f)
	fl.StringArrayVar(&f.scope, "scope", nil,
		"only edit files that match this `glob`; edits elsewhere wait for approval (repeatable)")
	fl.BoolVar(&f.dryRun, "dry-run", false, "show the edits without making them")
	fl.IntVar(&f.choose, "choose", 0, "carry out the `N`th of the requests that were listed last; REQUEST may be left out")
	partFlags(c, &f)
	sessionFlags(c, &f)
	e.completeModels(c)
	_ = c.RegisterFlagCompletionFunc("scope", cobra.NoFileCompletions) // fails only for an unknown flag
	return c
}

// ofTurn completes a request that has everything else from the last turn.
func (f editFlags) ofTurn(r app.EditRequest) (app.EditRequest, error) {
	switch {
	case f.goesOn && f.again:
		return r, usageError("--continue goes on with the last answer, --again asks for another one: give one of them")
	case r.DryRun, f.file != "", f.lines != "", len(f.scope) > 0:
		return r, usageError("--continue and --again keep the file, lines and scope of the last request, and make edits")
	case f.goesOn:
		r.Continue = &app.Continuation{}
	default:
		r.Again = &app.Again{Leave: f.leave}
	}
	return r, nil
}

// sessionFlags are those of requests that belong to a conversation.
func sessionFlags(c *cobra.Command, f *editFlags) {
	c.Flags().BoolVar(&f.goesOn, "continue", false,
		"go on with the last answer, which broke off: nothing that is in place is made again")
	c.Flags().BoolVar(&f.again, "again", false,
		"send the last request again, or REQUEST in its place, on a fork from before its edits")
	c.Flags().BoolVar(&f.leave, "leave-edits", false,
		"with --again: leave what was edited by hand since on the line before the fork")
	c.Flags().BoolVar(&f.over, "over-budget", false,
		"send it even if the daily budget of config.toml is used up")
	c.Flags().StringVar(&f.title, "session", "", "continue the session with this `id`; 'new' starts one")
}

// completeModels completes the names of models.
func (e *env) completeModels(c *cobra.Command) {
	// fails only for an unknown flag
	_ = c.RegisterFlagCompletionFunc("model", func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return e.models.Names(), cobra.ShellCompDirectiveNoSpace
	})
}

// request builds a request from the flags and words, and checks it.
func (e *env) request(f editFlags, words []string) (app.EditRequest, error) {
	r := app.EditRequest{Text: strings.Join(words, " "), Model: f.model, Scope: f.scope, DryRun: f.dryRun,
		Session: f.title, Without: f.without, OverBudget: f.over, Ready: f.ready}
	what :=
		"request is empty; say what to do, as in: waferpair edit \"add doc comments to the exported functions in server.go\""
	if f.asks {
		r.Mode, what = app.ModeAsk,
			"question is empty; say what to find out, as in: waferpair ask \"where are retries decided?\""
	}
	for _, file := range f.pins {
		r.Pins = append(r.Pins, e.inProject(file))
	}
	if r.Text == "-" {
		b, err := e.readAll("-", 1<<20)
		if err != nil {
			return r, fmt.Errorf("read the request from standard input: %w", err)
		}
		r.Text = strings.TrimSpace(string(b))
	}
	if f.chooses {
		if f.choose < 1 {
			return r, usageError("--choose %d: the numbers of the list begin with 1", f.choose)
		}
		r.Choice.N = f.choose
	} else if f.goesOn || f.again {
		return f.ofTurn(r)
	} else if strings.TrimSpace(r.Text) == "" && f.ready == "" {
		return r, usageError("the %s", what)
	}
	if err := e.checkModel(f.model); err != nil {
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
	o, err := e.runTurn(ctx, p, req)
	if req.DryRun {
		return err
	}
	if n := e.choose(ctx, o); n > 0 {
		_, err = e.runTurn(ctx, p, app.EditRequest{Session: f.title, Choice: app.Choice{Turn: history.TurnID(o.Turn), N: n}})
	}
	return err
}

// workingText says what a model does before it writes.
func workingText(w engine.Working) string {
	switch w.Phase {
	case model.Retry:
		left := time.Duration(w.Total-w.Done) * time.Millisecond
		return fmt.Sprintf("%s; trying again in %.0f s", cleanName(w.Note), left.Seconds())
	case model.Queue:
		return fmt.Sprintf("in the queue, place %d", w.Done)
	case model.Connect:
		return "connecting"
	case model.Prefill:
		return "the model reads the prompt"
	case model.Tools:
		return cleanName(w.Note)
	case model.Summary:
		return "the model writes a summary of " + cleanName(w.Note) + ", to save room"
	}
	return ""
}

// runTurn runs a turn and shows it; the error is its exit code.
func (e *env) runTurn(ctx context.Context, p *owner.Use, req app.EditRequest) (engine.Outcome, error) {
	turn, err := p.Edit(ctx, req)
	if err != nil {
		return engine.Outcome{}, classify(err)
	}
	view := newTurnView(e, turn.ID())
	view.asks = req.Mode == app.ModeAsk
	wait := e.startWaiting()
	for ev := range turn.Events() {
		switch ev := ev.(type) { // the turn has shown nothing yet
		case engine.Started:
		case engine.Working:
			if ev.Phase == model.Retry {
				wait = view.retry(wait, ev)
			}
			wait.waitsFor(workingText(ev))
		default:
			wait.over()
		}
		view.show(ev)
	}
	wait.over()
	o := turn.Wait()
	return o, view.end(o, req.DryRun)
}
