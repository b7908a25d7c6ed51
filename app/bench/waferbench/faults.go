package main

import (
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"waferpair/app/bench/faults"
)

func faultsCommand(w *with) *cobra.Command {
	o := faults.Options{Runs: 300}
	var by string
	c := &cobra.Command{
		Use:   "faults [flags]",
		Short: "Fill disks, pull them, kill the program, cut the power: nothing may be lost",
		Long: `faults drives the real program while its disks fill up, become read-only, go away
and come back, while another folder is put in the place of the project, files are
immutable, other programs write and the process is killed; and it rebuilds what a
power cut may leave of the recorded writes of a run. What was acknowledged must
be there afterwards, byte for byte; what failed has not happened.

All of it is tried twice: with the program alone, and with commands and servers
that attach to another process of the user, the owner, which is killed as well.

It mounts file systems in a mount namespace of its own, as root or in a user
namespace, so that nothing is left of them. A row that this computer cannot try
says why. Exit status 1 says that something was lost or is wrong; the seed of
such a run comes with it.

The rows: ` + strings.Join(faults.Names(), ", ") + `.`,
		Example: `  waferbench faults
  waferbench faults --runs 30
  waferbench faults --by owner
  waferbench faults --only history-full --seed 17 --runs 1 --by alone --verbose
  waferbench faults --json`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if !faults.IsInside() {
				status, err := faults.Inside(os.Args[1:], os.Stdout, os.Stderr)
				if err != nil {
					return err
				}
				return exitStatus(status)
			}
			path, err := w.waferpair()
			if err != nil {
				return err
			}
			o.Program, o.Dir = []string{path}, w.dir
			o.Log = func(s string) { fmt.Fprintln(os.Stderr, "#", s) }
			if o.Seed == 0 {
				o.Seed = uint64(time.Now().Unix())
			}
			if by != "" && by != "alone" && by != "owner" {
				return fmt.Errorf("--by %s: who does the work is alone or owner", by)
			}
			fmt.Fprintf(os.Stderr, "# seed %d\n", o.Seed)
			var report faults.Report
			for _, o.Owner = range []bool{false, true} {
				if by != "" && o.Owner != (by == "owner") {
					continue
				}
				some, rerr := faults.Run(cmd.Context(), o)
				report.Rows = append(report.Rows, some.Rows...)
				if err = rerr; err != nil {
					break
				}
			}
			if werr := report.Write(os.Stdout, w.json); err == nil {
				err = werr
			}
			if err == nil && !report.OK() {
				return exitStatus(1)
			}
			return err
		},
	}
	f := c.Flags()
	f.IntVar(&o.Runs, "runs", o.Runs, "how many runs, of all rows together, alone and again through the owner")
	f.StringVar(&by, "by", "", "only with the program `alone`, or only through the owner ('owner')")
	f.Uint64Var(&o.Seed, "seed", 0, "the seed of the first run of each row (default: another each time)")
	f.StringVar(&o.Only, "only", "", "only this `row`")
	f.BoolVar(&o.Verbose, "verbose", false, "say every step")
	_ = c.RegisterFlagCompletionFunc("only", func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return faults.Names(), cobra.ShellCompDirectiveNoFileComp
	})
	return c
}
