package fake

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"sync"
)

// Tunnel is a company's proxy: it connects clients with CONNECT, whatever host they name, to one
// provider, and sees only what TLS lets it see.
type Tunnel struct {
	URL string

	listener net.Listener
	target   string
	status   int
	mu       sync.Mutex
	hosts    []string
	conns    map[net.Conn]bool
	running  sync.WaitGroup
}

// NewTunnel listens on 127.0.0.1. It connects to target, or answers with a status that is not 200.
func NewTunnel(target string, status int) (*Tunnel, error) {
	l, err := (&net.ListenConfig{}).Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	t := &Tunnel{URL: "http://" + l.Addr().String(), listener: l, target: target, status: status,
		conns: map[net.Conn]bool{}}
	t.running.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			t.running.Go(func() { t.connect(c) })
		}
	})
	return t, nil
}

// Hosts returns the hosts that clients named, in order.
func (t *Tunnel) Hosts() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return append([]string(nil), t.hosts...)
}

// Close ends all connections.
func (t *Tunnel) Close() {
	_ = t.listener.Close()
	t.mu.Lock()
	for c := range t.conns {
		_ = c.Close()
	}
	t.mu.Unlock()
	t.running.Wait()
}

// hold closes a connection with the tunnel.
func (t *Tunnel) hold(c net.Conn) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.conns[c] = true
}

func (t *Tunnel) connect(c net.Conn) {
	defer c.Close()
	t.hold(c)
	from := bufio.NewReader(c)
	r, err := http.ReadRequest(from)
	if err != nil {
		return
	}
	t.mu.Lock()
	t.hosts = append(t.hosts, r.Method+" "+r.Host)
	t.mu.Unlock()
	if r.Method != http.MethodConnect || t.status != http.StatusOK {
		status := t.status
		if status == http.StatusOK {
			status = http.StatusMethodNotAllowed
		}
		answer := http.Response{StatusCode: status, ProtoMajor: 1, ProtoMinor: 1, Close: true}
		_ = answer.Write(c) // the client sees what is missing
		return
	}
	to, err := (&net.Dialer{}).DialContext(context.Background(), "tcp", t.target)
	if err != nil {
		return
	}
	defer to.Close()
	t.hold(to)
	if _, err := io.WriteString(c, "HTTP/1.1 200 Connection established\r\n\r\n"); err != nil {
		return
	}
	var back sync.WaitGroup
	back.Go(func() {
		defer c.Close()
		_, _ = io.Copy(c, to) // either end may leave
	})
	_, _ = io.Copy(to, from) // either end may leave
	_ = to.Close()
	back.Wait()
}
