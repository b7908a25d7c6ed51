package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"waferpair/app"
	"waferpair/engine/prompt"
)

func contextCommand(e *env) *cobra.Command {
	var f editFlags
	var part string
	c := &cobra.Command{
		Use:   "context [flags] REQUEST",
		Short: "Show what a language model would get to read with a request",
		Long: `context assembles the prompt of a request as 'waferpair edit' and 'ask' would, sends
nothing, and lists its parts in their order: what each is, how many tokens it has, why it
is in, what of it is cut; then what was left out, and why. Tokens are counted by the model
if it can, and otherwise estimated by what its provider counted before.

--text NAME prints the text of a part, '--text all' the whole prompt. --pin puts a file in,
--without takes a part out, by its name in the list.

With --json each part is {"event":"part","kind","name","bytes","tokens","reason","cut"},
what is not in {"event":"out","kind","name","tokens","reason"}, and the last line
{"event":"context","tokens","limit","reserve"}: limit is for prompt and answer together,
reserve of it for the answer.`,
		Example: `  waferpair context --model openai/gpt-5.5 "make the retry delay configurable"
  waferpair context --model openai/gpt-5.5 --text map "where are retries decided?"`,
		Args: args(cobra.MinimumNArgs(1)),
		RunE: func(cmd *cobra.Command, words []string) error {
			req, err := e.request(f, words)
			if err != nil {
				return err
			}
			return e.withProject(cmd.Context(), func(p *app.Project) error {
				return e.showContext(cmd.Context(), p, req, part)
			})
		},
	}
	fl := c.Flags()
	fl.Var(e.modelValue(&f.model), "model", "`model` whose prompt it is")
	fl.StringVar(&f.file, "file", "", "the open `file`")
	fl.StringVar(&f.lines, "lines", "", "its selected lines `A-B`")
	fl.StringVar(&f.title, "session", "", "the session with this `id`; 'new' is one without earlier turns")
	partFlags(c, &f)
	fl.BoolVar(&f.asks, "ask", false, "the request is a question, as for 'waferpair ask'")
	fl.StringVar(&part, "text", "", "print the text of the part with this `name`; 'all' is the whole prompt")
	e.completeModels(c)
	return c
}

// partFlags are those that choose what is in a prompt.
func partFlags(c *cobra.Command, f *editFlags) {
	c.Flags().StringArrayVar(&f.pins, "pin", nil, "put this `file` in what the model reads (repeatable)")
	c.Flags().StringArrayVar(&f.without, "without", nil,
		"take this `part` out of it, by its name in 'waferpair context' (repeatable)")
}

func (e *env) showContext(ctx context.Context, p *app.Project, req app.EditRequest, part string) error {
	if err := p.Ready(ctx); err != nil {
		return err
	}
	c, err := p.Context(ctx, req)
	switch {
	case err != nil:
		return err
	case part != "":
		return e.contextText(c, part)
	case e.json:
		e.contextJSON(c)
		return nil
	}
	for _, part := range c.Parts {
		fmt.Fprintf(e.out, "%7d  %s%s\n", part.Tokens, inList(part.Kind, part.Name), behind(part.Reason, part.Cut))
	}
	for _, l := range c.Out {
		fmt.Fprintf(e.out, "      -  %s%s\n", inList(l.Kind, l.Name), behind("left out", l.Reason))
	}
	fmt.Fprintf(e.out, "%7d  tokens of %d, of which %d are for the answer\n", c.Tokens, c.Limit, c.Reserve)
	return nil
}

// inList returns what a part is, and its name if that says more.
func inList(kind prompt.Kind, name string) string {
	if name == string(kind) {
		return name
	}
	return fmt.Sprintf("%-12s  %s", kind, cleanName(name))
}

// behind returns remarks as they stand behind a name.
func behind(remarks ...string) (s string) {
	for _, r := range remarks {
		if r != "" {
			s += " · " + clean(r)
		}
	}
	return s
}

func (e *env) contextJSON(c prompt.Context) {
	for _, part := range c.Parts {
		jsonOut(e.out, struct {
			Event string `json:"event"`
			prompt.Part
		}{"part", part})
	}
	for _, l := range c.Out {
		jsonOut(e.out, struct {
			Event string `json:"event"`
			prompt.Left
		}{"out", l})
	}
	jsonOut(e.out, map[string]any{"event": "context", "tokens": c.Tokens, "limit": c.Limit, "reserve": c.Reserve})
}

func (e *env) contextText(c prompt.Context, name string) error {
	if name == "all" {
		for _, i := range c.Items {
			fmt.Fprintf(e.out, "--- %s %s\n%s\n", i.Kind, clean(i.Role+i.Name), clean(i.Text()))
		}
		return nil
	}
	var names []string
	for _, part := range c.Parts {
		if part.Name == name {
			fmt.Fprint(e.out, clean(part.Text))
			return nil
		}
		names = append(names, part.Name)
	}
	return usageError("the prompt has no part %q; there are: %s", name, strings.Join(names, ", "))
}
