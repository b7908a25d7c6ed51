package app

import (
	"context"
	"fmt"
	"time"

	"waferpair/history"
	"waferpair/workspace"
	"waferpair/workspace/secrets"
	"waferpair/workspace/text"
)

// Type applies what a page's user did to the document that the page was shown,
// based on a version that it knows. ErrReplaced and *workspace.VersionError
// mean: Show it again and rebase; nothing was applied. The origin comes back
// with the change in Since.
func (p *documents) Type(ctx context.Context, path string, id int64, base workspace.Version, cs text.ChangeSet, origin string) error {
	if err := p.writable(); err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	d, err := p.typeable(ctx, path, id)
	if err != nil {
		return err
	}
	if grows := cs.NewLen() - cs.Len(); grows > 0 && d.Live().Len()+grows > workspace.DefaultMaxEditable {
		return fmt.Errorf("type in %s: it would be larger than %d MB, and could not be edited any more", d.path, workspace.DefaultMaxEditable>>20)
	}
	if _, err := p.put(ctx, d, writer{history.User, origin}, base, cs); err != nil {
		return fmt.Errorf("type in %s: %w", d.path, err)
	}
	d.key(time.Now())
	d.undrafted = d.kept()
	p.typed[d] = true
	p.care()
	return nil
}

// typeable is the open document of a page, if its user may type there. Typing
// in a file that does not exist creates it.
func (p *documents) typeable(ctx context.Context, path string, id int64) (*document, error) {
	d, err := p.opened(path, id)
	switch {
	case err != nil:
		return nil, err
	case !d.synced: // shown while nothing could be recorded
		p.forget(d)
		return nil, ErrReplaced
	case p.stillFixed(ctx, d):
		return nil, &notEditable{path: d.path, why: d.fixed, kind: kindText}
	case !d.exists:
		return d, p.createTyped(ctx, d)
	}
	return d, nil
}

func (p *documents) createTyped(ctx context.Context, d *document) error {
	if d.kept() {
		_, err := p.append(ctx, history.Op{Author: history.User, Edits: []history.NewEdit{{Path: d.path, Kind: history.Create, Mode: d.mode}}})
		switch {
		case err != nil && p.store.Stalled() == nil:
			return fmt.Errorf("create %s: %w", d.path, err)
		case err != nil: // the user types on; it is recorded with what is typed
			d.newborn, d.turn = true, 0
		}
	}
	d.exists, d.recorded, d.dirty = true, !d.newborn, !d.newborn
	p.opt.Listener.FilesChanged()
	return nil
}

// SaveFile records what the user typed in a file, and brings it to disk. There
// may be nothing to do.
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

// recordAsked ends the burst in a file. A save that failed is wanted again.
func (p *documents) recordAsked(ctx context.Context, path string) (*document, error) {
	clean, err := p.folder.Path(path)
	if err != nil {
		return nil, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	d := p.docs[clean]
	if d == nil {
		return nil, nil
	}
	d.dirty, d.stuck = d.dirty || d.stuck, false
	return d, p.recordTyped(ctx, d)
}

// saveAsked saves until what is recorded of the file now is on disk, or cannot be.
func (p *saver) saveAsked(ctx context.Context, d *document) error {
	p.saving.Lock()
	defer p.saving.Unlock()
	var err error
	for range saveAttempts {
		if err := p.folder.Alive(); err != nil {
			return fmt.Errorf("save %s: %w; what you typed is kept, and saved when the folder is back", d.path, err)
		}
		before := p.saveState(d)
		if !before.dirty {
			return nil
		}
		err = p.saveOnce(ctx)
		if now := p.saveState(d); now.saves > before.saves || now.stuck || !now.dirty {
			return err
		}
	}
	if err != nil {
		return err // why it waits
	}
	return fmt.Errorf("save %s: another program saves it all the time; what you typed is in the history", d.path)
}

func (p *documents) saveState(d *document) saveState {
	p.mu.Lock()
	defer p.mu.Unlock()
	return d.saveState
}

// endsInSecret reports whether what the user typed ends, in some place, inside a
// word that may become a secret.
func (d *document) endsInSecret() bool {
	for c := range d.Back().Changes {
		end := c.To
		tail := d.Live().Slice(end, min(d.Live().Len(), end+maxWord)).Bytes()
		for n := 0; n < len(tail) && wordByte(tail[n]); n++ {
			end++
		}
		if _, yes := secrets.Unfinished(d.path, d.Live().Slice(max(0, end-maxWord), end).Bytes()); yes && c.To > c.From {
			return true
		}
	}
	return false
}

// maxWord is how much text is looked at on each side of where somebody types.
const maxWord = 1 << 10

func wordByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '-'
}
