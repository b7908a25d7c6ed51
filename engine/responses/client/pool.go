package client

import (
	"context"
	"slices"
	"sync"
	"time"
)

// maxIdle bounds the sockets that are kept: one for each session that was active last, and
// one that is ready for a cut.
const maxIdle = 6

// pool keeps the sockets that no answer uses.
//
//	take -> in use -> put -> idle, reading: its end is noticed
//	   '-> dial         '-> closed: cut, failed, too old
type pool struct {
	client *Client
	ctx    context.Context // of the pool
	cancel context.CancelFunc

	mu      sync.Mutex
	idle    []*socket     // the last used one last
	dialing chan struct{} // a spare one; closed when that has ended; nil: none
	running sync.WaitGroup
}

func newPool(c *Client) *pool {
	ctx, cancel := context.WithCancel(context.Background())
	return &pool{client: c, ctx: ctx, cancel: cancel}
}

// take returns an idle socket: the one whose chain the prompt goes on with, else a fresh one, else
// nil. If there is none, but one is being connected, it waits for that.
func (p *pool) take(ctx context.Context, g *generation) *socket {
	s, dialing := p.pick(g), p.coming()
	if s != nil || dialing == nil {
		return s
	}
	select {
	case <-dialing:
	case <-ctx.Done():
	}
	return p.pick(g)
}

// coming returns what is closed when the socket that is being connected is; nil: none is.
func (p *pool) coming() chan struct{} {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.dialing
}

// pick takes an idle socket. Those that are dead or too old are closed on the way.
func (p *pool) pick(g *generation) *socket {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.idle = slices.DeleteFunc(p.idle, func(s *socket) bool {
		if s.usable(p.client.of.MaxAge) {
			return false
		}
		go s.close()
		return true
	})
	best := -1
	for n, s := range p.idle {
		if s.chain.covers(g) != nil {
			best = n
		}
	}
	for n := 0; best < 0 && n < len(p.idle); n++ {
		if p.idle[n].chain.id == "" {
			best = n
		}
	}
	if best < 0 && len(p.idle) >= maxIdle-1 {
		best = 0
	}
	if best < 0 {
		return nil
	}
	s := p.idle[best]
	p.idle = slices.Delete(p.idle, best, best+1)
	return s
}

// put gives a socket back, and sees to it that a fresh one is ready beside it.
func (p *pool) put(s *socket) {
	s.park()
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ctx.Err() != nil {
		go s.close()
		return
	}
	p.idle = append(p.idle, s)
	if len(p.idle) > maxIdle {
		go p.idle[0].close()
		p.idle = slices.Delete(p.idle, 0, 1)
	}
	p.connect()
}

// ready sees to it that a fresh socket is connected, or will be.
func (p *pool) ready() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.connect()
}

// connect connects a fresh socket, unless there is one. The caller holds mu.
func (p *pool) connect() {
	fresh := slices.ContainsFunc(p.idle, func(s *socket) bool { return s.chain.id == "" })
	if fresh || p.dialing != nil || p.ctx.Err() != nil || p.client.refused.Load() {
		return
	}
	p.dialing = make(chan struct{})
	p.running.Go(p.spare)
}

// spare connects a socket for later. Its failure is nobody's: a request finds out itself.
func (p *pool) spare() {
	ctx, cancel := context.WithTimeout(p.ctx, 30*time.Second)
	defer cancel()
	s, err := p.client.dial(ctx)
	p.mu.Lock()
	if err == nil && p.ctx.Err() == nil {
		s.park()
		p.idle = slices.Insert(p.idle, 0, s)
		s = nil
	}
	close(p.dialing)
	p.dialing = nil
	p.mu.Unlock()
	if s != nil {
		s.close()
	}
}

func (p *pool) close() {
	p.cancel()
	p.running.Wait()
	p.mu.Lock()
	idle := p.idle
	p.idle = nil
	p.mu.Unlock()
	for _, s := range idle {
		s.close()
	}
}
