package fake

import (
	"context"
	"net"
	"sync"
	"sync/atomic"
	"time"
)

// Shape is a line between client and provider.
type Shape struct {
	Delay time.Duration // each way
	Up    int           // bits a second from the client; 0: no limit
}

// Proxy forwards TCP connections through a Shape. A new connection costs a round trip before
// its first byte, as a handshake would over that line; those of TLS pass through like all bytes.
//
//	client -> read -> due = now + delay, after the bytes before it -> queue -> write -> provider
type Proxy struct {
	Addr string

	shape    Shape
	target   string
	listener net.Listener
	up, down atomic.Int64
	count    atomic.Int64
	mu       sync.Mutex
	conns    map[net.Conn]bool
	running  sync.WaitGroup
}

// NewProxy listens on 127.0.0.1 and forwards to target.
func NewProxy(target string, shape Shape) (*Proxy, error) {
	l, err := (&net.ListenConfig{}).Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	p := &Proxy{Addr: l.Addr().String(), shape: shape, target: target, listener: l, conns: map[net.Conn]bool{}}
	p.running.Go(p.accept)
	return p, nil
}

// Bytes returns what went up and down, TLS included, and over how many connections.
func (p *Proxy) Bytes() (up, down, conns int64) { return p.up.Load(), p.down.Load(), p.count.Load() }

// Close ends all connections.
func (p *Proxy) Close() {
	_ = p.listener.Close()
	p.Cut()
	p.running.Wait()
}

// Cut ends the connections that are open; new ones work.
func (p *Proxy) Cut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for c := range p.conns {
		_ = c.Close()
	}
}

func (p *Proxy) accept() {
	for {
		c, err := p.listener.Accept()
		if err != nil {
			return
		}
		p.running.Go(func() { p.forward(c) })
	}
}

func (p *Proxy) forward(c net.Conn) {
	defer p.keep(c)()
	p.count.Add(1)
	opened := time.Now()
	d := net.Dialer{}
	to, err := d.DialContext(context.Background(), "tcp", p.target)
	if err != nil {
		return
	}
	defer p.keep(to)()
	handshake := opened.Add(2 * p.shape.Delay)
	var both sync.WaitGroup
	both.Go(func() { p.pump(to, c, &p.up, p.shape.Up, handshake) })
	both.Go(func() { p.pump(c, to, &p.down, 0, handshake) })
	both.Wait()
}

func (p *Proxy) keep(c net.Conn) (forget func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.conns[c] = true
	return func() {
		_ = c.Close()
		p.mu.Lock()
		defer p.mu.Unlock()
		delete(p.conns, c)
	}
}

type parcel struct {
	bytes []byte
	due   time.Time
}

// pump carries one direction. free is when the line has sent everything before.
func (p *Proxy) pump(to, from net.Conn, n *atomic.Int64, bits int, free time.Time) {
	queue := make(chan parcel, 256)
	var writing sync.WaitGroup
	writing.Go(func() {
		defer to.Close()
		for c := range queue {
			time.Sleep(time.Until(c.due))
			if _, err := to.Write(c.bytes); err != nil {
				_ = from.Close()
			}
		}
	})
	for {
		b := make([]byte, 16<<10)
		k, err := from.Read(b)
		if k > 0 {
			n.Add(int64(k))
			if now := time.Now(); free.Before(now) {
				free = now
			}
			if bits > 0 {
				free = free.Add(time.Duration(k) * 8 * time.Second / time.Duration(bits))
			}
			queue <- parcel{b[:k], free.Add(p.shape.Delay)}
		}
		if err != nil {
			break
		}
	}
	close(queue)
	writing.Wait()
}
