package app

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"waferpair/app/disk"
	"waferpair/app/live"
	"waferpair/engine"
	"waferpair/history"
)

// documents are the open files.
type documents struct {
	*core
	*disk.Intake
	locks    fileLocks // one for each file
	table    table     // the open files
	touched  func()    // called when a text changed
	autosave func()    // wakes the autosaver
}

// host implements live.Host with the project.
type host struct{ *documents }

func (h host) Append(ctx context.Context, op history.Op) (history.Receipt, error) {
	return h.append(ctx, op)
}

func (h host) Draft(ctx context.Context, drafts ...history.Draft) error {
	return h.store.PutDraft(ctx, drafts...)
}

func (h host) Changed(path string) {
	h.opt.Listener.TextChanged(path)
	h.touched()
}

func (h host) Listed()                        { h.opt.Listener.FilesChanged() }
func (h host) Notice(says string)             { h.notice(says) }
func (h host) Trouble(path string, err error) { h.trouble(path, err) }

// recordAll records all typing. It continues after a failure.
func (p *documents) recordAll(ctx context.Context) error {
	var errs []error
	for _, d := range p.table.typing() {
		errs = append(errs, p.with(ctx, d, d.RecordTyped))
	}
	return errors.Join(errs...)
}

// holding calls do with the locks of some files, and again with more if do asks for them.
func (p *documents) holding(ctx context.Context, paths []string, do func(context.Context) error) error {
	for {
		err := p.under(ctx, p.locks.lock(paths), do)
		var more *missingLocks
		if !errors.As(err, &more) {
			return err
		}
		paths = slices.Concat(paths, more.paths)
	}
}

// holdingAll calls do with the locks of all files.
func (p *documents) holdingAll(ctx context.Context, do func(context.Context) error) error {
	return p.under(ctx, p.locks.lockAll(), do)
}

// under calls do with locks and releases them. It wakes the autosaver only afterwards: an
// autosaver that ran earlier could not look at the locked files.
func (p *documents) under(ctx context.Context, h *lockSet, do func(context.Context) error) error {
	err := h.during(ctx, do)
	if h.appended > 0 {
		p.autosave()
	}
	return err
}

// with calls do with the lock of an open file, wherever it has moved, and of some others;
// if the file is no longer open, it does nothing. Under the locks of all files do runs at
// once.
func (p *documents) with(ctx context.Context, d *live.Document, do func(context.Context) error, also ...string) error {
	for {
		path, open := p.table.pathOf(d)
		switch {
		case !open:
			return nil
		case locksOf(ctx).has(path):
			return do(ctx)
		}
		moved := false
		err := p.holding(ctx, append(also[:len(also):len(also)], path), func(ctx context.Context) error {
			now, open := p.table.pathOf(d)
			if moved = open && now != path; moved || !open {
				return nil
			}
			return do(ctx)
		})
		if !moved {
			return err
		}
	}
}

// tryWith is with for one file; it returns false instead of waiting.
func (p *documents) tryWith(ctx context.Context, d *live.Document, do func(context.Context) error) bool {
	path, open := p.table.pathOf(d)
	if !open {
		return true
	}
	h := p.locks.try(path)
	if h == nil {
		return false
	}
	return p.under(ctx, h, func(ctx context.Context) error {
		switch now, open := p.table.pathOf(d); {
		case !open:
			return nil
		case now != path:
			return errMoved
		}
		return do(ctx)
	}) == nil
}

var errMoved = errors.New("the file has been renamed")

// refuseBusy refuses files that a running turn has taken or claimed.
func (p *documents) refuseBusy(paths ...string) error {
	for _, path := range paths {
		if turn := cmp.Or(p.table.turnOf(path), p.claims.other(path, 0)); path != "" && turn != 0 {
			return &engine.Busy{Path: path, Turn: int64(turn)}
		}
	}
	return nil
}
