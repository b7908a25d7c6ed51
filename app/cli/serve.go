package cli

import (
	"context"
	"errors"
	"fmt"
	"html"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"waferpair/app/owner"
	"waferpair/app/server"
	"waferpair/history"
)

type serveFlags struct {
	listen string
	open   bool
	folder string // "": none, the page begins with the recent ones
	page   string
}

func serveCommand(e *env) *cobra.Command {
	var f serveFlags
	c := &cobra.Command{
		Use: "serve [flags]", Short: "Show the window's page in a browser",
		Long: `serve opens the project and shows it in a browser: the same page as the desktop
window. It prints the address to open. The address holds a secret token that
changes with every start; whoever has it can change the project's files, so only
programs on this computer are answered at all. To use the page from another
computer, forward the port, as with 'ssh -L 8080:127.0.0.1:8080 HOST'.

It runs until Ctrl-C; then a running turn is stopped, with its edits kept, and
everything typed is saved. While a window or another 'serve' has the project
open, both show the same project, and one process works on it; when that one
ends, this one goes on with it, at another address.

With --json the first line is {"ui":URL,"token":TOKEN,"project":FOLDER}; each
line after it is a notice.`,
		Example: `  waferpair serve -C ~/src/shop
  waferpair serve --open
  waferpair serve --listen 127.0.0.1:8080 --json`,
		Args: args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			e.locate()
			f.folder = e.dir
			return e.serve(cmd.Context(), f)
		},
	}
	c.Flags().StringVar(&f.listen, "listen", "127.0.0.1:0", "loopback `address` to listen on; port 0 takes a free one")
	c.Flags().BoolVar(&f.open, "open", false, "open the page in the browser")
	c.Flags().StringVar(&f.page, "page", "", "show the page built in this `folder` (for its development)")
	_ = c.Flags().MarkHidden("page") // fails only for an unknown flag
	return c
}

// serve shows the project to browsers until ctx ends: from the process that has it open, or
// from the owner, if there is one that stays; otherwise, and when that process ends, from this
// one.
func (e *env) serve(ctx context.Context, f serveFlags) error {
	if f.folder == "" {
		return e.serveHere(ctx, f)
	}
	e.dir = f.folder
	for end := time.Now().Add(settleWithin); ; time.Sleep(10 * time.Millisecond) {
		done, err := e.serveElsewhere(ctx, f)
		if done {
			return err
		}
		if no := e.refusedBy(err); no != nil {
			e.noteReadOnly(no)
			return e.serveHere(ctx, f)
		}
		_, why := e.desk().Place()
		if why != nil || !e.attaches() || e.desk().Claim() || time.Now().After(end) {
			return e.serveHere(ctx, f)
		}
	}
}

// refusedBy returns the refusal of a process that stays; nil: there was none.
func (e *env) refusedBy(err error) *owner.RefusedError {
	var no *owner.RefusedError
	if errors.As(err, &no) && !no.Soon {
		return no
	}
	return nil
}

// noteReadOnly says why the project is read only here, and until when.
func (e *env) noteReadOnly(no *owner.RefusedError) {
	e.notify(fmt.Sprintf("waferpair: %v; until then its project is read-only here\n", no))
}

// serveElsewhere serves from another process, as long as there is one. If done is false, the
// error is the refusal of the process that has the project, if it refused.
func (e *env) serveElsewhere(ctx context.Context, f serveFlags) (done bool, err error) {
	var no error
	for _, addr := range e.others() {
		c := e.command()
		c.Args, c.Stays = f.args(e.json), true
		code, err := owner.Attach(ctx, addr, Version, c, owner.Streams{In: e.in, Out: e.out, Err: e.err})
		switch {
		case err == nil:
			return true, elsewhere(code)
		case ctx.Err() != nil:
			return true, nil
		case errors.As(err, new(*owner.LostError)):
			e.notify(fmt.Sprintf("waferpair: %v; continuing here\n", err))
		case addr == history.Reach(e.historyDir()):
			no = err
		}
	}
	return false, no
}

// args returns the command line of serve with these flags.
func (f serveFlags) args(json bool) []string {
	out := []string{"serve", "-C", f.folder, "--listen", f.listen}
	if json {
		out = append(out, "--json")
	}
	if f.open {
		out = append(out, "--open")
	}
	if f.page != "" {
		out = append(out, "--page", f.page)
	}
	return out
}

// serveHere serves from this process.
func (e *env) serveHere(ctx context.Context, f serveFlags) (err error) {
	log := &serveLog{env: e}
	opt := server.Options{Build: Version, Models: e.models, Providers: e.providers, Files: e.files,
		Projects: &e.desk().Projects, Log: log.notice}
	if f.page != "" {
		opt.Page = os.DirFS(e.around().file(f.page))
	}
	s := server.New(opt)
	if err := s.Listen(ctx, f.listen); errors.Is(err, server.ErrAddress) {
		return usageError("%w", err)
	} else if err != nil {
		return err
	}
	if _, own := e.around().(here); own {
		e.desk().Stay(ctx)
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	if f.folder != "" {
		if err := s.Open(ctx, e.around().file(f.folder)); err != nil {
			return classify(err)
		}
	}
	if r, ok := e.around().(remote); ok {
		r.run.Began()
	}
	log.started(s)
	if f.open {
		done, err := openBrowser(ctx, s.URL(), e.around().environ())
		defer done()
		if err != nil {
			log.notice(fmt.Sprintf("the browser could not be started: %v; open the address yourself", err))
		}
	}
	<-ctx.Done()
	if r, ok := e.around().(remote); !ok || !r.run.Moved() {
		log.stopped()
	}
	return nil
}

// serveLog prints the server's messages, from any goroutine.
type serveLog struct {
	env *env
	mu  sync.Mutex
	up  bool
	was []string // messages before the first line, which is the address
}

type serveJSON struct {
	UI      string `json:"ui"`
	Token   string `json:"token"`
	Project string `json:"project"`
}

type noticeJSON struct {
	Event string `json:"event"`
	Text  string `json:"text"`
}

func (l *serveLog) started(s *server.Server) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.up = true
	if l.env.json {
		jsonOut(l.env.out, serveJSON{s.URL(), s.Token(), s.Root()})
		for _, text := range l.was {
			jsonOut(l.env.out, noticeJSON{"notice", text})
		}
		return
	}
	what := s.Root()
	if what == "" {
		what = "Waferpair"
	}
	fmt.Fprintf(l.env.out, "%s is at\n\n  %s\n\nOpen it in a browser. Ctrl-C stops.\n", clean(what), s.URL())
}

func (l *serveLog) notice(text string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case !l.env.json:
		fmt.Fprintf(l.env.err, "waferpair: %s\n", clean(text))
	case l.up:
		jsonOut(l.env.out, noticeJSON{"notice", text})
	default:
		l.was = append(l.was, text)
	}
}

func (l *serveLog) stopped() {
	if !l.env.json {
		fmt.Fprintln(l.env.err, "waferpair: saving and closing")
	}
}

// openBrowser opens an address in the user's browser. All users of this computer can see the
// arguments of programs, and the address contains the token: so the browser gets a file that
// redirects there, which only the user can read.
func openBrowser(ctx context.Context, url string, environ []string) (done func(), err error) {
	dir, err := os.MkdirTemp("", "waferpair-")
	if err != nil {
		return func() {}, err
	}
	done = func() { _ = os.RemoveAll(dir) } // in the temporary folder: it is cleaned up in any case
	name := filepath.Join(dir, "open.html")
	page := fmt.Sprintf("<!doctype html><title>Waferpair</title><meta http-equiv=refresh content=\"0;url=%s\">",
		html.EscapeString(url))
	if err := os.WriteFile(name, []byte(page), 0o600); err != nil {
		return done, err
	}
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	open := exec.CommandContext(ctx, "xdg-open", name)
	open.Env = environ
	return done, open.Run()
}
