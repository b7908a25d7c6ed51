package app

import (
	"context"
	"fmt"
	"time"

	"waferpair/app/live"
	"waferpair/history"
	"waferpair/workspace"
	"waferpair/workspace/text"
)

// Type applies a change by a page's user to the document that the page was shown, based on
// a version that the page knows. On ErrReplaced and *workspace.VersionError nothing was
// applied: call Show again and rebase. Since returns the change with its origin.
func (p *documents) Type(ctx context.Context, path string, id int64, base workspace.Version,
	cs text.ChangeSet, origin string) error {
	if err := p.writable(); err != nil {
		return err
	}
	return p.holding(ctx, []string{path}, func(ctx context.Context) error {
		d, err := p.writableDocument(ctx, path, id)
		if err == nil {
			err = p.put(ctx, d, base, cs, origin)
		}
		return err
	})
}

// put applies a user's typing to a document.
func (p *documents) put(ctx context.Context, d *live.Document, base workspace.Version,
	cs text.ChangeSet, origin string) error {
	if grows := cs.NewLen() - cs.Len(); grows > 0 && d.Live().Len()+grows > workspace.DefaultMaxEditable {
		return fmt.Errorf("type in %s: it would be larger than %d MB, and could not be edited any more", d.Path,
			workspace.DefaultMaxEditable>>20)
	}
	if _, err := d.Put(ctx, live.Writer{Author: history.User, Origin: origin}, base, cs); err != nil {
		return fmt.Errorf("type in %s: %w", d.Path, err)
	}
	d.Key(time.Now())
	p.table.types(d, true)
	p.autosave()
	return nil
}

// writableDocument returns the open document of a page if its user may type there. Typing
// in a missing file creates it.
func (p *documents) writableDocument(ctx context.Context, path string, id int64) (*live.Document, error) {
	d, err := p.opened(path, id)
	switch {
	case err != nil:
		return nil, err
	case d.State().Track == live.Shown: // opened while nothing could be recorded
		p.evict(d)
		return nil, ErrReplaced
	case p.stillReadOnly(ctx, d):
		return nil, &notEditable{path: d.Path, why: d.ReadOnlyReason(), kind: kindText}
	case !d.Exists():
		return d, d.MakeTyped(ctx, p.store.Stalled)
	}
	return d, nil
}

// SaveFile records what the user typed in a file, and saves it. There may be nothing to do.
func (p *saver) SaveFile(ctx context.Context, path string) error {
	if err := p.writable(); err != nil {
		return err
	}
	d, err := p.recordAsked(ctx, path)
	if d == nil || err != nil {
		return err
	}
	return p.saveAsked(ctx, d)
}

// recordAsked ends the burst in a file, and makes a failed save due again.
func (p *documents) recordAsked(ctx context.Context, path string) (d *live.Document, err error) {
	clean, err := p.folder.Path(path)
	if err != nil {
		return nil, err
	}
	err = p.holding(ctx, []string{clean}, func(ctx context.Context) error {
		if d = p.table.at(clean); d == nil {
			return nil
		}
		d.Handle(live.Retry)
		return d.RecordTyped(ctx)
	})
	return d, err
}

// saveAsked saves until the recorded text of the file is on disk, or cannot be saved.
func (p *saver) saveAsked(ctx context.Context, d *live.Document) error {
	p.saving.Lock()
	defer p.saving.Unlock()
	p.retry(ctx, d) // a save may have failed since this one was requested
	var err error
	path, _ := p.table.pathOf(d)
	for range saveAttempts {
		if err := p.folder.CheckRoot(); err != nil {
			return fmt.Errorf("save %s: %w; what you typed is kept, and saved when the folder is back", path, err)
		}
		before := p.saves(ctx, d)
		if !before.Dirty() {
			return nil
		}
		err = p.saveOnce(ctx)
		if now := p.saves(ctx, d); now.n > before.n || now.Failed() || !now.Dirty() {
			return err
		}
	}
	if err != nil {
		return err // the reason of the wait
	}
	return fmt.Errorf("save %s: another program keeps saving it; what you typed is in the history", path)
}

// saves is a document's save state, and the number of its saves.
type saves struct {
	live.State
	n int
}

func (p *documents) saves(ctx context.Context, d *live.Document) (s saves) {
	_ = p.with(ctx, d, func(context.Context) error {
		s = saves{d.State(), d.Saves()}
		return nil
	})
	return s
}
