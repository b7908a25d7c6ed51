package cli

import (
	"context"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"waferpair/app"
	"waferpair/engine"
)

func askCommand(e *env) *cobra.Command {
	var f editFlags
	c := &cobra.Command{
		Use:   "ask [flags] QUESTION",
		Short: "Answer a question about the project, without editing anything",
		Long: `ask hands the question to a language model and prints its answer, in Markdown, as
it comes. The answer cannot edit. The places that it names as path:line are looked up
when it is complete and listed: one that does not exist is marked.

The built-in model cannot answer questions (exit code 3): connect a model with
'waferpair models add', and name it with --model. QUESTION may be several words; '-' reads
it from standard input.

With --json each piece of the answer is {"event":"prose","text"}, each place
{"event":"citation","text","path","line","to","ok","why"}, and the last line is
"turn.done", as for 'waferpair edit'.`,
		Example: `  waferpair ask --model openai/gpt-5.5 "where are retries decided?"
  waferpair ask --pin docs/retries.md --without map "why are writes not retried?"
  waferpair ask --ready explain --file server.go
  waferpair ask --file server.go --lines 40-80 "why is the lock held here?"`,
		Args: args(func(cmd *cobra.Command, words []string) error {
			if f.goesOn || f.again || f.ready != "" {
				return nil
			}
			return cobra.MinimumNArgs(1)(cmd, words)
		}),
		RunE: func(cmd *cobra.Command, words []string) error {
			return e.ask(cmd.Context(), f, words)
		},
	}
	f.asks = true
	fl := c.Flags()
	fl.Var(e.modelValue(&f.model), "model", "`model` to ask")
	fl.StringVar(&f.file, "file", "", "the `file` that the question is about")
	fl.StringVar(&f.lines, "lines", "", "the selected lines `A-B` of --file")
	readyFlag(c, &f)
	partFlags(c, &f)
	sessionFlags(c, &f)
	e.completeModels(c)
	return c
}

func (e *env) ask(ctx context.Context, f editFlags, words []string) error {
	req, err := e.request(f, words)
	if err != nil {
		return err
	}
	p, err := e.open(ctx)
	if err != nil {
		return err
	}
	defer e.close(p)
	_, err = e.runTurn(ctx, p, req)
	return err
}

// spoken hands on the text of a model as it comes, in whole characters: it keeps back one whose
// bytes have not all come.
type spoken struct {
	show  func(text string)
	held  string
	begun bool
	last  byte
}

func (s *spoken) say(text string) {
	text = s.held + text
	whole := len(text)
	for back := 1; back < utf8.UTFMax && back <= len(text); back++ {
		if at := len(text) - back; utf8.RuneStart(text[at]) {
			if !utf8.FullRuneInString(text[at:]) {
				whole = at
			}
			break
		}
	}
	s.held = text[whole:]
	s.give(text[:whole])
}

func (s *spoken) give(text string) {
	if text != "" {
		s.begun, s.last = true, text[len(text)-1]
		s.show(text)
	}
}

// end hands on what was kept back, and reports whether a line is open.
func (s *spoken) end() (open bool) {
	s.give(s.held)
	open = s.begun && s.last != '\n'
	s.held, s.begun = "", false
	return open
}

// said prints a piece of an answer, safe for a terminal, or as an event.
func (v *turnView) said(text string) {
	if v.env.json {
		jsonEvent(v.env.out, engine.Prose{Text: text})
		return
	}
	fmt.Fprint(v.env.out, clean(text)) // output keeps its first error
}

// endSaid ends the answer's last line.
func (v *turnView) endSaid() {
	if v.spoken.end() && !v.env.json {
		fmt.Fprintln(v.env.out)
	}
}

// citation prints a place that the answer names.
func (v *turnView) citation(c engine.Cited) {
	v.endSaid()
	if !v.cited {
		fmt.Fprintln(v.env.out)
	}
	v.cited = true
	at := fmt.Sprintf("%s:%d", c.Path, c.Line)
	if c.To > 0 {
		at += fmt.Sprintf("-%d", c.To)
	}
	if c.OK {
		fmt.Fprintf(v.env.out, "  %s\n", cleanName(at))
		return
	}
	fmt.Fprintf(v.env.out, "  %s\n", v.diff.paint(ansiYellow, cleanName(at+"  does not exist: "+c.Why)))
}

// questionDeclined says that a model cannot answer questions, and what can.
func questionDeclined(o engine.Outcome) string {
	var b strings.Builder
	b.WriteString("waferpair: declined\n")
	if o.Refusal != nil {
		fmt.Fprintf(&b, "  because:    %s\n", clean(o.Refusal.Reason))
	}
	fmt.Fprintf(&b, "  %s\n", app.ConnectHint)
	return b.String()
}
