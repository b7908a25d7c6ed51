package fake

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/coder/websocket"
)

// socket is one WebSocket: a reader that queues what arrives, and one response after the other.
//
//	reader -> queue (64 frames) -> create: check, chain, script, events
//	   '- the client leaves: ctx ends, and the response with it
type socket struct {
	s      *Server
	conn   *websocket.Conn
	below  *serverConn
	header http.Header
	cache  cache
	opened time.Time
	binary bool // the next event goes out as a binary frame
	ctx    context.Context
}

const maxFrame = 64 << 20

func (s *Server) upgradeSocket(w http.ResponseWriter, q *http.Request, r *Request) *apiError {
	s.mu.Lock()
	status := s.upgrade
	s.mu.Unlock()
	if status == 0 && !s.Caps.WebSocket {
		status = max(s.Caps.Upgrade, http.StatusNotFound)
	}
	if status != 0 {
		return &apiError{status: status, message: "WebSocket upgrades are not supported for this endpoint."}
	}
	s.keep(r)
	opened := s.Clock.Now()
	conn, err := websocket.Accept(w, q, nil)
	if err != nil {
		return nil // Accept has answered
	}
	conn.SetReadLimit(maxFrame)
	ctx, cancel := context.WithCancel(context.WithoutCancel(q.Context()))
	defer cancel()
	k := &socket{s: s, conn: conn, header: q.Header.Clone(), cache: cache{}, opened: opened, ctx: ctx}
	k.below, _ = q.Context().Value(connKey{}).(*serverConn)
	k.serve(cancel)
	return nil
}

func (k *socket) serve(cancel context.CancelFunc) {
	queue := make(chan []byte, 64)
	go func() {
		defer close(queue)
		defer cancel()
		for {
			_, b, err := k.conn.Read(k.ctx)
			if err != nil {
				return
			}
			select {
			case queue <- b:
			case <-k.ctx.Done():
				return
			}
		}
	}()
	for b := range queue {
		if err := k.handle(b); err != nil {
			break
		}
	}
	_ = k.conn.CloseNow() // it may have ended before
}

// handle answers one frame. An error ends the socket.
func (k *socket) handle(b []byte) error {
	r := &Request{Wire: "ws", Method: "WS", Path: "/v1/responses", Header: k.header, Body: b, ended: make(chan struct{})}
	if k.below != nil {
		r.Conn = k.below.n
	}
	e, err := k.create(r)
	if e != nil {
		k.cache.evict(r)
		r.answered(e)
		k.s.keep(r)
		if err = k.event("error", encode(e.frame(r.Lane))); err == nil && e.closes {
			err = errDied
		}
	}
	r.end(k.ctx.Err() != nil)
	if errors.Is(err, errFailed) {
		return nil
	}
	return err
}

func (k *socket) create(r *Request) (*apiError, error) {
	if e := k.check(r); e != nil {
		return e, nil
	}
	a := k.s.ask(r)
	if a.Fault.Kind == Refuse || a.Fault.Kind == NoStatus {
		return refusal(a.Fault), nil
	}
	k.binary = a.Fault.Kind == BinaryFrame
	return nil, k.s.speak(k.ctx, r, a, k, k.cache)
}

func (k *socket) check(r *Request) *apiError {
	if e := r.parse(); e != nil {
		return e
	}
	if lane, ok := r.Params["stream_id"]; ok {
		if !laneName.MatchString(asString(lane)) {
			return bad("stream_id", "invalid_stream_id", "The 'stream_id' field must be a non-empty string with at most 256 "+
				"characters and may only contain letters, numbers, underscores, hyphens, and periods.")
		}
		r.Lane = asString(lane)
	}
	if kind := asString(r.Params["type"]); kind != "response.create" {
		return bad("type", "invalid_value", "Invalid value: '%s'. Supported values are: 'response.create'.", kind)
	}
	if age := k.s.Clock.Now().Sub(k.opened); age >= k.maxAge() {
		return &apiError{status: 400, code: "websocket_connection_limit_reached", closes: true, message: "Responses " +
			"websocket connection limit reached (60 minutes). Create a new websocket connection to continue."}
	}
	if e := k.s.authorize(k.header); e != nil {
		return e
	}
	return k.s.prepare(r, k.cache)
}

func (k *socket) maxAge() time.Duration {
	if k.s.Caps.MaxAge > 0 {
		return k.s.Caps.MaxAge
	}
	return time.Hour
}

func (k *socket) event(_ string, data []byte) error {
	kind := websocket.MessageText
	if k.binary {
		kind, k.binary = websocket.MessageBinary, false
	}
	return k.conn.Write(k.ctx, kind, data)
}

// raw writes below the frames. A cut event begins like a frame that would hold all of it.
func (k *socket) raw(b []byte) error {
	if k.below == nil {
		return errDied
	}
	if !bytes.HasPrefix(b, []byte{0xff}) {
		b = append([]byte{0x81, 127, 0, 0, 0, 0, 0, 0, 0xff, 0xff}, b...)
	}
	_, err := k.below.Write(b)
	return err
}

func (k *socket) die(reset bool) {
	if k.below != nil {
		cut(k.below, reset)
	}
	_ = k.conn.CloseNow() // it may have ended before
}
