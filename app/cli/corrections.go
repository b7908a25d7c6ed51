package cli

import (
	"fmt"
	"io"

	"github.com/adrg/xdg"
	"github.com/spf13/cobra"

	"waferpair/app/corrections"
)

func correctionsCommand(e *env) *cobra.Command {
	return group("corrections", "Keep what you meant where the built-in model did not know, on this computer",
		`Where the built-in model is not sure, it lists what may be meant; where it does
something else, you revert it and ask in other words. With 'corrections on', the request and
what was meant are kept in a file of yours, for all projects. Nothing is sent anywhere.`,
		correctionsSwitch("on", "Keep corrections from now on", true, e),
		correctionsSwitch("off", "Keep no more corrections; those that are kept stay", false, e),
		correctionsShow(e), correctionsExport(e), correctionsDelete(e))
}

func box() corrections.Box { return corrections.In(xdg.StateHome) }

func correctionsSwitch(name, short string, on bool, e *env) *cobra.Command {
	return &cobra.Command{Use: name, Short: short, Args: args(cobra.NoArgs),
		RunE: func(*cobra.Command, []string) error {
			if err := box().Switch(on); err != nil {
				return fmt.Errorf("corrections %s: %w", name, err)
			}
			return e.sayCorrections(0)
		}}
}

// sayCorrections says whether corrections are kept.
func (e *env) sayCorrections(n int) error {
	switch on := box().On(); {
	case e.json:
		jsonOut(e.out, map[string]any{"kept": on, "file": box().File()})
	case on:
		fmt.Fprintf(e.out, "corrections are kept in %s\n", clean(box().File()))
	case n == 0:
		fmt.Fprintln(e.out, "corrections are not kept; 'waferpair corrections on' keeps them on this computer")
	default:
		fmt.Fprintln(e.out, "no more corrections are kept")
	}
	return nil
}

func correctionsShow(e *env) *cobra.Command {
	return &cobra.Command{Use: "show", Short: "Show the corrections, newest last", Args: args(cobra.NoArgs),
		RunE: func(*cobra.Command, []string) error {
			all, err := box().All()
			if err != nil {
				return err
			}
			for _, c := range all {
				if e.json {
					jsonOut(e.out, c)
					continue
				}
				fmt.Fprintf(e.out, "%s  %s\n  %s  %s\n", c.Time.In(e.around().zone()).Format("2006-01-02 15:04"),
					clean(c.Request), c.How, clean(c.Meant))
			}
			if e.json {
				return nil
			}
			return e.sayCorrections(len(all))
		}}
}

func correctionsExport(e *env) *cobra.Command {
	return &cobra.Command{Use: "export [FILE]", Short: "Write the corrections as JSON lines (default: standard output)",
		Args: args(cobra.MaximumNArgs(1)),
		RunE: func(_ *cobra.Command, words []string) error {
			body, err := box().Lines()
			if err != nil {
				return err
			}
			file := "-"
			if len(words) > 0 {
				file = words[0]
			}
			return e.writeFile("export", file, func(w io.Writer) error {
				_, err := w.Write(body)
				return err
			})
		}}
}

func correctionsDelete(e *env) *cobra.Command {
	return &cobra.Command{Use: "delete", Short: "Delete the corrections", Args: args(cobra.NoArgs),
		RunE: func(*cobra.Command, []string) error {
			if err := box().Delete(); err != nil {
				return err
			}
			if !e.json {
				fmt.Fprintln(e.out, "the corrections are deleted")
			}
			return nil
		}}
}
