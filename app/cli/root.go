// Package cli is the command line. Its names, flags, exit codes and JSON are a contract that
// scripts rely on (see the table in the README); each command is a thin layer over package app
// without logic of its own.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"

	"github.com/adrg/xdg"
	"github.com/spf13/cobra"

	"waferpair/app"
	"waferpair/app/modelfiles"
	"waferpair/app/owner"
	"waferpair/app/providers"
	"waferpair/engine"
	"waferpair/engine/local"
)

// Version is set by the linker.
var Version = "dev"

// Exit codes: the contract of every command.
const (
	exitDone     = 0
	exitFailed   = 1
	exitUsage    = 2
	exitBeyond   = 3 // the request is beyond the model, was held for approval, or there is a question
	exitConflict = 4
)

// codeError is an error with an exit code. A quiet one has already been reported.
type codeError struct {
	code  int
	err   error
	quiet bool
}

func (e *codeError) Error() string { return e.err.Error() }
func (e *codeError) Unwrap() error { return e.err }

func usageError(format string, args ...any) error {
	return &codeError{code: exitUsage, err: fmt.Errorf(format, args...)}
}

// env is the environment of a command: streams, the parts of the calling process that it
// depends on, and global flags.
type env struct {
	in       io.Reader
	out, err io.Writer
	outer    outer             // nil: this process; see around
	self     *owner.Self       // this process among the user's; created on demand, see desk
	args     []string          // the command line
	read     map[string][]byte // files that were read completely; "-" is standard input
	path     string            // of the command, as "waferpair edit"
	dir      string            // the project's folder; see locate
	named    bool              // by -C
	located  bool              // by locate
	below    string            // the working folder within the project, if the project is above it
	json     bool
	noColor  bool

	useFolder bool
	models    *engine.Registry   // created once, here
	providers *providers.Source  // likewise
	files     *modelfiles.Folder // likewise

	waiting atomic.Pointer[waiting]     // the turn that the command waits for, if any
	window  atomic.Pointer[shownWindow] // of this process, if it has one
	process *env                        // the process that runs a client's command
}

// Main runs the command line and returns the exit code.
func Main(args []string) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	context.AfterFunc(ctx, stop) // a second signal ends the process at once
	surviveClosedPipe()
	e := &env{in: os.Stdin, out: os.Stdout, err: os.Stderr, providers: providers.New(xdg.ConfigHome, xdg.StateHome)}
	shelf := &local.Shelf{Settings: e.fileSettings}
	e.files = modelfiles.In(xdg.DataHome, xdg.StateHome, shelf)
	e.providers.Local = e.fileSpeed
	e.models = app.Models(shelf).With(e.providers).WithNamed(e.files)
	defer e.providers.Close()
	defer shelf.Close()
	code := e.run(ctx, args)
	e.waitForOthers(ctx)
	return code
}

// run runs a command line and returns its exit code.
func (e *env) run(ctx context.Context, args []string) int {
	e.args = args
	if e.read == nil {
		e.read = map[string][]byte{}
	}
	out := &output{Writer: e.out}
	e.out = out
	root := newRoot(e)
	root.SetArgs(args)
	if code := e.report(root.ExecuteContext(ctx)); code != exitDone {
		return code
	}
	return e.report(out.lost())
}

// surviveClosedPipe keeps a reader that has seen enough ('waferpair edit ... | head') from
// killing a turn: writes then fail, and are ignored. Notify, not Ignore: programs that we
// start would inherit that.
func surviveClosedPipe() { signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE) }

// report prints an error and returns its exit code.
func (e *env) report(err error) int {
	if err == nil {
		return exitDone
	}
	code := exitFailed
	var ce *codeError
	if errors.As(err, &ce) {
		code = ce.code
		if ce.quiet {
			return code
		}
	}
	fmt.Fprintf(e.err, "waferpair: %s\n", clean(err.Error()))
	return code
}

func newRoot(e *env) *cobra.Command {
	root := &cobra.Command{
		Use:   "waferpair [FOLDER]",
		Short: "A pair programmer whose edits stream, are all kept, and can each be reverted",
		Long: `waferpair edits the files of a project folder on request. Edits stream by as they
are made; every one is kept, so that any file can be read as it was at any
moment and any single edit can be reverted, even below later ones.

Without a command it opens the window on FOLDER. Without FOLDER it opens the
project that the current folder is in: the nearest folder above it (or itself)
that was opened before or is a git repository, your home folder left aside;
when there is none, the window begins with your recent projects. Where there is
no display, or this build has no window, it says so and does as 'waferpair serve'.
A FOLDER with the name of a command is written ./NAME. A window that shows the
folder already comes to the front instead.

A command finds its project in the same way, and says which one it is when that
is not the current folder, which it takes where there is none. Files that you
name are looked for from the current folder, patterns (--scope), and what a request or
a patch names, from the project's.

Commands work on a project that a window, 'serve' or another command has open:
the process that has it does what they ask for, and they end as if they were
alone. 'waferpair doctor' says which process that is.

WAFERPAIR_GPU=never|ondemand|always says when the window may draw with the
graphics card; the default, never, is the fastest where drivers are missing.`,
		Example: `  waferpair ~/src/shop
  waferpair edit "rename parseConfig to loadConfig everywhere"
  waferpair history list
  waferpair history revert 12`,
		Version:       Version,
		SilenceErrors: true,
		SilenceUsage:  true,

		PersistentPreRun: func(cmd *cobra.Command, _ []string) {
			e.path, e.named = cmd.CommandPath(), cmd.Flags().Changed("directory")
		},
		Args: folderOrCommand,
		RunE: e.openWindow,
	}
	root.SetIn(e.in)
	root.SetOut(e.out)
	root.SetErr(e.err)
	root.PersistentFlags().StringVarP(&e.dir, "directory", "C", ".",
		"project `folder` (default: the project that this folder is in, or else this folder)")
	root.PersistentFlags().Lookup("directory").DefValue = "" // the help text says it
	root.PersistentFlags().BoolVar(&e.json, "json", false, "print one JSON object per line")
	root.PersistentFlags().BoolVar(&e.noColor, "no-color", false, "plain text, also on a terminal")
	root.PersistentFlags().BoolVar(&e.useFolder, "use-folder", false,
		"use this folder for the project even if it is not the one from before")
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return usageError("%w; see '%s --help'", plainly(err), cmd.CommandPath())
	})
	root.AddCommand(editCommand(e), askCommand(e), contextCommand(e), reviewCommand(e), commitMessageCommand(e),
		readyCommand(e), applyCommand(e), historyCommand(e), sessionsCommand(e), correctionsCommand(e), modelsCommand(e),
		serveCommand(e), generateCommand(e), waferCommand(e), benchCommand(e), doctorCommand(e))
	return root
}

// plainly says what is wrong with a number in words, not as Go's library does.
func plainly(err error) error {
	no := (*strconv.NumError)(nil)
	if !errors.As(err, &no) {
		return err
	}
	what := "it is no number"
	if errors.Is(no.Err, strconv.ErrRange) {
		what = "the number is too large"
		if strings.HasPrefix(no.Num, "-") {
			what = "the number is too small"
		}
	}
	before, _, _ := strings.Cut(err.Error(), ": strconv.")
	return fmt.Errorf("%s: %s", before, what)
}

// noUnknown refuses unknown subcommands, and names the nearest ones.
func noUnknown(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	cmd.SuggestionsMinimumDistance = 2
	msg := fmt.Sprintf("unknown command %q for '%s'", args[0], cmd.CommandPath())
	if near := cmd.SuggestionsFor(args[0]); len(near) > 0 {
		msg += fmt.Sprintf("; did you mean '%s'?", strings.Join(near, "' or '"))
	}
	return usageError("%s; see '%s --help'", msg, cmd.CommandPath())
}

// args turns cobra's argument errors into usage errors.
func args(check cobra.PositionalArgs) cobra.PositionalArgs {
	return func(cmd *cobra.Command, a []string) error {
		if err := check(cmd, a); err != nil {
			return usageError("%w; usage: %s; see '%s --help'", err, cmd.UseLine(), cmd.CommandPath())
		}
		return nil
	}
}

// group returns a command that only has subcommands.
func group(use, short, long string, subs ...*cobra.Command) *cobra.Command {
	c := &cobra.Command{Use: use, Short: short, Long: long, Args: noUnknown,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() }}
	c.AddCommand(subs...)
	return c
}

// color reports whether w is a terminal that should see colours.
func (e *env) color(w io.Writer) bool {
	if e.noColor || e.around().getenv("NO_COLOR") != "" || e.around().getenv("TERM") == "dumb" {
		return false
	}
	return e.isTerminal(w)
}

func (e *env) isTerminal(w any) bool { return e.around().isTerminal(e, w) }
