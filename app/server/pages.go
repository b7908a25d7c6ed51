package server

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"
)

// each calls do for every page. do must not wait.
func (h *host) each(do func(*page)) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for pg := range h.pages {
		do(pg)
	}
}

// maxPages bounds the connected pages; a person has a few.
const maxPages = 64

// enter adds a page, unless there are too many.
func (h *host) enter(pg *page) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closing || len(h.pages) >= maxPages {
		return false
	}
	h.pages[pg] = true
	for _, n := range h.early {
		pg.dirty.mark(func(k *known) { k.notice(n.level, n.text) })
	}
	h.early = nil
	return true
}

// maxLeft bounds the disconnected pages that are remembered, so that they can continue after a
// reconnect.
const maxLeft = 16

func (h *host) leave(pg *page) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.pages, pg)
	h.left = append(h.left, pg)
	if over := len(h.left) - maxLeft; over > 0 {
		h.left = slices.Delete(h.left, 0, over)
	}
}

// A page pushes typing in pieces, each after the one before is confirmed. The end of the
// program waits until no more comes, except for a page that hangs, and so does not get its
// confirmations.
const (
	lastKeysRest = 100 * time.Millisecond // without a push
	maxLastKeys  = 5 * time.Second
)

func (h *host) lastKeys() {
	h.mu.Lock()
	pages := slices.Collect(maps.Keys(h.pages))
	h.mu.Unlock()
	ctx, cancel := context.WithTimeout(context.Background(), maxLastKeys)
	defer cancel()
	var asked sync.WaitGroup
	for _, pg := range pages {
		// the pong comes after everything in flight; a page that is gone has nothing
		asked.Go(func() { _ = pg.conn.Ping(ctx) })
	}
	asked.Wait()
	for ctx.Err() == nil && slices.ContainsFunc(pages, (*page).mayPush) {
		time.Sleep(10 * time.Millisecond)
	}
}

// mayPush reports whether the page may have more typing: it is waiting for the confirmation of
// a push, or has just had one.
func (pg *page) mayPush() bool {
	pg.mu.Lock()
	defer pg.mu.Unlock()
	if pg.ctx.Err() != nil {
		return false
	}
	for _, d := range pg.docs {
		if d.unheard {
			return true
		}
	}
	return len(pg.early) > 0 || time.Since(pg.typed) < lastKeysRest
}

// dropPages ends all connections, refuses new ones, and waits until all goroutines of pages
// have ended.
func (h *host) dropPages() {
	h.mu.Lock()
	h.closing = true
	pages := slices.Collect(maps.Keys(h.pages))
	h.mu.Unlock()
	for _, pg := range pages {
		pg.drop("the program ends")
	}
	for _, pg := range pages {
		<-pg.ended
	}
}

// retire ends the old connection of a page that has reconnected under another name, and waits
// for its goroutines; nil when the page is not known.
func (h *host) retire(ctx context.Context, name string) (*page, error) {
	old := h.byName(name)
	if old == nil {
		return nil, nil
	}
	old.drop("the page has connected again")
	select {
	case <-old.ended:
		return old, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (h *host) byName(name string) *page {
	h.mu.Lock()
	defer h.mu.Unlock()
	for pg := range h.pages {
		if pg.name == name {
			return pg
		}
	}
	for _, pg := range h.left {
		if pg.name == name {
			return pg
		}
	}
	return nil
}
