package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"waferpair/app"
	"waferpair/app/config"
	"waferpair/history"
)

func historySize(e *env) *cobra.Command {
	var limit string
	c := &cobra.Command{
		Use:   "size [--cap SIZE]",
		Short: "Show and limit the history's size on disk",
		Long: `size shows what the history of this project takes on disk. There is no limit
until --cap sets one, for this project. Above it, space is given back in the
background, in this order:

  1. older backups of the history; the newest one stays
  2. the content of the oldest edits; they stay in the list, marked as reclaimed

An edit that waits for review is never given up, nor what came after it in its
file, nor the newest 100 edits, nor what files held when they were first seen.
The newest version of every file stays. The reserve for a full disk and the log
do not count.`,
		Example: `  waferpair history size
  waferpair history size --cap 500MB
  waferpair history size --cap none`,
		Args: args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			bytes, err := parseSize(limit)
			if err != nil {
				return err
			}
			return e.withProject(cmd.Context(), func(p *app.Project) error {
				below := true
				if cmd.Flags().Changed("cap") {
					if below, err = p.LimitHistory(cmd.Context(), bytes); err != nil {
						return err
					}
				}
				z, err := p.History().Size(cmd.Context())
				if err == nil {
					e.printSize(z)
				}
				if !below {
					fmt.Fprintln(e.err,
						"waferpair: nothing more can be removed: edits that wait for review, the newest ones and first contents stay")
				}
				return err
			})
		},
	}
	c.Flags().StringVar(&limit, "cap", "", "limit it to `SIZE`, such as 500MB or 2GB; none removes the limit")
	return c
}

// parseSize parses a number of bytes with a unit; "none" and "" are 0.
func parseSize(s string) (int64, error) {
	if s == "" || s == "none" {
		return 0, nil
	}
	n, is := config.Size(s)
	if !is {
		return 0, usageError("--cap %q: give a size such as 500MB or 2GB, or none", s)
	}
	return n, nil
}

func (e *env) printSize(z history.Sizes) {
	if e.json {
		jsonOut(e.out, map[string]any{"event": "history.size", "total": z.Total, "database": z.Database, "log": z.Log,
			"backups": z.Backups, "reserve": z.Ballast, "other": z.Other, "free": z.Free, "counted": z.Counted, "cap": z.Cap,
			"edits": z.Edits, "reclaimed": z.Reclaimed})
		return
	}
	mb := func(n int64) string { return fmt.Sprintf("%.1f MB", float64(n)/1e6) }
	fmt.Fprintf(e.out, "%s on disk: history %s, log %s, backups %s, reserve for a full disk %s\n", mb(z.Total),
		mb(z.Database), mb(z.Log), mb(z.Backups), mb(z.Ballast))
	if z.Cap == 0 {
		fmt.Fprintln(e.out, "no limit; --cap SIZE sets one")
	} else {
		fmt.Fprintf(e.out, "%s of a limit of %s\n", mb(z.Counted), mb(z.Cap))
	}
	if z.Reclaimed > 0 {
		fmt.Fprintf(e.out, "%s of %d reclaimed\n", count(int(z.Reclaimed), "edit"), z.Edits)
	}
}
