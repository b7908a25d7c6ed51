package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/adrg/xdg"
	"github.com/spf13/cobra"

	"waferpair/app/speed"
)

func benchCommand(e *env) *cobra.Command {
	o := speed.Options{Models: e.models, Dir: filepath.Join(xdg.CacheHome, "waferpair")}
	c := &cobra.Command{
		Use:   "bench [MODEL]...",
		Short: "See how fast this computer is, and with which model",
		Long: `bench opens, edits and searches a Go project of its own, has each MODEL carry a
request out in it, and says how long that takes here: the median, and the worst.
Without MODEL it is the default one. It takes about 20 seconds (Ctrl-C stops it)
and leaves nothing behind.

What the README quotes is measured by another program, in a checkout of the
source code: 'make bench' builds and runs it.`,
		Example: `  waferpair bench
  waferpair bench spark --json
  waferpair bench --dir /mnt/other-disk`,
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
			return e.models.Names(), cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
		},
		RunE: func(cmd *cobra.Command, words []string) error {
			for _, name := range words {
				if _, err := e.models.Open(name); err != nil {
					return usageError("%w; what the README quotes is measured by 'make bench'", err)
				}
			}
			o.Names = words
			if len(words) == 0 {
				o.Names = []string{e.models.Default().Info().Name}
			}
			return e.bench(cmd.Context(), o)
		},
	}
	c.Flags().StringVar(&o.Dir, "dir", o.Dir, "work below this `folder`: the disk counts")
	c.Flags().BoolVar(&o.Quick, "quick", false,
		"a small project, each measurement once: to try the command, not to compare figures")
	return c
}

func (e *env) bench(ctx context.Context, o speed.Options) error {
	t := speedTable{e: e, v: newDiffView(e.out, e.color(e.out))}
	if !e.json {
		t.head(o)
	}
	t.wait = e.startWaiting()
	defer func() { t.wait.over() }()
	o.Report, o.Doing = t.row, func(what string) { t.wait.say(what) }
	err := speed.Measure(ctx, o)
	if errors.Is(err, speed.ErrModel) {
		return &codeError{code: exitFailed, err: err, quiet: true} // the model's row says why
	}
	if ctx.Err() != nil {
		return errors.New("stopped; nothing was left behind")
	}
	return err
}

// speedTable prints figures as they are measured.
type speedTable struct {
	e     *env
	v     *diffView
	wait  *waiting // for the next figure
	model string   // of the last figure
}

func (t *speedTable) head(o speed.Options) {
	fmt.Fprintf(t.e.out, "%s\n\n%-46s %12s %12s\n", t.v.paint(ansiBold, computer()),
		fmt.Sprintf("A Go project of %d files", o.Files()), "median", "worst")
}

func (t *speedTable) row(f speed.Figure) {
	if t.e.json {
		jsonOut(t.e.out, f)
		return
	}
	t.wait.over()
	defer func() { t.wait = t.e.startWaiting() }()
	if f.Model != t.model {
		t.model = f.Model
		fmt.Fprintf(t.e.out, "\n%s\n", t.v.paint(ansiBold, "With "+clean(f.Model)))
	}
	if f.Failed != "" {
		fmt.Fprintf(t.e.out, "  %-44s %s\n", f.Help, t.v.paint(ansiYellow, clean(f.Failed)))
		return
	}
	worst := ""
	if f.Times > 1 {
		worst = figure(f.Worst) + " " + f.Unit
	}
	fmt.Fprintf(t.e.out, "  %-44s %s %s\n", f.Help, t.v.paint(ansiGreen, fmt.Sprintf("%12s", figure(f.Value)+" "+f.Unit)),
		t.v.paint(ansiDim, fmt.Sprintf("%12s", worst)))
}

// figure formats a number with its significant digits.
func figure(v float64) string {
	switch {
	case v >= 100:
		return fmt.Sprintf("%.0f", v)
	case v >= 10:
		return fmt.Sprintf("%.1f", v)
	}
	return fmt.Sprintf("%.2f", v)
}

// computer describes this computer.
func computer() string {
	name := runtime.GOOS + "/" + runtime.GOARCH
	if b, err := os.ReadFile("/proc/cpuinfo"); err == nil { // Linux
		for line := range strings.Lines(string(b)) {
			if key, value, _ := strings.Cut(line, ":"); strings.TrimSpace(key) == "model name" {
				name += ", " + clean(strings.Join(strings.Fields(value), " "))
				break
			}
		}
	}
	return fmt.Sprintf("waferpair %s on %s, %d cores", Version, name, runtime.NumCPU())
}
