package app

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"waferpair/app/live"
	"waferpair/app/mask"
	"waferpair/history"
	"waferpair/workspace/text"
)

// flush records everything that is live: as much as there is of the open hunk,
// and what the user typed. p.mu is held.
func (p *documents) flush(ctx context.Context, d *document) error {
	if err := p.recordPart(ctx, d); err != nil {
		return err
	}
	return p.recordTyped(ctx, d)
}

// recordPart records what there is of a hunk that is not finished.
func (p *documents) recordPart(ctx context.Context, d *document) error {
	r, err := p.recordHunk(ctx, d, true)
	d.early = append(d.early, r...)
	return err
}

// recordHunk records the open hunk. Nothing written records nothing.
func (p *documents) recordHunk(ctx context.Context, d *document, partial bool) (acks, error) {
	if !d.Writing() && !d.newborn {
		d.draftDue = time.Time{}
		return nil, nil
	}
	cs, after, err := d.CommitHunk()
	if err == nil {
		cs, err = effective(cs, d.Head()) // a hunk that was taken back leaves nothing
	}
	if err != nil {
		return nil, fmt.Errorf("record the edit of %s: %w", d.path, err)
	}
	op := history.Op{Author: history.Model, Turn: d.turn}
	if d.turn == 0 { // the user made the file while nothing could be recorded
		op.Author = history.User
	}
	r, err := p.record(ctx, d, op, cs, after, partial)
	if err == nil {
		d.draftDue = time.Time{}
	}
	return r, err
}

// recordTyped records what the user typed since the last recording. What came
// to nothing is not recorded.
func (p *documents) recordTyped(ctx context.Context, d *document) error {
	switch {
	case !d.Typing():
		d.burst = burst{}
		return nil
	case d.moving:
		return nil // recorded under the new name
	}
	cs, after, ok, err := d.CommitTyped()
	if err == nil && (!ok || d.newborn) {
		if err = p.recordPart(ctx, d); err == nil {
			cs, after, _, err = d.CommitTyped()
		}
	}
	if err == nil {
		cs, err = effective(cs, d.Head())
	}
	if err == nil {
		_, err = p.record(ctx, d, history.Op{Author: history.User}, cs, after, false)
	}
	if err != nil {
		return fmt.Errorf("record what you typed in %s: %w", d.path, err)
	}
	d.burst = burst{}
	return nil
}

// listTyped is the documents with unrecorded typing, by path.
func (p *documents) listTyped() []*document {
	return slices.SortedFunc(maps.Keys(p.typed), func(a, b *document) int { return strings.Compare(a.path, b.path) })
}

// recordAll ends every burst. It goes on after a failure.
func (p *documents) recordAll(ctx context.Context) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	var errs []error
	for _, d := range p.listTyped() {
		errs = append(errs, p.recordTyped(ctx, d))
	}
	return errors.Join(errs...)
}

// record appends cs as an edit of op, and makes the layers those after it.
// What is still unrecorded on top of it is journaled anew in the same commit.
func (p *documents) record(ctx context.Context, d *document, op history.Op, cs text.ChangeSet, after live.Layers, partial bool) (acks, error) {
	if !d.kept() {
		return nil, d.advance(cs, after, after.Head(), false)
	}
	masked, m, hidden, err := mask.Change(d.path, d.masked, cs, after.Head(), d.hidden)
	if err != nil {
		return nil, fmt.Errorf("record the edit of %s: %w", d.path, err)
	}
	if op.Drafts, err = d.drafts(&after, m, hidden); err != nil {
		return nil, err
	}
	out, err := p.appendEdit(ctx, d, op, cs, masked, m, partial, d.hides(cs, after.Head(), hidden))
	if err != nil {
		return nil, err
	}
	d.drafted(op.Drafts)
	d.unsavedBy.add(op.Author, out)
	return out, d.advance(cs, after, m, hidden)
}

// appendEdit appends the masked form of cs, or only its drafts when nothing is
// left of it.
func (p *documents) appendEdit(ctx context.Context, d *document, op history.Op, cs, masked text.ChangeSet, m text.Text, partial bool, hide *history.Hide) (acks, error) {
	e := history.NewEdit{Path: d.path, Kind: history.Text, Changes: masked, Before: d.masked, Partial: partial, Hide: hide}
	switch {
	case d.newborn:
		e = history.NewEdit{Path: d.path, Kind: history.Create, Content: m.Bytes(), Mode: d.mode, Partial: partial}
	case masked.Empty():
		if !cs.Empty() {
			p.notice(d.path + ": only a secret changed; the history does not keep secrets, so this edit cannot be reverted")
		}
		return nil, p.store.PutDraft(ctx, op.Drafts...)
	}
	op.Edits = []history.NewEdit{e}
	r, err := p.append(ctx, op)
	if err != nil {
		return nil, fmt.Errorf("record the edit of %s: %w", d.path, err)
	}
	return acks{r}, nil
}

// advance makes after the layers; cs leads from the head before to theirs.
func (d *document) advance(cs text.ChangeSet, after live.Layers, m text.Text, hidden bool) error {
	if err := d.disk.Advance(cs); err != nil {
		return fmt.Errorf("%s: %w", d.path, err)
	}
	d.dirty = d.dirty || d.newborn || !cs.Empty()
	d.Layers, d.masked, d.hidden = after, m, hidden
	d.recorded, d.newborn = true, false
	return nil
}

// gone makes d a file that does not exist; what is on disk is not touched.
func (p *documents) gone(d *document) error {
	d.exists, d.recorded = false, false
	d.fixed = "" // that was the file; another one may be made in its place
	d.masked, d.hidden = text.Text{}, false
	d.disk.Clear()
	p.opt.Listener.FilesChanged()
	return p.clear(d)
}

// effective leaves the parts of a change out that put the same text back.
func effective(cs text.ChangeSet, t text.Text) (text.ChangeSet, error) {
	list := slices.Collect(cs.Changes)
	kept := slices.DeleteFunc(slices.Clone(list), func(c text.Change) bool {
		return int(c.To-c.From) == len(c.Insert) && t.Slice(c.From, c.To).String() == c.Insert
	})
	if len(kept) == len(list) {
		return cs, nil
	}
	return text.NewChangeSet(cs.Len(), kept...)
}
