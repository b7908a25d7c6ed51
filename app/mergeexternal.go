package app

import (
	"context"
	"errors"
	"fmt"

	"waferpair/app/disk"
	"waferpair/app/live"
	"waferpair/app/mask"
	"waferpair/engine"
	"waferpair/history"
	"waferpair/workspace"
	"waferpair/workspace/text"
)

// wrote processes the outcome of a write.
func (p *documents) wrote(ctx context.Context, d *live.Document, w workspace.Write, s workspace.Saved) error {
	var stale *workspace.StaleError
	switch {
	case errors.As(s.Err, &stale):
		d.Handle(live.SaveEnded)
		err := p.mergeExternal(ctx, d, stale.Disk)
		if err != nil && p.store.Stalled() != nil {
			d.Handle(live.SaveFailed) // it is neither merged nor overwritten
		}
		return err
	case s.Err != nil:
		// The edit is in history and stays unsaved; the autosaver and the next start try again.
		d.Handle(live.SaveFailed)
		return fmt.Errorf("%w (the edits are kept in the history)", s.Err)
	}
	d.Saved(s.After, w.Content)
	if s.State == workspace.Conflict {
		return &engine.OverlapError{Path: d.Path, By: string(history.Outside), Line: 1}
	}
	return nil
}

func (p *documents) diskState(d *live.Document, w workspace.Write, s workspace.Saved) history.DiskState {
	if w.Op == workspace.Delete {
		return history.DiskState{Path: d.Path}
	}
	m, _ := mask.Text(d.Path, text.Of(w.Content))
	return disk.State(d.Path, history.HashText(m), s.Entry)
}

// mergeExternal merges another program's version of a file that has unsaved edits. If the
// two changed different places, both stay. If they changed the same place, the other
// program's version wins, and ours stays in the history, or, for an untracked file, in
// the editor.
func (p *documents) mergeExternal(ctx context.Context, d *live.Document, disk *workspace.File) error {
	if why := p.store.Stalled(); why != nil && d.Tracked() {
		return fmt.Errorf("%s was changed by another program, which can be recorded only later: %w", d.Path, why)
	}
	if err := d.Flush(ctx); err != nil {
		return err
	}
	if disk == nil {
		return p.mergeExternalDelete(ctx, d)
	}
	if no := notText(*disk); no != nil {
		return p.closeNotText(d, no)
	}
	theirs := text.Of(disk.Bytes)
	cs, clash, err := merge(d, theirs)
	if err != nil {
		return err
	}
	note := ""
	if d.Disk.Unsaved() {
		note = "saved by another program while edits were being made"
	}
	if clash == nil || d.Tracked() {
		err = d.MergeExternal(ctx, cs, note)
	}
	if err != nil {
		return err
	}
	d.Merged(disk.Hash, theirs, clash != nil)
	d.Mode = disk.Entry.Mode.Perm()
	d.SetReadOnly(p.readOnlyReason(ctx, disk.Entry))
	if clash != nil {
		return p.reportConflict(d, clash)
	}
	return nil
}

// reportConflict reports a conflict: to the user, if only the user's typing lost.
func (p *documents) reportConflict(d *live.Document, clash error) error {
	by := d.Lost()
	switch {
	case by.Typed == 0 && d.Tracked():
		return clash
	case !d.Tracked():
		p.notice(d.Path + ": another program changed the lines that you typed in; your version is in the editor, " +
			"and saving it replaces the other one")
	default:
		p.notice(
			fmt.Sprintf(
				"%s: another program changed what you typed: its version is in the file, yours is edit %d of the history",
				d.Path, by.Typed))
	}
	if by.Model {
		return clash
	}
	return nil
}

// merge returns the change of head that merges theirs, and the conflict if there is one.
func merge(d *live.Document, theirs text.Text) (text.ChangeSet, *engine.OverlapError, error) {
	cs, clash, err := d.Disk.Merge(theirs)
	if len(clash) > 0 {
		return text.Diff(d.Head(), theirs), &engine.OverlapError{Path: d.Path, By: string(history.Outside),
			Line: d.Disk.Text().LineAt(clash[0].From) + 1}, nil
	}
	return cs, nil, err
}

// closeNotText closes a document whose file is no longer text. The edits are in the
// history, and do not overwrite the new content.
func (p *documents) closeNotText(d *live.Document, no *notEditable) error {
	if !d.Tracked() && d.Disk.Unsaved() {
		p.notice(fmt.Sprintf("%s: %s now; what you typed is only in the editor: copy it elsewhere", d.Path, no.why))
		return nil
	}
	p.notice(fmt.Sprintf("%s: %s now; the text that was edited is in the history", d.Path, no.why))
	p.evict(d)
	return nil
}

// mergeExternalDelete processes the deletion of a file by another program. Unsaved edits
// of it are in the history.
func (p *documents) mergeExternalDelete(ctx context.Context, d *live.Document) error {
	unsaved := d.Disk.Unsaved()
	if d.State().Known() && d.Tracked() {
		_, err := p.append(ctx, history.Op{Author: history.Outside, Note: goneNote(unsaved),
			Edits: []history.NewEdit{{Path: d.Path, Kind: history.Delete, Expect: d.HeadHash()}}})
		if err != nil {
			return err
		}
	}
	if err := d.Vanish(); err != nil || !unsaved {
		return err
	}
	return p.reportConflict(d, &engine.OverlapError{Path: d.Path, By: string(history.Outside), Line: 1})
}

func goneNote(unsaved bool) string {
	if unsaved {
		return "deleted by another program while edits were being made"
	}
	return ""
}

// preserve stores another program's version that a save replaced. It returns once the
// version is durable. Recover and Save call it, without any file lock.
func (p *documents) preserve(v workspace.Displaced) error {
	if why := p.exclusion(v.Path); why != "" {
		return errors.New(why) // the version stays beside the file, and the user hears where
	}
	return p.holding(context.Background(), []string{v.Path}, func(ctx context.Context) error {
		return p.keepDisplaced(ctx, v)
	})
}

func (p *documents) keepDisplaced(ctx context.Context, v workspace.Displaced) error {
	t, _ := mask.Text(v.Path, text.Of(v.Content))
	now, err := p.store.Head(ctx, v.Path)
	if err != nil {
		return err
	}
	if now.Exists && now.Hash == history.HashText(t) {
		return nil
	}
	op := history.Op{Author: history.Outside,
		Note: "saved by another program at the moment of our save; this version is kept here"}
	if !now.Exists {
		op.Edits = []history.NewEdit{{Path: v.Path, Kind: history.Create, Content: t.Bytes()}}
	} else {
		head := text.Of(now.Bytes)
		op.Edits = []history.NewEdit{{Path: v.Path, Kind: history.Text, Before: head, Changes: text.Diff(head, t)}}
	}
	if _, err := p.append(ctx, op); err != nil {
		return err
	}
	return p.recordRollback(ctx, v.Path, t, now)
}

// recordRollback records that the file holds our version again, after the replaced one.
func (p *documents) recordRollback(ctx context.Context, path string, displaced text.Text, ours history.Version) error {
	op := history.Op{Author: history.Recovery, Note: "the version that was saved by waferpair"}
	if ours.Exists {
		op.Edits = []history.NewEdit{{Path: path, Kind: history.Text, Before: displaced,
			Changes: text.Diff(displaced, text.Of(ours.Bytes))}}
	} else {
		op.Edits = []history.NewEdit{{Path: path, Kind: history.Delete, Expect: history.HashText(displaced)}}
	}
	r, err := p.append(ctx, op)
	if err != nil {
		return err
	}
	return r.Wait(ctx)
}
