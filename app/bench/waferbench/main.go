// Waferbench runs the benchmarks and fault injection that are not part of the product. It
// drives the real program from outside.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"github.com/spf13/cobra"

	"waferpair/app/bench"
	"waferpair/workspace/stress"
)

func main() {
	stress.Child() // these return at once unless a benchmark started this process
	bench.Child()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := newRoot().ExecuteContext(ctx)
	stop()
	var status exitStatus
	switch {
	case errors.As(err, &status):
		os.Exit(int(status))
	case err != nil:
		fmt.Fprintln(os.Stderr, "waferbench:", err)
		os.Exit(1)
	}
}

// exitStatus ends the program with a status and without a message.
type exitStatus int

func (s exitStatus) Error() string { return fmt.Sprintf("exit status %d", int(s)) }

// with holds the settings of every command.
type with struct {
	program string // the waferpair to measure
	dir     string
	json    bool
}

func newRoot() *cobra.Command {
	w := &with{}
	root := measureCommand(w)
	self, _ := os.Executable()
	f := root.PersistentFlags()
	f.StringVar(&w.program, "program", filepath.Join(filepath.Dir(self), "waferpair"), "the waferpair to try")
	f.StringVar(&w.dir, "dir", "", "work below this `folder` (default: the system's temporary one)")
	f.BoolVar(&w.json, "json", false, "print one JSON object per line")
	root.AddCommand(faultsCommand(w), providerCommand())
	return root
}

// waferpair returns the path of the program to measure, which must exist.
func (w *with) waferpair() (string, error) {
	path, err := filepath.Abs(w.program)
	if err != nil {
		return "", err
	}
	if _, err := os.Stat(path); err != nil {
		return "", fmt.Errorf("%w; build it with 'make build', or name another with --program", err)
	}
	return path, nil
}
