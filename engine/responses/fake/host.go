package fake

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"sync/atomic"
	"time"
)

// Host is a Server's address on 127.0.0.1.
type Host struct {
	URL  string // base URL of the API: ends with /v1
	Addr string
	Pool *x509.CertPool // knows the certificate, of ServeTLS

	server   *http.Server
	listener *listener
	done     chan struct{}
}

// Serve begins to listen.
func (s *Server) Serve() (*Host, error) { return s.serve("127.0.0.1:0", nil) }

// ServeTLS listens with a certificate that only Host.Pool knows. With h2 it offers HTTP/2,
// where WebSockets are refused.
func (s *Server) ServeTLS(h2 bool) (*Host, error) { return s.ServeTLSAs(h2, Certificate{}) }

// ServeTLSAs does so with a certificate of the test's.
func (s *Server) ServeTLSAs(h2 bool, of Certificate) (*Host, error) {
	c, pool, err := certificate(of)
	if err != nil {
		return nil, err
	}
	conf := &tls.Config{Certificates: []tls.Certificate{c}, NextProtos: []string{"http/1.1"}}
	if h2 {
		conf.NextProtos = []string{"h2", "http/1.1"}
	}
	h, err := s.serve("127.0.0.1:0", conf)
	if err == nil {
		h.Pool = pool
	}
	return h, err
}

// ServeAt listens at an address again that was given up, as a server does that restarts.
func (s *Server) ServeAt(addr string) (*Host, error) { return s.serve(addr, nil) }

func (s *Server) serve(addr string, conf *tls.Config) (*Host, error) {
	l, err := (&net.ListenConfig{}).Listen(context.Background(), "tcp", addr)
	if err != nil {
		return nil, err
	}
	h := &Host{Addr: l.Addr().String(), listener: &listener{Listener: l}, done: make(chan struct{})}
	h.URL = "http://" + h.Addr + "/v1"
	if conf != nil {
		h.URL = "https://" + h.Addr + "/v1"
	}
	h.server = &http.Server{Handler: s, TLSConfig: conf, ErrorLog: log.New(io.Discard, "", 0),
		ReadHeaderTimeout: time.Minute, ConnContext: func(ctx context.Context, c net.Conn) context.Context {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.conns++
			return context.WithValue(ctx, connKey{}, &serverConn{c, s.conns})
		}}
	go func() {
		defer close(h.done)
		var err error
		if conf == nil {
			err = h.server.Serve(h.listener)
		} else {
			err = h.server.ServeTLS(h.listener, "", "")
		}
		if !errors.Is(err, http.ErrServerClosed) {
			panic(err) // the address was ours
		}
	}()
	return h, nil
}

// Close ends every connection; new ones are refused.
func (h *Host) Close() {
	_ = h.server.Close()
	<-h.done
}

// ResetNext ends the next n connections at once, with a TCP reset.
func (h *Host) ResetNext(n int) { h.listener.resets.Store(int64(n)) }

// SlowHandshake waits before it reads anything of a new connection.
func (h *Host) SlowHandshake(d time.Duration) { h.listener.slow.Store(int64(d)) }

// Accepted returns how many connections were made.
func (h *Host) Accepted() int { return int(h.listener.accepted.Load()) }

type listener struct {
	net.Listener
	resets, slow, accepted atomic.Int64
}

func (l *listener) Accept() (net.Conn, error) {
	for {
		c, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		l.accepted.Add(1)
		if l.resets.Load() > 0 {
			l.resets.Add(-1)
			cut(&serverConn{Conn: c}, true)
			continue
		}
		if d := time.Duration(l.slow.Load()); d > 0 {
			return &slowConn{Conn: c, until: time.Now().Add(d)}, nil
		}
		return c, nil
	}
}

// slowConn reads nothing before its time.
type slowConn struct {
	net.Conn
	until time.Time
}

func (c *slowConn) Read(b []byte) (int, error) {
	time.Sleep(time.Until(c.until))
	return c.Conn.Read(b)
}

func (c *slowConn) NetConn() net.Conn { return c.Conn }
