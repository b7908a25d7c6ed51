package owner

import (
	"context"
	"encoding/json"
	"net"
	"net/http"
	"os"
	"strconv"
	"sync"

	"github.com/coder/websocket"
)

// ServeHTTP answers a client: /run runs its command here.
func (s *Self) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set(headBuild, s.opt.Build)
	w.Header().Set(headPID, strconv.Itoa(os.Getpid()))
	w.Header().Set(headStays, strconv.FormatBool(s.staying()))
	switch {
	case r.URL.Path != path:
		http.NotFound(w, r)
		return
	case r.Header.Get(headBuild) != s.opt.Build:
		http.Error(w, "this is another build", http.StatusConflict)
		return
	}
	pid := 0
	if c, ok := r.Context().Value(connKey{}).(*net.UnixConn); ok {
		pid, _, _ = peer(c)
	}
	conn, err := websocket.Accept(w, r, nil)
	if err != nil {
		return // Accept has answered
	}
	conn.SetReadLimit(maxMessage)
	done := make(chan struct{})
	go func() { // not in the handler's goroutine, which would swallow panics
		defer close(done)
		s.serve(conn, pid)
	}()
	<-done
}

// serve runs one client's command to its end.
func (s *Self) serve(conn *websocket.Conn, pid int) {
	defer conn.CloseNow()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var m fromClient
	if _, data, err := conn.Read(ctx); err != nil || json.Unmarshal(data, &m) != nil || m.Cmd != "run" || m.Run == nil {
		return
	}
	out := newSender(ctx, conn)
	in := &input{sender: out, arrived: make(chan fromClient, 1)}
	working, stop := context.WithCancel(ctx)
	defer stop()
	r := &Run{Command: *m.Run, PID: pid, In: in, Out: stream{out, streamOut}, Err: stream{out, streamErr}, Cancel: stop}
	r.Began = sync.OnceFunc(func() { out.say(fromOwner{Type: "began"}) })
	if !s.enter(r) {
		return
	}
	defer s.leave(r)
	var sending sync.WaitGroup
	sending.Go(out.run)
	if path := other(r.Folders); path != "" {
		out.say(fromOwner{Type: "refused", Why: "sees another folder at " + path})
		out.close(errDone)
		sending.Wait()
		return
	}
	go listenTo(ctx, conn, out, in, func() { stop() }, func(err error) { out.close(err); cancel() })
	code := s.opt.Run(working, r)
	if r.Moved() {
		out.say(fromOwner{Type: "moved"})
	} else {
		out.say(fromOwner{Type: "exit", Code: code})
	}
	out.close(errDone)
	sending.Wait()
}

// listenTo reads the client's messages. It calls stop on request, and gone when the client
// disconnects.
func listenTo(ctx context.Context, conn *websocket.Conn, out *sender, in *input, stop func(), gone func(error)) {
	for {
		_, data, err := conn.Read(ctx)
		if err != nil {
			gone(err)
			return
		}
		var m fromClient
		if err := json.Unmarshal(data, &m); err != nil {
			gone(err)
			return
		}
		switch m.Cmd {
		case "stop":
			stop()
		case "input":
			select {
			case in.arrived <- m:
			default: // ignored
			}
		case "failed", "synced":
			out.wrote(m)
		}
	}
}
