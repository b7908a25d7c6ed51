package client

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"sync/atomic"
	"syscall"
	"time"

	"waferpair/engine/responses"
	"waferpair/engine/responses/chat"
)

// errNoSockets means that the server has no WebSockets.
var errNoSockets = errors.New("the server has no WebSockets")

// idleBefore is how long a socket may be idle before it is asked whether it lives.
const idleBefore = 30 * time.Second

// socket is a WebSocket to the provider. One goroutine uses it at a time.
type socket struct {
	conn   *frames
	born   time.Time
	chain  chain
	buffer bytes.Buffer
	parked chan error // the read that began while nobody waited for an answer; nil: none
	dead   atomic.Bool
	used   time.Time // when it was last known to live
}

// dial connects a socket. errNoSockets means that HTTP serves; from then on, if the server or
// a proxy on the way will not change its mind.
func (c *Client) dial(ctx context.Context) (*socket, error) {
	limited, cancel := context.WithTimeout(ctx, 15*time.Second)
	defer cancel()
	req, err := c.chat.Request(limited, http.MethodGet, "/responses", nil)
	if err != nil {
		return nil, err
	}
	conn, r, err := upgraded(c.chat.HTTP(), req)
	switch {
	case err == nil:
		now := time.Now()
		return &socket{conn: conn, born: now, used: now}, nil
	case limited.Err() != nil && ctx.Err() == nil: // a proxy that swallows handshakes
		c.refused.Store(true)
		return nil, errNoSockets
	case r == nil && broke(err): // a server, or a proxy, that closes what it does not understand
		return nil, errNoSockets
	case r == nil:
		return nil, c.chat.NetError(err)
	case r.StatusCode == http.StatusUnauthorized || r.StatusCode == http.StatusTooManyRequests:
		return nil, c.chat.Hide(c.chat.StatusError(r))
	}
	c.refused.Store(r.StatusCode != http.StatusForbidden && r.StatusCode < 500)
	return nil, errNoSockets
}

// broke reports whether a connection was made, and broke off.
func broke(err error) bool {
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, syscall.ECONNRESET)
}

func (s *socket) close() { _ = s.conn.conn.Close() } // cutting is closing; nothing is lost

// usable reports whether a response can begin on an idle socket.
func (s *socket) usable(most time.Duration) bool {
	return !s.dead.Load() && len(s.parked) == 0 && time.Since(s.born) < most
}

// park reads on while nobody waits for an answer, so that pings are answered and the
// server's end of the socket is noticed.
func (s *socket) park() {
	parked := make(chan error, 1)
	s.parked = parked
	go func() {
		err := s.read()
		if err != nil {
			s.dead.Store(true)
		}
		parked <- err
	}()
}

// next reads a message into the buffer. ask closes the socket with ctx, which ends a read;
// a context that the read itself watches costs more than reading.
func (s *socket) next(ctx context.Context) error {
	if s.parked == nil {
		return s.read()
	}
	select {
	case err := <-s.parked:
		s.parked = nil
		return err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (s *socket) read() error {
	if s.buffer.Cap() > 1<<20 {
		s.buffer = bytes.Buffer{} // one large event does not hold its memory
	}
	s.buffer.Reset()
	return s.conn.next(&s.buffer)
}

// overSocket asks over a socket.
func (g *generation) overSocket(ctx context.Context) error {
	s := g.client.sockets.take(ctx, g)
	if s != nil && !s.alive(ctx) {
		s.close()
		s = nil
	}
	if s == nil {
		var err error
		if s, err = g.client.dial(ctx); err != nil {
			return err
		}
	}
	err := g.on(ctx, s)
	if err != nil {
		s.close()
		g.client.sockets.ready()
		return err
	}
	s.used = time.Now()
	g.client.sockets.put(s)
	return nil
}

// alive asks a socket that was idle for long whether it still is one: a computer that has
// slept, or changed its network, does not notice otherwise until a request goes unanswered.
func (s *socket) alive(ctx context.Context) bool {
	if time.Since(s.used) < idleBefore {
		return true
	}
	ctx, cancel := context.WithTimeout(ctx, 3*time.Second)
	defer cancel()
	return s.conn.ping(ctx) == nil
}

// on asks on a socket. A request that the server refuses when it goes on from a response, as one does
// that has forgotten it, is asked once again with everything.
func (g *generation) on(ctx context.Context, s *socket) error {
	has := s.chain.covers(g)
	err := g.ask(ctx, s, has)
	if has != nil && !g.began && unchained(err) {
		g.reset()
		err = g.ask(ctx, s, nil)
	}
	return err
}

// ask sends a request and reads its answer. The socket closes with ctx, also while a delta
// is handled.
func (g *generation) ask(ctx context.Context, s *socket, has []bool) error {
	members := []string{`"type":"response.create"`}
	var known func(int) bool
	if has != nil {
		members = append(members, responses.Member("previous_response_id", s.chain.id))
		known = func(n int) bool { return has[n] }
	}
	body, err := g.request.Body(known, members...)
	if err != nil {
		return err
	}
	g.sent = len(body)
	s.chain = chain{}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(ctx, s.close)()
	idle := chat.Silence(g.client.of.Idle, func() { cancel(errIdle) })
	defer idle.Stop()
	if err := s.conn.write(textFrame, body); err != nil {
		return g.broken(ctx, err)
	}
	g.connected()
	for !g.decoder.Done() {
		idle.Turn()
		if err := s.next(ctx); err != nil {
			return g.broken(ctx, err)
		}
		idle.Turn()
		if err := g.event("", s.buffer.Bytes()); err != nil {
			return err
		}
	}
	s.chain = after(g, g.decoder)
	return nil
}
