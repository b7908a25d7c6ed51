package cli

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"waferpair/app/bench"
)

func benchCommand(e *env) *cobra.Command {
	quick := false
	var dir, window string
	names := []cobra.Completion{bench.UI}
	long := "bench measures what the README quotes, on this computer. The benchmarks:\n"
	for _, b := range bench.All() {
		names = append(names, b.Name)
		long += fmt.Sprintf("\n  %-12s %s", b.Name, b.Help)
	}
	long += "\n\nThe name ui stands for all of the window."
	c := &cobra.Command{
		Use:       "bench [NAME]...",
		Short:     "Measure this computer against the figures in the README",
		Long:      long,
		ValidArgs: names,
		Args:      args(cobra.OnlyValidArgs),
		RunE: func(cmd *cobra.Command, words []string) error {
			self, err := os.Executable()
			if err != nil {
				return err
			}
			if !e.json {
				fmt.Fprintf(e.out, "%-11s %-66s %12s %14s\n", "benchmark", "measure", "here", "promised")
			}
			return bench.Run(cmd.Context(), words, bench.Env{Self: self, Window: window, Dir: dir, Quick: quick, Report: e.printResult,
				Log: func(s string) { fmt.Fprintf(e.err, "# %s\n", s) }})
		},
	}
	c.Flags().BoolVar(&quick, "quick", false, "small sizes: tries the benchmarks, measures nothing of worth")
	c.Flags().StringVar(&window, "window", "", "the `program` whose window the ui benchmark drives; built with the tag e2e")
	c.Flags().StringVar(&dir, "dir", "", "work below this `folder` (default: the system's temporary one)")
	return c
}

func (e *env) printResult(r bench.Result) {
	if e.json {
		jsonOut(e.out, r)
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
	fmt.Fprintf(e.out, "%-11s %-66s %12s %14s  %s\n", r.Bench, r.Measure, fmt.Sprintf("%.4g %s", r.Value, r.Unit), fmt.Sprintf("%s %.4g", sign, r.Bound), mark)
	if r.Note != "" {
		fmt.Fprintf(e.out, "%12s%s\n", "", r.Note)
	}
}
