package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/adrg/xdg"
	"github.com/spf13/cobra"

	"waferpair/app/owner"
	"waferpair/app/server"
	"waferpair/app/window"
	"waferpair/frontend"
	"waferpair/history"
)

// openWindow is waferpair without a subcommand.
func (e *env) openWindow(cmd *cobra.Command, args []string) error {
	folder, err := e.namedFolder(cmd, args)
	if err != nil {
		return err
	}
	folder = e.startFolder(folder)
	if r, ok := e.around().(remote); ok {
		return e.process.raise(r.file(folder))
	}
	raised, no := e.raised(cmd.Context(), folder)
	if raised {
		return nil
	}
	gpu, err := window.ParseGPU(os.Getenv(window.GPUVariable))
	if err != nil {
		return usageError("%w", err)
	}
	if err := e.usable(gpu); err != nil {
		fmt.Fprintf(e.err, "waferpair: no window can be opened: %s; serving the page for a browser instead\n", err)
		return e.serve(cmd.Context(), serveFlags{listen: "127.0.0.1:0", folder: folder})
	}
	if no := e.refusedBy(no); no != nil {
		e.noteReadOnly(no)
	}
	return e.showWindow(cmd.Context(), folder, gpu)
}

// usable returns why there can be no window. A build without the window replaces this
// process with the program that has it, and returns only when that fails.
func (e *env) usable(gpu window.GPU) error {
	if window.Here {
		return window.Usable(gpu)
	}
	if err := window.Display(); err != nil {
		return err
	}
	path, err := windowProgram()
	if err != nil {
		return fmt.Errorf("%w (%s)", err, advice(err))
	}
	if olderThanThis(path) {
		fmt.Fprintf(e.err, "waferpair: the window is older than this program: %s; 'make build' builds both\n", clean(path))
	}
	err = syscall.Exec(path, append([]string{"waferpair"}, e.args...), os.Environ())
	return &os.PathError{Op: "start", Path: path, Err: err}
}

// showWindow runs the window and its server. The folder opens while GTK starts.
func (e *env) showWindow(ctx context.Context, folder string, gpu window.GPU) error {
	say := func(s string) { fmt.Fprintf(e.err, "waferpair: %s\n", clean(s)) }
	s := server.New(server.Options{Build: Version, Models: e.models, Providers: e.providers, Files: e.files,
		Projects: &e.desk().Projects, Native: true, Log: say})
	if err := s.Listen(ctx, ""); err != nil {
		return err
	}
	e.desk().Stay(ctx)
	raise := make(chan struct{}, 1)
	e.window.Store(&shownWindow{server: s, raise: raise})
	icon, err := fs.ReadFile(frontend.Page(), "icon.svg")
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return window.Run(ctx, window.Options{
		Handler: s.Start(ctx, folder),
		Close:   func(context.Context) error { return s.Close() },
		State:   filepath.Join(xdg.StateHome, "waferpair", "window.json"),
		GPU:     gpu,
		Near:    func() string { return beside(s.Root()) },
		Icon:    icon,
		Raise:   raise,
		Errors:  func(err error) { say(err.Error()) },
	})
}

// shownWindow is the window of this process.
type shownWindow struct {
	server *server.Server
	raise  chan<- struct{}
}

// errNoWindow tells a client to open a window of its own.
var errNoWindow = &codeError{code: exitFailed, err: errors.New("no window shows this folder"), quiet: true}

// raised raises the window that already shows a folder, if another process has one; the error
// says why that cannot be asked. A window is a process of its own, because Wails has one in
// each; others find its project as any project.
func (e *env) raised(ctx context.Context, folder string) (bool, error) {
	if folder == "" {
		return false, nil
	}
	addr := history.Reach(history.Dir(xdg.DataHome, owner.Root(folder)))
	if addr == "" {
		return false, nil
	}
	e.dir = folder
	c := e.command()
	c.Args, c.Reads = []string{folder}, true
	code, err := owner.Attach(ctx, addr, Version, c, owner.Streams{In: e.in, Out: io.Discard, Err: io.Discard})
	return err == nil && code == exitDone, err
}

// raise raises this process's window if it shows the folder.
func (e *env) raise(folder string) error {
	w := e.window.Load()
	if w == nil || w.server.Root() != owner.Root(folder) {
		return errNoWindow
	}
	select {
	case w.raise <- struct{}{}:
	default: // it is about to appear
	}
	return nil
}

// beside returns the parent of a project's folder; "" when there is no project, or it is gone.
func beside(root string) string {
	if _, err := os.Stat(filepath.Dir(root)); root == "" || err != nil {
		return ""
	}
	return filepath.Dir(root)
}

// namedFolder returns the folder that the user named, as an argument or with -C; "" when there
// is none.
func (e *env) namedFolder(cmd *cobra.Command, args []string) (string, error) {
	if len(args) == 0 {
		if !cmd.Flags().Changed("directory") {
			return "", nil
		}
		args = []string{e.dir}
	}
	st, err := os.Stat(args[0])
	switch {
	case err != nil:
		return "", usageError("open %s: %w; name the folder of your project", args[0], errors.Unwrap(err))
	case !st.IsDir():
		return "", usageError("open %s: it is a file; name the folder of your project", args[0])
	}
	return filepath.Abs(args[0])
}

// startFolder returns the folder to open if the user named none; "" is the start page.
func (e *env) startFolder(named string) string {
	if named != "" {
		return named
	}
	here, err := os.Getwd()
	if err != nil {
		return ""
	}
	return projectAround(here, xdg.Home, opened(xdg.DataHome))
}

// folderOrCommand allows one argument that exists in the file system; a mistyped command gets
// the nearest ones in its error.
func folderOrCommand(cmd *cobra.Command, args []string) error {
	if len(args) > 1 {
		return usageError("a window shows one folder, not %d; run waferpair once for each", len(args))
	}
	if len(args) == 0 || strings.ContainsRune(args[0], filepath.Separator) {
		return nil
	}
	if _, err := os.Lstat(args[0]); err == nil {
		return nil
	}
	return noUnknown(cmd, args)
}
