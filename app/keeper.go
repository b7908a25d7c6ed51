package app

import (
	"context"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"
)

// keeper does for the user's typing what nobody asks for: it journals it,
// records a burst when it has ended, and brings it to disk. One goroutine
// sleeps until something is due.
type keeper struct {
	typed map[*document]bool // documents with unrecorded typing; p.mu guards it
	save  bool               // something is to be saved; p.mu guards it
	retry time.Time          // when saves that failed are tried again; p.mu guards it
	told  map[string]string  // the trouble that was told of, by path; p.mu guards it
	wake  chan struct{}
	quit  chan struct{}
	ended sync.WaitGroup
}

func (k *keeper) start(p *Project) {
	k.typed, k.told = map[*document]bool{}, map[string]string{}
	k.wake, k.quit = make(chan struct{}, 1), make(chan struct{})
	k.ended.Go(func() { k.run(p) })
}

// stop ends the goroutine; what is left is Settle's.
func (k *keeper) stop() {
	if k.quit != nil {
		close(k.quit)
		k.ended.Wait()
		k.quit = nil
	}
}

// watch takes care of a document that the user types in.
func (k *keeper) watch(d *document) {
	k.typed[d] = true
	k.nudge()
}

func (k *keeper) nudge() {
	select {
	case k.wake <- struct{}{}:
	default:
	}
}

// list is the documents with unrecorded typing, by path.
func (k *keeper) list() []*document {
	return slices.SortedFunc(maps.Keys(k.typed), func(a, b *document) int { return strings.Compare(a.path, b.path) })
}

func (k *keeper) run(p *Project) {
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	for {
		select {
		case <-k.quit:
			return
		case <-k.wake:
		case <-timer.C:
		}
		timer.Reset(time.Until(p.keep(context.Background())))
	}
}

// keep does what is due and says when to look again.
func (p *Project) keep(ctx context.Context) time.Time {
	p.mu.Lock()
	defer p.mu.Unlock()
	next, why := time.Now().Add(time.Hour), p.store.Stalled()
	switch {
	case why != nil:
		next = p.keepElsewhere(ctx, why, time.Now())
	case p.unrecorded.why != nil:
		err := p.recordAgain(ctx)
		if p.trouble("", err); err != nil {
			next = time.Now().Add(retryAfter)
		}
	}
	for _, d := range p.keeper.list() {
		if why != nil && d.kept() {
			continue
		}
		if at, more := p.keepTyped(ctx, d, time.Now()); !more {
			delete(p.keeper.typed, d)
			p.keeper.save = p.keeper.save || d.dirty
		} else {
			next = earlier(next, at)
		}
	}
	return earlier(next, p.keepSaving(time.Now()))
}

// keepSaving begins a save when one is wanted, and says when to look again.
func (p *Project) keepSaving(now time.Time) time.Time {
	k := &p.keeper
	if !k.retry.IsZero() && !now.Before(k.retry) {
		k.retry = time.Time{}
		p.unstick()
	}
	if k.save && !p.away && p.savable() {
		if k.save = !p.saver.nudge(p, p.savedInBackground); k.save {
			return now.Add(saveEvery)
		}
	}
	return k.retry
}

// savable reports whether a save can do anything: while nothing can be recorded,
// only files that the history does not keep are saved.
func (p *Project) savable() bool {
	if p.store.Stalled() == nil {
		return true
	}
	for _, d := range p.docs {
		if d.dirty && !d.kept() {
			return true
		}
	}
	return false
}

// earlier is the earlier of two moments; a zero one does not count.
func earlier(a, b time.Time) time.Time {
	if b.IsZero() || a.Before(b) {
		return a
	}
	return b
}

// unstick wants every save that failed to be tried again.
func (p *Project) unstick() {
	for _, d := range p.docs {
		if d.stuck {
			d.stuck, d.dirty, p.keeper.save = false, true, true
		}
	}
}

// retryAfter is how long a failed recording or save waits for the next try.
const retryAfter = 5 * time.Second

// keepTyped journals and records one document. It is false when nothing is left to do.
func (p *Project) keepTyped(ctx context.Context, d *document, now time.Time) (next time.Time, more bool) {
	if !d.typing() {
		d.burst, d.undrafted = burst{}, false
		return next, false
	}
	if !now.Before(d.ends()) && !d.secret {
		d.secret = d.kept() && d.endsInSecret()
	}
	if ends := d.ends(); !now.Before(ends) && !d.moving {
		err := p.recordTyped(ctx, d)
		p.trouble(d.path, err)
		if err == nil {
			d.undrafted = false
			return next, false
		}
		d.burst = burst{began: now, last: now.Add(retryAfter - burstPause)}
	}
	if next = d.ends(); d.moving {
		next = now.Add(draftEvery)
	}
	if d.undrafted && !d.moving && !now.Before(d.draftNext) {
		p.journal(ctx, d)
	}
	if d.undrafted && d.draftNext.Before(next) {
		next = d.draftNext
	}
	return next, true
}

// trouble tells once what goes wrong with a file while it goes wrong. p.mu is held.
func (p *Project) trouble(path string, err error) {
	if err == nil {
		delete(p.keeper.told, path)
		return
	}
	if says := err.Error(); p.keeper.told[path] != says {
		p.keeper.told[path] = says
		p.notice(says)
	}
}

// savedInBackground takes the outcome of a save that the keeper began.
func (p *Project) savedInBackground(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.trouble("", err)
	for _, d := range p.docs {
		p.keeper.save = p.keeper.save || d.dirty
		if d.stuck {
			p.keeper.retry = time.Now().Add(retryAfter)
		}
	}
	p.keeper.nudge()
}
