package fake

import (
	"bytes"
	"errors"
	"net"
	"net/http"
)

// sse is a pipe of server-sent events. One that buffers sends everything at its end.
type sse struct {
	w        http.ResponseWriter
	conn     *serverConn // nil under a foreign server
	comments string
	buffer   *bytes.Buffer // of a proxy that buffers; else nil
	begun    bool
}

func (s *Server) sse(w http.ResponseWriter, q *http.Request, f Fault) *sse {
	p := &sse{w: w, comments: s.Caps.Comments}
	p.conn, _ = q.Context().Value(connKey{}).(*serverConn)
	if f.Kind == Buffered {
		p.buffer = &bytes.Buffer{}
	}
	return p
}

func (p *sse) event(name string, data []byte) error {
	var b bytes.Buffer
	if p.comments != "" && !p.begun {
		b.WriteString(": " + p.comments + "\n\n")
	}
	if name != "" {
		b.WriteString("event: " + name + "\n")
	}
	b.WriteString("data: ")
	b.Write(data)
	b.WriteString("\n\n")
	return p.raw(b.Bytes())
}

func (p *sse) raw(b []byte) error {
	if !p.begun {
		p.begun = true
		p.w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
		p.w.Header().Set("Cache-Control", "no-cache")
		p.w.WriteHeader(http.StatusOK)
	}
	if p.buffer != nil {
		p.buffer.Write(b)
		return nil
	}
	if _, err := p.w.Write(b); err != nil {
		return err
	}
	return http.NewResponseController(p.w).Flush()
}

// close ends the body.
func (p *sse) close() {
	if p.buffer != nil {
		_, _ = p.w.Write(p.buffer.Bytes()) // the client may have gone
	}
}

func (p *sse) die(reset bool) { cut(p.conn, reset) }

// finish ends the handler as its answer did.
func finish(err error) {
	if errors.Is(err, errDied) {
		panic(http.ErrAbortHandler) // net/http: the body has no end
	}
}

// layered is a connection over another one: TLS, and one that is slow.
type layered interface{ NetConn() net.Conn }

// cut ends a connection below TLS and HTTP.
func cut(c *serverConn, reset bool) {
	if c == nil {
		return
	}
	raw := c.Conn
	for t, ok := raw.(layered); ok; t, ok = raw.(layered) {
		raw = t.NetConn()
	}
	if t, ok := raw.(*net.TCPConn); ok && reset {
		_ = t.SetLinger(0) // it ends either way
	}
	_ = raw.Close()
}
