package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"waferpair/app"
)

// readyFlag is the flag of a ready request.
func readyFlag(c *cobra.Command, f *editFlags) {
	c.Flags().StringVar(&f.ready, "ready", "",
		"send the ready request of this `name`, such as docs or tests; REQUEST adds words to it")
}

func readyCommand(e *env) *cobra.Command {
	return group("ready", "List the ready requests: documentation, tests, explain, and your own",
		`A ready request is a text with a name. 'waferpair edit --ready NAME' and 'waferpair ask
--ready NAME' send it, about the file of --file, its lines of --lines, or the words that follow.
'waferpair review' and 'waferpair commit-message' are commands of their own.

Your own are Markdown files, NAME.md, in waferpair/ready/ in your configuration folder
(~/.config), or in .waferpair/ready/ in a project. The first heading is the title, the rest is
the request, with $ARGUMENTS for the words that you add, {selection} for the selected lines
or the file, and {file} for its path. They choose no model and give no permission; one with
the name of a built-in one, or a project's with the name of one of yours, is not used.`,
		&cobra.Command{Use: "list", Short: "List the ready requests", Args: args(cobra.NoArgs),
			RunE: func(cmd *cobra.Command, _ []string) error {
				return e.withProject(cmd.Context(), func(p *app.Project) error {
					list, err := p.ReadyRequests()
					for _, r := range list {
						if e.json {
							jsonOut(e.out, r)
							continue
						}
						command := "edit"
						if r.Asks {
							command = "ask"
						}
						note := r.From
						if r.Hidden != "" {
							note += ", not used: another one, " + r.Hidden + ", has its name"
						}
						fmt.Fprintf(e.out, "%-12s  %s  (%s)\n              waferpair %s --ready %s\n", cleanName(r.Name),
							cleanName(r.Title), note, command, cleanName(r.Name))
					}
					return err
				})
			}})
}
