package app

import (
	"context"
	"fmt"
	"time"

	"waferpair/app/live"
)

// keep does what is due and says when to look again.
func (p *keeper) keep(ctx context.Context) time.Time {
	p.mu.Lock()
	defer p.mu.Unlock()
	next, why := time.Now().Add(time.Hour), p.store.Stalled()
	switch {
	case why != nil:
		next = p.stall.keepElsewhere(ctx, why, time.Now())
	case p.stall.why != nil:
		err := p.resume(ctx)
		if p.trouble("", err); err != nil {
			next = time.Now().Add(live.RetryAfter)
		}
	}
	for _, d := range p.listTyped() {
		if why != nil && d.Kept() {
			continue
		}
		if at, more := d.Keep(ctx, time.Now()); !more {
			delete(p.typed, d)
		} else {
			next = earlier(next, at)
		}
	}
	return earlier(next, p.keepSaving(time.Now()))
}

// keepSaving begins a save when one is due, and says when to look again. What is
// due is read off the documents: whoever recorded something need not ask for more
// than that the keeper looks.
func (p *keeper) keepSaving(now time.Time) time.Time {
	switch {
	case p.retry.IsZero() && p.stuck():
		p.retry = now.Add(live.RetryAfter)
	case !p.retry.IsZero() && !now.Before(p.retry):
		p.retry = time.Time{}
		p.unstick()
	}
	if !p.place.Gone() && p.savable() && !p.saver.nudge(p.saveOnce, p.savedInBackground) {
		return earlier(now.Add(saveEvery), p.retry)
	}
	return p.retry
}

// savable reports whether a save would do anything: while nothing can be recorded,
// only files that the history does not keep are saved.
func (p *saver) savable() bool {
	stalled := p.store.Stalled() != nil
	for _, d := range p.docs {
		if d.Dirty() && !d.Moving() && !(stalled && d.Kept()) {
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

// stuck reports whether a save has failed.
func (p *saver) stuck() bool {
	for _, d := range p.docs {
		if d.State().Failed() {
			return true
		}
	}
	return false
}

// unstick wants every save that failed to be tried again.
func (p *keeper) unstick() {
	for _, d := range p.docs {
		if d.State().Failed() {
			d.Happened(live.Retry)
		}
	}
}

// again wants whatever is not saved to be saved.
func (p *keeper) again() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.unstick()
	p.nudge()
}

// resume records what could not be, has it saved, and takes in what other programs
// did meanwhile, which could not be recorded either. p.mu is held.
func (p *keeper) resume(ctx context.Context) error {
	if err := p.stall.recordAgain(ctx); err != nil {
		return err
	}
	p.unstick()
	p.ended.Go(func() {
		if err := p.look(ctx); err != nil {
			p.notice(fmt.Sprintf("take in changes made outside: %v", err))
		}
	})
	return nil
}

// savedInBackground takes the outcome of a save that the keeper began.
func (p *keeper) savedInBackground(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.trouble("", err)
	p.nudge() // for what is due by now, and what failed
}
