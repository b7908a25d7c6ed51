package chat

import (
	"context"
	"net"
	"time"
)

// pacedConn reads a stream of many small pieces in fewer, larger reads. Providers send each token by
// itself; at thousands of them a second most of what a token costs is waking up for it. When pieces follow
// each other quickly, a read begins a little later, and finds several of them.
//
// A slow stream, the beginning of an answer, and what has arrived already are read at once, so only a token in the
// middle of a fast stream is seen later, by pause at most: half a frame of the screen. A cut closes
// the connection, and does not wait.
type pacedConn struct {
	net.Conn
	quick  int // reads in a row that waited for less than quickly
	waited bool
}

const (
	pause    = 8 * time.Millisecond
	quickly  = 3 * time.Millisecond  // some 300 pieces a second
	atOnce   = 20 * time.Microsecond // a read of what is there already takes less
	quickFew = 16                    // reads after which a stream counts as fast
)

// Read reads what has arrived. It implements io.Reader; one goroutine at a time calls it.
func (c *pacedConn) Read(b []byte) (int, error) {
	if c.waited && c.quick >= quickFew {
		time.Sleep(pause)
	}
	begun := time.Now()
	n, err := c.Conn.Read(b)
	took := time.Since(begun)
	c.waited = took > atOnce
	if c.quick++; took > quickly {
		c.quick = 0
	}
	return n, err
}

// dialPaced connects as http.DefaultTransport does.
func dialPaced(ctx context.Context, network, address string) (net.Conn, error) {
	d := net.Dialer{Timeout: 30 * time.Second, KeepAlive: 30 * time.Second}
	conn, err := d.DialContext(ctx, network, address)
	if err != nil {
		return nil, err
	}
	return &pacedConn{Conn: conn}, nil
}
