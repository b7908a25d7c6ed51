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

	"waferpair/app/server"
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
everything typed is saved. While another waferpair has the project open, this
one shows it and changes nothing.

With --json the first line is {"ui":URL,"token":TOKEN,"project":FOLDER}; each
line after it is a notice.`,
		Example: `  waferpair serve -C ~/src/shop
  waferpair serve --open
  waferpair serve --listen 127.0.0.1:8080 --json`,
		Args: args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			f.folder = e.dir
			return e.serve(cmd.Context(), f)
		},
	}
	c.Flags().StringVar(&f.listen, "listen", "127.0.0.1:0", "loopback `address` to listen on; port 0 takes a free one")
	c.Flags().BoolVar(&f.open, "open", false, "open the page in the browser")
	c.Flags().StringVar(&f.page, "page", "", "show the page built in this `folder` (for its development)")
	_ = c.Flags().MarkHidden("page")
	return c
}

// serve shows the project to browsers until ctx ends.
func (e *env) serve(ctx context.Context, f serveFlags) (err error) {
	log := &serveLog{env: e}
	opt := server.Options{Build: Version, Models: e.models, Projects: &e.desk().Projects, Log: log.notice}
	if f.page != "" {
		opt.Page = os.DirFS(f.page)
	}
	s := server.New(opt)
	if err := s.Listen(ctx, f.listen); errors.Is(err, server.ErrAddress) {
		return usageError("%w", err)
	} else if err != nil {
		return err
	}
	e.desk().Stay(ctx)
	defer func() { err = errors.Join(err, s.Close()) }()
	if f.folder != "" {
		if err := s.Open(ctx, f.folder); err != nil {
			return classify(err)
		}
	}
	log.started(s)
	if f.open {
		done, err := openBrowser(ctx, s.URL())
		defer done()
		if err != nil {
			log.notice(fmt.Sprintf("the browser could not be started: %v; open the address yourself", err))
		}
	}
	<-ctx.Done()
	log.stopped()
	return nil
}

// serveLog prints what the server has to say, from any goroutine.
type serveLog struct {
	env *env
	mu  sync.Mutex
	up  bool
	was []string // before the first line, which is the address
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

// openBrowser opens an address in the user's browser. Everybody on this
// computer can see the arguments of programs, and the address holds the token:
// so the browser is given a file that leads there, which only the user can read.
func openBrowser(ctx context.Context, url string) (done func(), err error) {
	dir, err := os.MkdirTemp("", "waferpair-")
	if err != nil {
		return func() {}, err
	}
	done = func() { os.RemoveAll(dir) }
	name := filepath.Join(dir, "open.html")
	page := fmt.Sprintf("<!doctype html><title>Waferpair</title><meta http-equiv=refresh content=\"0;url=%s\">", html.EscapeString(url))
	if err := os.WriteFile(name, []byte(page), 0o600); err != nil {
		return done, err
	}
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	return done, exec.CommandContext(ctx, "xdg-open", name).Run()
}
