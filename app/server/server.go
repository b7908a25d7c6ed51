package server

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"time"

	"github.com/adrg/xdg"

	"waferpair/app/modelfiles"
	"waferpair/app/owner"
	"waferpair/app/providers"
	"waferpair/engine"
	"waferpair/frontend"
)

// Options configure a server.
type Options struct {
	Build      string             // of the binary; a page of another one reloads itself
	DataHome   string             // the folder of histories; the user's data directory when empty
	ConfigHome string             // the folder of preferences; the user's when empty
	StateHome  string             // the folder of the recent list; the user's when empty
	Models     *engine.Registry   // app.Models of a shelf of its own when nil
	Providers  *providers.Source  // of Models; a new one of the user's folders when nil
	Files      *modelfiles.Folder // of Models: the model files that have names; nil: there are none
	Projects   *owner.Projects    // the projects that this process has open; a new set when nil
	Native     bool               // the page is in the desktop window
	Page       fs.FS              // the built page; the one in this binary when nil
	Log        func(string)       // receives messages for the user; may be called from any goroutine
	AckWithin  time.Duration      // a page that acknowledges nothing for so long is dropped; 30 s when 0
}

// Server serves the pages of one process, and holds the project that they show.
type Server struct {
	opt   Options
	token string
	addr  string          // host:port, set by Listen
	base  context.Context // of every request
	http  *http.Server
	host  *host
}

// New returns a server without an open folder.
func New(opt Options) *Server {
	if opt.Page == nil {
		opt.Page = frontend.Page()
	}
	if opt.Projects == nil {
		opt.Projects = &owner.Projects{}
	}
	if opt.Providers == nil {
		opt.Providers = providers.New(cmp.Or(opt.ConfigHome, xdg.ConfigHome), cmp.Or(opt.StateHome, xdg.StateHome))
	}
	if opt.Log == nil {
		opt.Log = func(string) {}
	}
	if opt.AckWithin == 0 {
		opt.AckWithin = 30 * time.Second
	}
	return &Server{opt: opt, token: newToken(), host: newHost(opt)}
}

// Listen starts to serve on a loopback address: 127.0.0.1 and a free port when addr is empty.
// It returns once the port is open; ctx is the parent of every request's context.
func (s *Server) Listen(ctx context.Context, addr string) error {
	if addr == "" {
		addr = "127.0.0.1:0"
	}
	if err := loopback(addr); err != nil {
		return err
	}
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", addr)
	if err != nil {
		return fmt.Errorf("listen on %s: %w; another program may use this port, --listen 127.0.0.1:0 takes a free one", addr,
			err)
	}
	s.addr, s.base = l.Addr().String(), context.WithoutCancel(ctx) // Close ends requests: running ones complete
	s.http = &http.Server{
		Handler:           s.Handler(),
		BaseContext:       func(net.Listener) context.Context { return s.base },
		ReadHeaderTimeout: 10 * time.Second,
		ReadTimeout:       time.Minute,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    64 << 10,
	}
	go func() {
		if err := s.http.Serve(l); !errors.Is(err, http.ErrServerClosed) {
			s.opt.Log(fmt.Sprintf("the page can no longer be reached: %v", err))
		}
	}()
	return nil
}

// Handler returns the listener's handler. It checks the address: call it after Listen.
func (s *Server) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("/ws", s.private(s.serveSocket))
	s.common(mux)
	return s.local(mux)
}

// NativeHandler returns the handler for the window's own web view, which calls it in process
// and under host names of its own: it gives the page the WebSocket's address. Nobody else may
// get it.
func (s *Server) NativeHandler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /boot.json", s.serveBoot)
	s.common(mux)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.harden(w.Header(), s.addr)
		mux.ServeHTTP(w, r)
	})
}

func (s *Server) common(mux *http.ServeMux) {
	mux.Handle("/api/{read}", s.private(s.serveRead))
	mux.HandleFunc("/", s.serveAsset)
}

func (s *Server) serveBoot(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Cache-Control", "no-store")
	writeJSON(w, http.StatusOK, struct {
		WS    string `json:"ws"`
		Token string `json:"token"`
	}{s.Socket(), s.token})
}

// ctx returns a context for work that outlives its request.
func (s *Server) ctx() context.Context {
	if s.base == nil {
		return context.Background()
	}
	return s.base
}

// Token is the secret that pages need.
func (s *Server) Token() string { return s.token }

// URL opens the page in a browser. The token is in the fragment, which browsers do not send.
func (s *Server) URL() string { return "http://" + s.addr + "/#token=" + s.token }

// Open opens a project folder and waits until it is compared with its history and watched.
// Pages show it earlier.
func (s *Server) Open(ctx context.Context, root string) error {
	if err := s.host.open(ctx, root); err != nil {
		return err
	}
	o, done, err := s.host.use()
	if err != nil {
		return err
	}
	defer done()
	err = o.Ready(ctx)
	<-o.watched
	return err
}

// Socket returns the URL of the WebSocket.
func (s *Server) Socket() string { return "ws://" + s.addr + "/ws" }

// Root returns the open project folder, or "".
func (s *Server) Root() string {
	if o := s.host.current(); o != nil {
		return o.Root()
	}
	return ""
}

// Close drops the pages, stops running turns (their edits stay), saves and closes the project.
func (s *Server) Close() error {
	s.host.lastKeys()
	s.host.dropPages()
	var err error
	if s.http != nil {
		err = s.http.Close()
	}
	return errors.Join(err, s.host.close())
}

// writeJSON answers with one JSON value.
func writeJSON(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(v) // the reader may be gone
}
