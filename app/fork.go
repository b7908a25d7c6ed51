package app

import (
	"context"
	"slices"
	"strconv"

	"waferpair/history"
)

// forker switches between lines of edits.
type forker struct {
	*carrier
	sessions *sessions
}

// Fork starts a separate line of edits and turns at a moment and brings the files there.
// A fork at the newest edit branches off the current line, with its conversations,
// whichever line that edit was made on.
func (p *forker) Fork(ctx context.Context, name string, at history.EditID) (Done, error) {
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
	fork, err := p.store.PlanFork(ctx, name, at)
	if err != nil {
		return Done{}, err
	}
	return p.switchTo(ctx, func() (history.Plan, error) { return p.store.PlanRestore(ctx, fork.At) },
		func(save int64) error {
			if _, err := p.store.AddFork(context.WithoutCancel(ctx), fork); err != nil {
				return err
			}
			return p.store.SetBranchSaved(context.WithoutCancel(ctx), name, save)
		})
}

// SwitchFork switches to another line of edits and brings the files to its newest edit.
// The old line keeps everything.
func (p *forker) SwitchFork(ctx context.Context, name string) (Done, error) {
	if err := p.writable(); err != nil {
		return Done{}, err
	}
	return p.switchTo(ctx, func() (history.Plan, error) { return p.store.Switch(ctx, name) }, func(save int64) error {
		return p.store.SetBranchSaved(context.WithoutCancel(ctx), name, save)
	})
}

// switchTo brings the open files and the disk to another line, and makes that the current
// one: all or nothing. Unrecorded text belongs to the old line.
func (p *forker) switchTo(ctx context.Context, plan func() (history.Plan, error),
	record func(save int64) error) (Done, error) {
	if err := p.sessions.running.standStill(); err != nil {
		return Done{}, err
	}
	defer p.sessions.running.goOn()
	if err := p.Stored(); err != nil {
		return Done{}, err
	}
	steps := func(ctx context.Context) ([]step, error) {
		if err := p.flushAll(ctx); err != nil {
			return nil, err
		}
		pl, err := plan()
		if err != nil {
			return nil, err
		}
		return stepsOf(pl, p.withMasks)
	}
	done, err := p.carry(ctx, steps, allFiles, func(_ context.Context, _ []change, save int64) ([]history.EditID, error) {
		return nil, record(save)
	})
	if err != nil {
		return done, err
	}
	p.opt.Listener.FilesChanged()
	return done, p.followLine(ctx)
}

// followLine resumes the session of the line's newest turn if the current session has
// turns on other lines only.
func (p *forker) followLine(ctx context.Context) error {
	current, err := p.sessions.currentSession(ctx)
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

// withMasks accepts that a file comes back with its secrets masked; otherwise the line
// could not be reached.
func (p *forker) withMasks(path string) error {
	p.notice(path + ": secrets in it are masked; the history does not keep them")
	return nil
}

// flushAll records the unrecorded text of every file. The locks of all are held.
func (p *documents) flushAll(ctx context.Context) error {
	for _, d := range p.table.all() {
		if d.Settled() && !d.Newborn() {
			continue
		}
		if err := d.Flush(ctx); err != nil {
			return err
		}
	}
	return nil
}
