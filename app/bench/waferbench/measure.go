package main

import (
	"encoding/json"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"waferpair/app/bench"
)

// all is the argument that selects every measurement.
const all = "all"

func measureCommand(w *with) *cobra.Command {
	var quick bool
	var edits int
	var window string
	names := []cobra.Completion{all, bench.UI}
	long := `Waferbench measures what the README quotes, on this computer, with the real
waferpair beside it. 'waferbench faults' attacks it. The measurements:
`
	for _, b := range bench.All() {
		names = append(names, b.Name)
		long += fmt.Sprintf("\n  %-12s %s", b.Name, b.Help)
	}
	long += "\n\nThe name ui stands for all of the window, and all for everything, which takes\nabout an hour. " +
		"growth alone takes about 15 minutes and 1.5 GB; --edits makes it\nsmaller. " +
		"Ctrl-C ends a measurement and removes its folder."
	c := &cobra.Command{
		Use:   "waferbench NAME...",
		Short: "Measure and attack Waferpair from outside",
		Long:  long,
		Example: `  waferbench all
  waferbench growth --dir /mnt/scratch
  waferbench growth --edits 100000
  waferbench ui --window .cache/e2e/waferpair
  waferbench faults --runs 30`,
		ValidArgs:     names,
		Args:          cobra.OnlyValidArgs,
		SilenceErrors: true,
		SilenceUsage:  true,
		RunE: func(cmd *cobra.Command, words []string) error {
			if len(words) == 0 {
				return cmd.Help()
			}
			if words[0] == all {
				words = nil
			}
			if cmd.Flags().Changed("edits") && edits < 1000 {
				return fmt.Errorf("--edits %d: growth needs at least 1000", edits)
			}
			program, err := w.waferpair()
			if err != nil {
				return err
			}
			if !w.json {
				fmt.Printf("%-11s %-66s %12s %14s\n", "benchmark", "measure", "here", "promised")
			}
			met, figures := 0, 0
			err = bench.Run(cmd.Context(), words, bench.Env{Program: program, Window: window, Dir: w.dir, Quick: quick,
				Edits: edits, Log: func(s string) { fmt.Fprintf(os.Stderr, "# %s\n", s) },
				Report: func(r bench.Result) {
					if figures++; r.Meets() {
						met++
					}
					w.print(r)
				}})
			if err == nil && !w.json {
				fmt.Printf("%d of %d figures are as promised\n", met, figures)
			}
			return err
		},
	}
	c.Flags().BoolVar(&quick, "quick", false, "small sizes: to try the measurements, not to compare figures")
	c.Flags().IntVar(&edits, "edits", 0,
		"the size of growth's longer history in `edits`, with files and sessions in proportion (default 1000000)")
	c.Flags().StringVar(&window, "window", "", "the `program` whose window is measured; built with the tag e2e")
	return c
}

func (w *with) print(r bench.Result) {
	if w.json {
		_ = json.NewEncoder(os.Stdout).Encode(r)
		return
	}
	sign := "≥"
	if r.AtMost {
		sign = "≤"
	}
	mark := "ok"
	if !r.Meets() {
		mark = "MISSED"
	}
	fmt.Printf("%-11s %-66s %12s %14s  %s\n", r.Bench, r.Measure, fmt.Sprintf("%.4g %s", r.Value, r.Unit),
		fmt.Sprintf("%s %.4g", sign, r.Bound), mark)
	if r.Note != "" {
		fmt.Printf("%12s%s\n", "", r.Note)
	}
}
