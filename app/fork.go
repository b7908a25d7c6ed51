package app

import (
	"context"
	"errors"
	"slices"
	"strconv"

	"waferpair/history"
)

// Fork starts a line of edits and turns of its own at a moment and brings the
// files there. At the newest edit it leaves the present line, with all that was
// said on it, whichever line that edit was made on.
func (p *Project) Fork(ctx context.Context, name string, at history.EditID) (Done, error) {
	if err := p.writable(); err != nil {
		return Done{}, err
	}
	c, err := p.store.Columns(ctx)
	if err != nil {
		return Done{}, err
	}
	if n := len(c.IDs); n > 0 && c.IDs[n-1] == at || n == 0 && at == 0 {
		at = history.Newest
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
	return done, errors.Join(p.Settle(ctx), p.moveAll(ctx, steps), p.followLine(ctx))
}

// followLine makes requests go to the session of the line's newest turn when the
// present session took place on other lines only.
func (p *Project) followLine(ctx context.Context) error {
	current, err := p.currentSession(ctx)
	if err != nil {
		return err
	}
	all, err := p.store.Sessions(ctx)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(all, func(s history.Session) bool { return s.ID == current })
	if i < 0 || all[i].Count > 0 || all[i].Elsewhere == 0 {
		return nil
	}
	turns, err := p.store.AllTurns(ctx)
	if err != nil || len(turns) == 0 {
		return err
	}
	return p.store.SetMark(ctx, sessionMark, strconv.FormatInt(int64(turns[len(turns)-1].Session), 10))
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
