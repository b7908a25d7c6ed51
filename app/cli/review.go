package cli

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"waferpair/app"
	"waferpair/app/owner"
	"waferpair/engine"
	"waferpair/engine/findings"
	"waferpair/history"
)

type reviewFlags struct {
	model  string
	staged bool
	since  string
	turn   int64
	focus  string
}

func reviewCommand(e *env) *cobra.Command {
	var f reviewFlags
	c := &cobra.Command{
		Use:   "review [flags] [PATH]...",
		Short: "Let a model review changes, and keep what it finds as comments on lines",
		Long: `review hands changes to a language model, with line numbers and the files around them,
and lists what it finds: the place, how bad it is, what is wrong and why, and perhaps
the lines that would be right. Nothing is edited. The changes are those that are not
committed to git (of PATH, if given): with --staged only those that are staged, with
--since those since a revision, with --turn those that a turn made. Without git they are
those of the last turn that changed something.

A finding quotes the line that it is about. One whose line number is wrong moves to where
that text is; one whose text or file does not exist is dropped, and both are said. So is
what of the changes the model has no room for. If the answer has no finding that can be
read, it is shown, and the exit code is 1.

Findings stay with the project and follow their lines through later edits; one whose lines
have changed is marked outdated. 'review list' shows those that are open; 'review fix N'
puts the suggested lines in place, or asks a model for the fix, as an ordinary turn that can
be reverted; 'review accept N' and 'review dismiss N' note what you decided.

With --json each finding is {"event":"finding","n","turn","path","from","to","severity",
"title","why","quote","suggests","replacement","state","moved","outdated"}, what was left
out or moved {"event":"note","text"}, and the last line is "turn.done", as for 'waferpair
ask'. An answer without a finding comes as {"event":"prose","text"}.`,
		Example: `  waferpair review --model openai/gpt-5.5
  waferpair review --staged src
  waferpair review --since main --focus "locking"
  waferpair review fix 3`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, paths []string) error { return e.review(cmd.Context(), f, paths) },
	}
	fl := c.Flags()
	fl.Var(e.modelValue(&f.model), "model", "`model` to ask")
	fl.BoolVar(&f.staged, "staged", false, "only what is staged")
	fl.StringVar(&f.since, "since", "", "the changes since this `revision`")
	fl.Int64Var(&f.turn, "turn", 0, "the changes of the turn with this `number`")
	fl.StringVar(&f.focus, "focus", "", "`what` to look at in particular")
	e.completeModels(c)
	c.AddCommand(reviewList(e), reviewShow(e), reviewFix(e),
		reviewDecide(e, "accept", "Note that you agree with a finding", app.FindingAccepted),
		reviewDecide(e, "dismiss", "Put a finding away", app.FindingDismissed),
		reviewDecide(e, "reopen", "Take a decision about a finding back", app.FindingOpen))
	return c
}

func (e *env) review(ctx context.Context, f reviewFlags, paths []string) error {
	req := app.EditRequest{Text: f.focus, Model: f.model, Mode: app.ModeAsk, Kind: app.KindReview,
		Changes: &app.Changes{Staged: f.staged, Since: f.since, Turn: history.TurnID(f.turn)}}
	switch chosen := f.staged || f.since != ""; {
	case f.staged && f.since != "", chosen && f.turn != 0:
		return usageError("--staged, --since and --turn exclude each other: give one of them")
	case f.turn < 0:
		return usageError("--turn %d: 'waferpair sessions show' lists the turns", f.turn)
	}
	if err := e.checkModel(f.model); err != nil {
		return usageError("%w", err)
	}
	p, err := e.open(ctx)
	if err != nil {
		return err
	}
	defer e.close(p)
	if req.Changes.Paths, err = e.pathsIn(p, paths); err != nil {
		return err
	}
	o, err := e.quietTurn(ctx, p, req)
	if err != nil {
		return err
	}
	return e.showReview(p, o)
}

// pathsIn returns files and folders that the user named, as paths of the project.
func (e *env) pathsIn(p *owner.Use, names []string) (out []string, err error) {
	for _, name := range names {
		path, err := p.Path(e.inProject(name))
		if err != nil {
			return nil, usageError("%w", err)
		}
		out = append(out, path)
	}
	return out, nil
}

// quietTurn runs a turn whose answer is shown when it is complete.
func (e *env) quietTurn(ctx context.Context, p *owner.Use, req app.EditRequest) (engine.Outcome, error) {
	turn, err := p.Edit(ctx, req)
	if err != nil {
		return engine.Outcome{}, classify(err)
	}
	wait := e.startWaiting()
	for ev := range turn.Events() {
		switch ev := ev.(type) {
		case engine.Working:
			wait.waitsFor(workingText(ev))
		case engine.Prose:
			wait.waitsFor("")
		case engine.Started:
			if e.json {
				jsonEvent(e.out, ev)
			}
		case engine.Note:
			wait.over()
			fmt.Fprintf(e.err, "waferpair: %s\n", clean(ev.Text))
		}
	}
	wait.over()
	return turn.Wait(), nil
}

// showReview prints what a review found; the error is its exit code.
func (e *env) showReview(p *owner.Use, o engine.Outcome) error {
	r, is, err := p.Reviewed(context.Background(), history.TurnID(o.Turn))
	if err != nil {
		return err
	}
	v := newTurnView(e, o.Turn)
	v.asks = true
	if !is || o.Status == engine.Declined {
		return v.end(o, false)
	}
	for _, f := range r.Findings {
		e.showFinding(f, true)
	}
	unread := len(r.Findings) == 0 && !r.Clean
	if unread && r.Prose != "" {
		if e.json {
			jsonEvent(e.out, engine.Prose{Text: r.Prose})
		} else {
			fmt.Fprintln(e.out, clean(r.Prose))
		}
	}
	for _, n := range r.Notes {
		if e.json {
			jsonEvent(e.out, engine.Note{Text: n})
		} else {
			fmt.Fprintf(e.err, "waferpair: %s\n", clean(n))
		}
	}
	if e.json {
		jsonEvent(e.out, engine.End(o))
	} else {
		e.closeReview(r, o)
	}
	if err := codeOf(o.Status); err != nil {
		return err
	}
	if unread {
		return &codeError{code: exitFailed, err: errors.New("no findings could be read in the model's answer, " +
			"and it does not say that there are none"), quiet: e.json}
	}
	return nil
}

// closeReview prints the last line of a review.
func (e *env) closeReview(r app.Reviewed, o engine.Outcome) {
	v := newDiffView(e.out, e.color(e.out))
	n := map[findings.Severity]int{}
	for _, f := range r.Findings {
		n[f.Severity]++
	}
	var counts []string
	for _, s := range []findings.Severity{findings.Error, findings.Warning, findings.Note} {
		if n[s] > 0 {
			counts = append(counts, count(n[s], string(s)))
		}
	}
	says := "no findings"
	if len(counts) > 0 {
		says = strings.Join(counts, ", ")
	}
	if o.Status != engine.Completed {
		v2 := newTurnView(e, o.Turn)
		v2.env.showRefused(o)
	}
	fmt.Fprintln(e.out, v.paint(ansiDim, join(says, o.Model, speedLine(o.Timing))))
	if len(r.Findings) > 0 {
		fmt.Fprintln(e.err, "  next: waferpair review fix N, accept N or dismiss N; waferpair review list")
	}
}

// showFinding prints a finding, in full or as a line of a list.
func (e *env) showFinding(f app.Finding, full bool) {
	if e.json {
		jsonOut(e.out, struct {
			Event string `json:"event"`
			app.Finding
		}{"finding", f})
		return
	}
	v := newDiffView(e.out, e.color(e.out))
	state := ""
	if f.State != app.FindingOpen {
		state = "  " + string(f.State)
		if f.Fixed != 0 {
			state += fmt.Sprintf(" by turn %d", f.Fixed)
		}
	}
	if f.Outdated != "" {
		state += "  outdated"
	}
	paint := map[findings.Severity]string{findings.Error: ansiRed, findings.Warning: ansiYellow, findings.Note: ansiCyan}
	fmt.Fprintf(e.out, "%4d  %s  %s%s\n      %s\n", f.N, v.paint(paint[f.Severity], fmt.Sprintf("%-7s", f.Severity)),
		v.paint(ansiBold, cleanName(f.At())), v.paint(ansiDim, state), cleanName(f.Title))
	if !full {
		return
	}
	indent := func(s string) string { return "      " + strings.ReplaceAll(clean(s), "\n", "\n      ") }
	if f.Why != "" {
		fmt.Fprintln(e.out, indent(f.Why))
	}
	switch {
	case f.Suggests && f.Replacement == "":
		fmt.Fprintln(e.out, indent("suggests to remove these lines"))
	case f.Suggests:
		fmt.Fprintf(e.out, "%s\n", indent("suggests:"))
		for line := range strings.Lines(f.Replacement) {
			fmt.Fprintf(e.out, "      %s\n", v.paint(ansiGreen, "| "+clean(strings.TrimRight(line, "\r\n"))))
		}
	}
	for _, s := range []string{f.Moved, f.Outdated} {
		if s != "" {
			fmt.Fprintln(e.out, v.paint(ansiDim, indent("("+s+")")))
		}
	}
}

func reviewList(e *env) *cobra.Command {
	var all bool
	c := &cobra.Command{
		Use: "list [PATH]", Short: "List what reviews found and you have not dismissed or fixed",
		Args: args(cobra.MaximumNArgs(1)),
		RunE: func(cmd *cobra.Command, words []string) error {
			p, err := e.open(cmd.Context())
			if err != nil {
				return err
			}
			defer e.close(p)
			paths, err := e.pathsIn(p, words)
			if err != nil {
				return err
			}
			filter := app.FindingFilter{All: all}
			if len(paths) > 0 {
				filter.Path = paths[0]
			}
			list, err := p.Findings(cmd.Context(), filter)
			for _, f := range list {
				e.showFinding(f, false)
			}
			if err == nil && len(list) == 0 && !e.json {
				fmt.Fprintln(e.out, "no findings")
			}
			return classify(err)
		},
	}
	c.Flags().BoolVar(&all, "all", false, "also those that are dismissed or fixed")
	return c
}

func findingNumber(word string) (int, error) {
	n, err := strconv.Atoi(strings.TrimPrefix(word, "#"))
	if err != nil || n < 1 {
		return 0, usageError("%q is not the number of a finding; 'waferpair review list' shows them", word)
	}
	return n, nil
}

// withFinding runs a command about a finding.
func (e *env) withFinding(ctx context.Context, word string, do func(p *owner.Use, n int) error) error {
	n, err := findingNumber(word)
	if err != nil {
		return err
	}
	p, err := e.open(ctx)
	if err != nil {
		return err
	}
	defer e.close(p)
	err = do(p, n)
	if errors.As(err, new(*app.NoFinding)) {
		return usageError("%w", err)
	}
	return classify(err)
}

func reviewShow(e *env) *cobra.Command {
	return &cobra.Command{Use: "show N", Short: "Show a finding with its lines", Args: args(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, words []string) error {
			return e.withFinding(cmd.Context(), words[0], func(p *owner.Use, n int) error {
				f, err := p.Finding(cmd.Context(), n)
				if err != nil {
					return err
				}
				e.showFinding(f, true)
				if e.json || f.Outdated != "" && f.From == 0 {
					return nil
				}
				b, err := p.Read(f.Path)
				if err != nil { // the finding says so
					return nil
				}
				lines := strings.Split(strings.TrimSuffix(string(b), "\n"), "\n")
				for n := max(1, f.From-2); n <= min(len(lines), f.To+2); n++ {
					mark := " "
					if n >= f.From && n <= f.To {
						mark = ">"
					}
					fmt.Fprintf(e.out, "%s%5d  %s\n", mark, n, clean(strings.TrimSuffix(lines[n-1], "\r")))
				}
				return nil
			})
		}}
}

func reviewDecide(e *env, name, short string, s app.FindingState) *cobra.Command {
	return &cobra.Command{Use: name + " N...", Short: short, Args: args(cobra.MinimumNArgs(1)),
		RunE: func(cmd *cobra.Command, words []string) error {
			for _, w := range words {
				err := e.withFinding(cmd.Context(), w, func(p *owner.Use, n int) error {
					f, err := p.SetFinding(cmd.Context(), n, s)
					if err == nil {
						e.showFinding(f, false)
					}
					return err
				})
				if err != nil {
					return err
				}
			}
			return nil
		}}
}

func reviewFix(e *env) *cobra.Command {
	var of string
	c := &cobra.Command{Use: "fix N", Short: "Fix a finding: with the lines that it suggests, or by asking a model",
		Long: `fix puts the lines in place that a finding suggests. When it suggests none, or its lines
have changed since, it asks a model for the fix: that of --model, or the one that made the
review. Either way it is an ordinary turn, which can be reverted; once it has changed
something, the finding is fixed.`,
		Args: args(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, words []string) error {
			if err := e.checkModel(of); err != nil {
				return usageError("%w", err)
			}
			return e.withFinding(cmd.Context(), words[0], func(p *owner.Use, n int) error {
				req, err := p.Fix(cmd.Context(), n, of)
				if err != nil {
					return err
				}
				_, err = e.runTurn(cmd.Context(), p, req)
				return err
			})
		}}
	c.Flags().StringVar(&of, "model", "", "`model` to ask when the finding suggests no lines")
	e.completeModels(c)
	return c
}
