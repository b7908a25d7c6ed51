package chat

import (
	"net"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// line is a connection that has a byte more whenever one is sent, and never blocks who sends.
type line struct {
	net.Conn
	mu   sync.Mutex
	more sync.Cond
	sent []time.Time // of the bytes that nobody has read
}

func newLine() *line {
	l := &line{}
	l.more.L = &l.mu
	return l
}

func (l *line) send(n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for range n {
		l.sent = append(l.sent, time.Now())
	}
	l.more.Signal()
}

// Read writes into each byte how many milliseconds ago it was sent.
func (l *line) Read(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for len(l.sent) == 0 {
		l.more.Wait()
	}
	n := min(len(b), len(l.sent))
	for i, at := range l.sent[:n] {
		b[i] = byte(time.Since(at).Milliseconds())
	}
	l.sent = l.sent[n:]
	return n, nil
}

// TestAFastStreamIsReadInFewerReads sends bytes at several speeds, and counts the reads and how late bytes are.
func TestAFastStreamIsReadInFewerReads(t *testing.T) {
	for _, c := range []struct {
		name      string
		bytes     int // each time
		every     time.Duration
		times     int
		reads     int  // at most
		latest    byte // milliseconds
		atMost    time.Duration
		unchanged bool // as many reads as without
	}{
		{"5,000 tokens a second", 1, 200 * time.Microsecond, 5000, 400, 8, time.Second + 9*time.Millisecond, false},
		{"200 tokens a second", 1, 5 * time.Millisecond, 200, 200, 0, time.Second, true},
		{"the beginning", 1, 200 * time.Microsecond, quickFew, quickFew, 0, quickFew * 200 * time.Microsecond, true},
		{"a burst", 1 << 20, time.Nanosecond, 1, 1 << 8, 0, time.Millisecond, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := newLine()
				go func() {
					for range c.times {
						time.Sleep(c.every)
						l.send(c.bytes)
					}
				}()
				conn, b := &pacedConn{Conn: l}, make([]byte, 4096)
				reads, late, begun := 0, byte(0), time.Now()
				for got := 0; got < c.bytes*c.times; reads++ {
					n, _ := conn.Read(b)
					for _, ago := range b[:n] {
						late = max(late, ago)
					}
					got += n
				}
				if took := time.Since(begun); reads > c.reads || late > c.latest || took > c.atMost ||
					c.unchanged && reads != c.times {
					t.Errorf("%d reads, the latest byte after %d ms, all after %v", reads, late, took)
				}
			})
		})
	}
}
