package cuts

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"sync"
)

// line is a connection to a client, which ends after a number of bytes.
type line struct {
	net.Conn
	mu    sync.Mutex
	left  int  // bytes until the end
	armed bool // otherwise it does not end
	reset bool // it ends with a TCP reset
	ended bool
}

// cutAfter ends the line after n more bytes.
func (l *line) cutAfter(n int, reset bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.left, l.armed, l.reset = n, true, reset
}

// spare lets the line live.
func (l *line) spare() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.armed = false
}

func (l *line) wasCut() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.ended
}

func (l *line) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.armed || len(b) < l.left {
		l.left -= len(b)
		return l.Conn.Write(b)
	}
	n, err := l.Conn.Write(b[:l.left])
	if err != nil {
		return n, err
	}
	l.ended, l.left = true, 0
	if t, is := l.Conn.(*net.TCPConn); is && l.reset {
		_ = t.SetLinger(0) // it ends either way
	}
	if err := l.Conn.Close(); err != nil {
		return n, err
	}
	return n, net.ErrClosed
}

// lines accepts connections, and tells the handler which one a request came over.
type lines struct {
	net.Listener
	mu  sync.Mutex
	all map[string]*line
}

const lineHeader = "X-Line"

type lineKey struct{}

func (l *lines) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &line{Conn: c}, nil
}

func (l *lines) context(ctx context.Context, c net.Conn) context.Context {
	l.mu.Lock()
	defer l.mu.Unlock()
	name := fmt.Sprint(len(l.all))
	l.all[name] = c.(*line)
	return context.WithValue(ctx, lineKey{}, name)
}

// marked passes requests on with the name of their line: a WebSocket's keep its handshake's header.
func marked(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		name, _ := q.Context().Value(lineKey{}).(string)
		q.Header.Set(lineHeader, name)
		h.ServeHTTP(w, q)
	})
}

func (l *lines) of(h http.Header) *line {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.all[h.Get(lineHeader)]
}
