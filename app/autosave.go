package app

import (
	"context"
	"fmt"
	"time"

	"waferpair/app/live"
)

// keep does what is due and says when to look again.
func (p *autosaver) keep(ctx context.Context) time.Time {
	next, why := time.Now().Add(time.Hour), p.store.Stalled()
	switch {
	case why != nil:
		next = p.stall.keepElsewhere(ctx, why, time.Now())
	case p.stall.isOn():
		next = p.tryResume(ctx)
	}
	for _, d := range p.table.typing() {
		if why == nil && !p.stall.isOn() || !d.Tracked() { // what the spare file has is recorded first
			next = earlier(next, p.keepOne(ctx, d))
		}
	}
	return earlier(next, p.keepSaving(ctx, time.Now()))
}

// keepOne does what is due for what is typed in one file, and says when to look again.
// While somebody works on the file, that is waited for beside the others.
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

// keepSaving begins a save when one is due, and says when to look again. What is
// due is read off the documents: whoever recorded something need not ask for more
// than that the autosaver looks.
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

// savable reports whether a save would do anything: while nothing can be recorded,
// only files that the history does not keep are saved.
func (p *saver) savable() bool {
	stalled := p.store.Stalled() != nil
	_, yes := p.table.find(func(d *live.Document) bool { return d.Dirty() && !d.Moving() && !(stalled && d.Tracked()) })
	return yes
}

// earlier is the earlier of two moments; a zero one does not count.
func earlier(a, b time.Time) time.Time {
	if b.IsZero() || a.Before(b) {
		return a
	}
	return b
}

// saveAll wants whatever is not saved to be saved.
func (p *autosaver) saveAll() {
	p.unstick(context.Background())
	p.nudge()
}

// resumeWithin is how long whoever comes to the project waits for what could not be
// recorded; the autosaver goes on after that.
const resumeWithin = 10 * time.Second

// TryAgain does at once what could not be done before, as a start does: it records,
// and saves. So whoever comes to a project that is open finds what one who opens it
// anew would find.
func (p *autosaver) TryAgain(ctx context.Context) {
	if p.store.Retry(ctx) != nil {
		return
	}
	p.awaitResume(ctx)
	p.saveAgain(ctx)
}

// awaitResume waits until the autosaver has recorded what could not be: what a stalled
// history refused is in the documents only.
func (p *autosaver) awaitResume(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, resumeWithin)
	defer cancel()
	for p.stall.isOn() && ctx.Err() == nil {
		p.nudge()
		select {
		case <-ctx.Done():
		case <-time.After(10 * time.Millisecond): // nobody waits for the autosaver elsewhere
		}
	}
}

// tryResume resumes, and says when to look again. It is not the moment for it while
// somebody works on several files, or saves: all files would wait for that.
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

// resume records what could not be, has it saved, and takes in what other programs
// did meanwhile, which could not be recorded either.
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

// savedInBackground takes the outcome of a save that the autosaver began.
func (p *autosaver) savedInBackground(err error) {
	p.trouble("", err)
	p.nudge() // for what is due by now, and what failed
}
