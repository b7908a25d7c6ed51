package live

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"waferpair/app/mask"
	"waferpair/history"
	"waferpair/workspace/text"
)

// Flush records all of live: the open hunk as far as it is written, and the user's
// typing.
func (d *Document) Flush(ctx context.Context) error {
	if err := d.RecordPart(ctx); err != nil {
		return err
	}
	return d.RecordTyped(ctx)
}

// RecordPart records the part of an open hunk that is written so far.
func (d *Document) RecordPart(ctx context.Context) error {
	r, err := d.recordHunk(ctx, true)
	d.early = append(d.early, r...)
	return err
}

// RecordHunk records the open hunk as an edit. It returns the receipts of the whole
// hunk, including the parts that were recorded earlier.
func (d *Document) RecordHunk(ctx context.Context, partial bool) (Acks, error) {
	r, err := d.recordHunk(ctx, partial)
	if err != nil {
		return nil, err
	}
	r, d.early = append(d.early, r...), nil
	return r, nil
}

// recordHunk records the open hunk. An empty hunk records nothing.
func (d *Document) recordHunk(ctx context.Context, partial bool) (Acks, error) {
	if !d.Writing() && !d.Newborn() {
		d.draftDue = time.Time{}
		d.undraft(ctx, d.hunkDrafted)
		return nil, nil
	}
	cs, after, err := d.CommitHunk()
	if err == nil {
		cs, err = effective(cs, d.Head()) // a hunk that undid itself leaves nothing
	}
	if err != nil {
		return nil, fmt.Errorf("record the edit of %s: %w", d.Path, err)
	}
	op := history.Op{Author: history.Model, Turn: d.Turn}
	if d.Turn == 0 { // the user made the file while nothing could be recorded
		op.Author = history.User
	}
	r, err := d.record(ctx, op, cs, after, partial)
	if err == nil {
		d.draftDue = time.Time{}
	}
	return r, err
}

// RecordTyped records what the user typed since the last recording. Typing that undid
// itself is not recorded.
func (d *Document) RecordTyped(ctx context.Context) error {
	switch {
	case !d.Typing():
		d.burst = burst{}
		d.undraft(ctx, d.typeDrafted)
		return nil
	case d.Moving():
		return nil // it is recorded under the new name
	}
	cs, after, ok, err := d.CommitTyped()
	if err == nil && (!ok || d.Newborn()) {
		if err = d.RecordPart(ctx); err == nil {
			cs, after, _, err = d.CommitTyped()
		}
	}
	if err == nil {
		cs, err = effective(cs, d.Head())
	}
	if err == nil {
		_, err = d.record(ctx, history.Op{Author: history.User}, cs, after, false)
	}
	if err != nil {
		return fmt.Errorf("record what you typed in %s: %w", d.Path, err)
	}
	d.burst = burst{}
	return nil
}

// MergeExternal applies another program's change of head and records it.
func (d *Document) MergeExternal(ctx context.Context, cs text.ChangeSet, note string) error {
	was, v := d.Buffer.Snapshot()
	by := Writer{Author: history.Outside}
	done, err := d.Put(ctx, by, v, cs)
	if err != nil {
		return err
	}
	cs, after, err := d.CommitHunk()
	if err == nil {
		_, err = d.record(ctx, history.Op{Author: history.Outside, Note: note}, cs, after, false)
	}
	if err != nil { // undo it: the next comparison with the disk merges it again
		back, e := done.Changes.Invert(was)
		if _, v = d.Buffer.Snapshot(); e == nil {
			_, e = d.Put(ctx, by, v, back)
		}
		err = errors.Join(err, e)
	}
	return err
}

// record appends cs as an edit of op, and replaces the layers with after. The same
// commit journals the drafts that are left above the new head.
func (d *Document) record(ctx context.Context, op history.Op, cs text.ChangeSet,
	after Layers, partial bool) (Acks, error) {
	if !d.Tracked() {
		return nil, d.advance(cs, after, after.Head(), false)
	}
	masked, m, redacted, err := mask.Change(d.Path, d.masked, cs, after.Head(), d.redacted)
	if err != nil {
		return nil, fmt.Errorf("record the edit of %s: %w", d.Path, err)
	}
	if op.Drafts, err = d.drafts(&after, m, redacted); err != nil {
		return nil, err
	}
	out, err := d.appendEdit(ctx, op, cs, masked, m, partial, d.redactions(cs, after.Head(), redacted))
	if err != nil {
		return nil, err
	}
	d.drafted(op.Drafts)
	d.unsavedBy.add(op.Author, out)
	return out, d.advance(cs, after, m, redacted)
}

// appendEdit appends the masked form of cs, or only the drafts when the masked form is
// empty.
func (d *Document) appendEdit(ctx context.Context, op history.Op, cs, masked text.ChangeSet, m text.Text, partial bool,
	hide *history.Hide) (Acks, error) {
	e := history.NewEdit{Path: d.Path, Kind: history.Text, Changes: masked, Before: d.masked, Partial: partial, Hide: hide}
	switch {
	case d.Newborn():
		e = history.NewEdit{Path: d.Path, Kind: history.Create, Content: m.Bytes(), Mode: d.Mode, Partial: partial}
	case masked.Empty():
		if !cs.Empty() {
			d.host.Notice(d.Path + ": only a secret changed; the history does not keep secrets, so this edit cannot be reverted")
		}
		return nil, d.host.Draft(ctx, op.Drafts...)
	}
	op.Edits = []history.NewEdit{e}
	r, err := d.host.Append(ctx, op)
	if err != nil {
		return nil, fmt.Errorf("record the edit of %s: %w", d.Path, err)
	}
	return Acks{r}, nil
}

// advance replaces the layers with after; cs leads from the old head to the new one.
func (d *Document) advance(cs text.ChangeSet, after Layers, m text.Text, redacted bool) error {
	if err := d.Disk.Advance(cs); err != nil {
		return fmt.Errorf("%s: %w", d.Path, err)
	}
	if cs.Empty() {
		d.Handle(Same)
	} else {
		d.Handle(Recorded)
	}
	d.Layers, d.masked, d.redacted = after, m, redacted
	return nil
}

// effective drops the parts of a change that insert the same text they delete.
func effective(cs text.ChangeSet, t text.Text) (text.ChangeSet, error) {
	list := slices.Collect(cs.Changes)
	effective := slices.DeleteFunc(slices.Clone(list), func(c text.Change) bool {
		return int(c.To-c.From) == len(c.Insert) && t.Slice(c.From, c.To).String() == c.Insert
	})
	if len(effective) == len(list) {
		return cs, nil
	}
	return text.NewChangeSet(cs.Len(), effective...)
}
