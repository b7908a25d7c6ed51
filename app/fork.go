package app

import (
	"context"
	"errors"

	"waferpair/history"
)

// Fork starts a line of edits of its own at a moment and brings the files there.
func (p *Project) Fork(ctx context.Context, name string, at history.EditID) (Done, error) {
	if err := p.writable(); err != nil {
		return Done{}, err
	}
	if _, err := p.store.Fork(ctx, name, at); err != nil {
		return Done{}, err
	}
	return p.SwitchFork(ctx, name)
}

// SwitchFork goes to another line of edits: the files become what they were at
// its newest edit. The line that is left keeps everything.
func (p *Project) SwitchFork(ctx context.Context, name string) (Done, error) {
	if err := p.writable(); err != nil {
		return Done{}, err
	}
	return p.switchTo(ctx, name)
}

// switchTo brings the open files and the disk to the other line. The branch
// changes first: after a crash in between, the files are behind its newest
// versions, and the next start writes those, as after any crash.
func (p *Project) switchTo(ctx context.Context, name string) (Done, error) {
	if err := p.Settle(ctx); err != nil {
		return Done{}, err
	}
	if err := p.baseline.wait(); err != nil {
		return Done{}, err
	}
	p.mu.Lock()
	steps, done, err := p.switchDocs(ctx, name)
	p.mu.Unlock()
	if err != nil {
		return done, err
	}
	p.opt.Listener.FilesChanged()
	return done, errors.Join(p.Settle(ctx), p.moveAll(ctx, steps))
}

// switchDocs changes the branch, and with it, in one go, the documents: what
// was being written and typed in them belongs to the line that is left.
func (p *Project) switchDocs(ctx context.Context, name string) ([]step, Done, error) {
	var done Done
	if err := p.flushAll(ctx); err != nil {
		return nil, done, err
	}
	steps, err := p.settledSteps(ctx, func() ([]step, error) { return p.switchSteps(ctx, name) })
	if err != nil {
		return nil, done, err
	}
	_, next, err := p.prepareAll(ctx, steps, &done, &history.Op{})
	if err != nil {
		return nil, done, err
	}
	if err := p.store.SetBranch(ctx, name); err != nil {
		return nil, done, err
	}
	for _, advance := range next {
		if err := advance(); err != nil {
			return nil, done, err
		}
	}
	return steps, done, nil
}

func (p *Project) switchSteps(ctx context.Context, name string) ([]step, error) {
	plan, err := p.store.Switch(ctx, name)
	if err != nil {
		return nil, err
	}
	return stepsOf(plan, p.withMasks)
}

// withMasks lets a file come back with its secrets masked: the line cannot be
// reached otherwise.
func (p *Project) withMasks(path string) error {
	p.notice(path + ": secrets in it are masked; the history does not keep them")
	return nil
}

// flushAll records everything that is live in every file.
func (p *Project) flushAll(ctx context.Context) error {
	for _, d := range p.docs {
		if d.settled() && !d.newborn {
			continue
		}
		if err := p.flush(ctx, d); err != nil {
			return err
		}
	}
	return nil
}
