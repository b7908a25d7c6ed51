package server

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"
)

// each does something with every page. It must not wait.
func (h *host) each(do func(*page)) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for pg := range h.pages {
		do(pg)
	}
}

// maxPages bounds the pages at once; a person has a few.
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

// maxLeft is how many pages that lost their connection are remembered, so that
// they can go on where they were.
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

// A page pushes what is typed a piece at a time, each when the one before is
// confirmed: the end of the program waits until no more comes. A page that does
// not get its confirmations any more hangs, and is not waited for longer.
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
		// its answer comes after what was on its way; a page that is gone has nothing
		asked.Go(func() { _ = pg.conn.Ping(ctx) })
	}
	asked.Wait()
	for ctx.Err() == nil && slices.ContainsFunc(pages, (*page).mayPush) {
		time.Sleep(10 * time.Millisecond)
	}
}

// mayPush reports whether the page may have more that was typed: it waits for
// the confirmation of a push, or has had one just now.
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

// dropPages ends all connections, lets no other in, and waits until nothing of
// them runs any more.
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

// retire ends the connection of a page that has connected again under another
// name, and waits until nothing of it is under way; nil when it is not known.
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
