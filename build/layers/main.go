// Layers shows how the files of a Go package depend on each other, so that whoever moves
// code can see whether the structure improved. It is a development tool of this repository
// and not part of the product.
//
//	load      the package with its types; what each file declares      uses.go
//	count     which file uses which declaration of which other file    uses.go
//	order     files in a row, so that few uses climb                   order.go
//	report    what climbs, layers, methods per type                    report.go
//
// A use is one file that names something another file of the package declares at package
// level: a function, method, type, field, variable or constant. Test files do not count.
// Layers counts pairs of files, however often and by however many names one file uses the
// other, and lists the names beside the pair. By that count, app has 259 uses at 107007c,
// of which 35 climb. (An earlier figure, 82 of 278, counted each folder below app as one
// more file, in an order by depth that nobody had optimised.)
//
// A use climbs when the file that uses is below the file that is used. Layers searches for
// the order in which the fewest pairs climb, so the figure depends on the code alone, and
// nobody can improve it by editing a list of files. Finding the optimal order is a hard
// problem (minimum feedback arc set); layers takes the best of many runs of a known
// heuristic, and the same at every run. Among orders with as many climbing pairs, it
// prefers the fewest climbing names. Where no pair needs to climb, none does.
//
// The layers follow from that order: a file is one layer above the highest file that it
// uses, not counting the uses that climb.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"
)

func main() {
	if err := command().Execute(); err != nil {
		fmt.Fprintln(os.Stderr, "layers:", err)
		os.Exit(1)
	}
}

type options struct {
	dir          string // the folder in which packages are searched
	json         bool
	names, files bool
	max          int // limit of climbing pairs; below 0: none
}

func command() *cobra.Command {
	var o options
	c := &cobra.Command{
		Use:   "layers [flags] [PACKAGE]...",
		Short: "Show how the files of a package rest on each other, and which uses climb",
		Long: `layers reads Go packages (./app when none is named), takes every use of one
file's declarations by another file of the same package, puts the files in the
order in which the fewest uses climb from a lower file to a higher one, and prints
how many there are and which. Test files do not count.`,
		Example: `  layers
  layers ./app ./history
  layers --names ./app           with the names that the lower file uses
  layers --files ./app           with every layer and its files
  layers --json ./app/... | jq '{package, pairs, climbing}'
  layers --max 15 ./app          exit status 1 when more than 15 climb`,
		SilenceErrors: true,
		SilenceUsage:  true,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				args = []string{"./app"}
			}
			return run(cmd.Context(), cmd.OutOrStdout(), o, args)
		},
	}
	f := c.Flags()
	f.StringVarP(&o.dir, "dir", "C", ".", "the folder in which the packages are looked for")
	f.BoolVar(&o.json, "json", false, "print one JSON object for each package")
	f.BoolVar(&o.names, "names", false, "with each use that climbs, the names that are used")
	f.BoolVar(&o.files, "files", false, "print every layer and its files")
	f.IntVar(&o.max, "max", -1, "fail when more pairs of files than this climb")
	return c
}

func run(ctx context.Context, w io.Writer, o options, patterns []string) error {
	packages, err := load(ctx, o.dir, patterns)
	if err != nil {
		return err
	}
	var failed error
	for _, p := range packages {
		r := report(p)
		if o.json {
			err = json.NewEncoder(w).Encode(r)
		} else {
			err = r.print(w, o)
		}
		if err != nil {
			return err
		}
		if o.max >= 0 && len(r.Climbing) > o.max {
			failed = errors.Join(failed, fmt.Errorf("%s: %d uses climb, more than %d", r.Package, len(r.Climbing), o.max))
		}
	}
	return failed
}
