package fake

import (
	"context"
	"sync"
	"time"
)

// Clock is the time of a Server: of delays between chunks and the age of sockets.
type Clock interface {
	Now() time.Time
	Sleep(ctx context.Context, d time.Duration) error
}

type realClock struct{}

func (realClock) Now() time.Time { return time.Now() }

func (realClock) Sleep(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return ctx.Err()
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Manual is a clock that a test moves. Before it does, the test waits for whom it wants to
// wake: Sleepers.
type Manual struct {
	mu       sync.Mutex
	now      time.Time
	sleepers int
	moved    chan struct{} // closed when now or sleepers change
}

// NewManual returns a clock that stands still.
func NewManual() *Manual {
	return &Manual{now: time.Unix(1_700_000_000, 0), moved: make(chan struct{})}
}

func (m *Manual) Now() time.Time {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.now
}

// Advance moves the clock and wakes whoever waited for that time.
func (m *Manual) Advance(d time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.now = m.now.Add(d)
	m.move()
}

func (m *Manual) move() {
	close(m.moved)
	m.moved = make(chan struct{})
}

// Sleepers waits until n sleep.
func (m *Manual) Sleepers(n int) {
	for {
		m.mu.Lock()
		moved, enough := m.moved, m.sleepers >= n
		m.mu.Unlock()
		if enough {
			return
		}
		<-moved
	}
}

func (m *Manual) sleeps(by int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.sleepers += by
	m.move()
}

func (m *Manual) Sleep(ctx context.Context, d time.Duration) error {
	m.mu.Lock()
	until := m.now.Add(d)
	m.mu.Unlock()
	m.sleeps(1)
	defer m.sleeps(-1)
	for {
		m.mu.Lock()
		moved, due := m.moved, !m.now.Before(until)
		m.mu.Unlock()
		if due {
			return ctx.Err()
		}
		select {
		case <-moved:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
