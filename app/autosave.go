package app

import (
	"context"
	"fmt"
	"time"

	"waferpair/app/live"
)

// keep does what is due and returns when to run again.
func (p *autosaver) keep(ctx context.Context) time.Time {
	next, why := time.Now().Add(time.Hour), p.store.Stalled()
	switch {
	case why != nil:
		next = p.stall.keepElsewhere(ctx, why, time.Now())
	case p.stall.isOn():
		next = p.tryResume(ctx)
	}
	for _, d := range p.table.typing() {
		if why == nil && !p.stall.isOn() || !d.Tracked() { // typing in the spare file is recorded first
			next = earlier(next, p.keepOne(ctx, d))
		}
	}
	return earlier(next, p.keepSaving(ctx, time.Now()))
}

// keepOne journals or records the typing in one file if that is due, and returns when to
// run again. If somebody works on the file, a goroutine waits for it, so that the other
// files need not.
func (p *autosaver) keepOne(ctx context.Context, d *live.Document) (next time.Time) {
	if p.waited.has(d) {
		return next
	}
	free := p.tryWith(ctx, d, func(ctx context.Context) error {
		next = p.keepLocked(ctx, d)
		return nil
	})
	if free {
		return next
	}
	p.waited.add(d)
	p.ended.Go(func() {
		_ = p.with(ctx, d, func(ctx context.Context) error {
			p.keepLocked(ctx, d)
			return nil
		})
		p.waited.drop(d)
		p.nudge()
	})
	return next
}

func (p *autosaver) keepLocked(ctx context.Context, d *live.Document) (next time.Time) {
	next, more := d.Keep(ctx, time.Now())
	if !more {
		p.table.types(d, false)
	}
	return next
}

// keepSaving starts a save if one is due, and returns when to run again. The documents
// know what is due: whoever records something only needs to wake the autosaver.
func (p *autosaver) keepSaving(ctx context.Context, now time.Time) time.Time {
	_, stuck := p.failed()
	switch {
	case p.retry.IsZero() && stuck:
		p.retry = now.Add(live.RetryAfter)
	case !p.retry.IsZero() && !now.Before(p.retry):
		p.retry = time.Time{}
		p.unstick(ctx)
	}
	if !p.place.Gone() && p.savable() && !p.saver.nudge(p.saveOnce, p.savedInBackground) {
		return earlier(now.Add(saveEvery), p.retry)
	}
	return p.retry
}

// savable reports whether a save has something to do: while nothing can be recorded,
// only files that history does not track are saved.
func (p *saver) savable() bool {
	stalled := p.store.Stalled() != nil
	_, yes := p.table.find(func(d *live.Document) bool { return d.Dirty() && !d.Moving() && !(stalled && d.Tracked()) })
	return yes
}

// earlier returns the earlier of two times; a zero time does not count.
func earlier(a, b time.Time) time.Time {
	if b.IsZero() || a.Before(b) {
		return a
	}
	return b
}

// saveAll makes every unsaved file due for a save, and wakes the autosaver.
func (p *autosaver) saveAll() {
	p.unstick(context.Background())
	p.nudge()
}

// resumeWithin is how long a newcomer to the project waits for unrecorded changes; the
// autosaver continues after that.
const resumeWithin = 10 * time.Second

// TryAgain immediately retries recordings and saves that failed, as a start does: so an
// attaching process finds what it would find if it opened the project anew.
func (p *autosaver) TryAgain(ctx context.Context) {
	if p.store.Retry(ctx) != nil {
		return
	}
	p.awaitResume(ctx)
	p.saveAgain(ctx)
}

// awaitResume waits until the autosaver has recorded the changes that a stalled history
// refused; only the documents have them.
func (p *autosaver) awaitResume(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, resumeWithin)
	defer cancel()
	for p.stall.isOn() && ctx.Err() == nil {
		p.nudge()
		select {
		case <-ctx.Done():
		case <-time.After(10 * time.Millisecond): // the autosaver signals nobody when it is done
		}
	}
}

// tryResume resumes, and returns when to run again. It backs off while somebody works on
// several files, or saves, because all files would have to wait for that.
func (p *autosaver) tryResume(ctx context.Context) time.Time {
	if !p.saving.TryLock() {
		return time.Now().Add(saveEvery)
	}
	defer p.saving.Unlock()
	err := p.resume(ctx)
	if p.trouble("", err); err != nil {
		return time.Now().Add(live.RetryAfter)
	}
	return time.Now().Add(time.Hour)
}

// resume records the unrecorded changes, makes them due for a save, and merges other
// programs' changes, which could not be recorded meanwhile.
func (p *autosaver) resume(ctx context.Context) error {
	if err := p.stall.recordAgain(ctx); err != nil {
		return err
	}
	p.unstick(ctx)
	p.ended.Go(func() {
		if err := p.look(ctx); err != nil {
			p.notice(fmt.Sprintf("merge other programs' changes: %v", err))
		}
	})
	return nil
}

// savedInBackground receives the outcome of a save that the autosaver started.
func (p *autosaver) savedInBackground(err error) {
	p.trouble("", err)
	p.nudge() // something may be due by now, or have failed
}
