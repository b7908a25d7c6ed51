package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"waferpair/app/mask"
	"waferpair/history"
	"waferpair/workspace"
	"waferpair/workspace/text"
)

// journal keeps workspace's save intents in the history's database, so that
// they are durable after the edits that they save, and before the disk changes.
type journal struct{ p *core }

func (j journal) Intend(ctx context.Context, writes []workspace.IntentWrite) (int64, error) {
	if j.p.store.Stalled() != nil && j.p.noneKept(writes) {
		return noIntent, nil
	}
	out := make([]history.IntentWrite, len(writes))
	for i, w := range writes {
		out[i] = history.IntentWrite{Path: w.Path, To: w.To, Op: w.Op.String(), Before: w.Before, After: w.After, Temp: w.Temp, Part: w.Part, Whole: w.Whole}
	}
	return j.p.store.Intend(ctx, out)
}

// noIntent stands for the intent of a save of files that the history does not
// keep while it cannot be written: they would be in memory alone otherwise.
const noIntent = -1

func (p *core) noneKept(writes []workspace.IntentWrite) bool {
	return !slices.ContainsFunc(writes, func(w workspace.IntentWrite) bool { return p.heldName(w.Path) == "" })
}

func (j journal) Done(ctx context.Context, id int64, outcomes []workspace.Outcome) error {
	if id == noIntent {
		return nil
	}
	var odd []string
	for _, o := range outcomes {
		if o.State != workspace.Written {
			odd = append(odd, fmt.Sprintf("%s: %s", o.Path, o.State))
		}
	}
	return j.p.store.IntentDone(ctx, id, strings.Join(odd, "; "))
}

func (j journal) Pending(ctx context.Context) ([]workspace.Intent, error) {
	pending, err := j.p.store.PendingIntents(ctx)
	if err != nil {
		return nil, err
	}
	known, err := j.p.store.Files(ctx)
	if err != nil {
		return nil, err
	}
	out := make([]workspace.Intent, len(pending))
	for i, in := range pending {
		out[i].ID, out[i].Recorded = in.ID, in.Recorded
		for _, w := range in.Writes {
			next := workspace.IntentWrite{Path: w.Path, To: w.To, Op: opOf(w.Op), Before: w.Before, After: w.After,
				Temp: w.Temp, Part: w.Part, Whole: w.Whole}
			next.Taken = w.Whole && !in.Recorded && j.p.takenIn(known, next)
			out[i].Writes = append(out[i].Writes, next)
		}
	}
	return out, nil
}

// takenIn reports whether history has seen what is on disk where a write was to
// be. A change is put back before anybody looks, so that this is so only where it
// could not be: its disk became read-only in the middle, say.
func (p *core) takenIn(known map[string]history.FileState, w workspace.IntentWrite) bool {
	name := cmp.Or(w.To, w.Path)
	st := known[name]
	e, err := p.folder.Stat(name)
	if w.Op == workspace.Delete {
		return errors.Is(err, fs.ErrNotExist) && st.Disk.IsZero()
	}
	return err == nil && (st.Disk == history.Hash(w.After) || lastSeen(st, e) && st.Disk != history.Hash(w.Before))
}

func opOf(name string) workspace.Op {
	for _, op := range []workspace.Op{workspace.Create, workspace.Update, workspace.Delete, workspace.Rename, workspace.Discard} {
		if op.String() == name {
			return op
		}
	}
	return 0
}

// recoverSaves cleans up after saves that a crash interrupted: temporary files
// and files torn by a write in place. What was not written yet is left to
// finishSaves, which knows the newest version.
func (p *recovery) recoverSaves(ctx context.Context) error {
	pending, err := p.store.PendingIntents(ctx)
	if err != nil || len(pending) == 0 {
		return err
	}
	report, err := p.folder.Recover(ctx, p.contentOf(ctx, pending))
	if err != nil {
		return fmt.Errorf("recover from a crash: %w", err)
	}
	p.owe(report.Writes)
	p.tellUndone(report.Writes)
	for _, w := range report.Writes {
		switch {
		case w.Undone:
		case w.Repaired:
			p.notice(w.Path + ": torn by a crash in the middle of a save; repaired from the history")
		case w.State == workspace.Conflict:
			p.notice(w.Path + ": changed by another program around a crash; both versions are kept")
		}
	}
	return nil
}

// tellUndone says that a change of several files that was not recorded when the
// program ended has not happened, and of what of it this is not so.
func (p *recovery) tellUndone(writes []workspace.Recovered) {
	var back []string
	for _, w := range writes {
		switch {
		case !w.Undone:
		case w.Err != nil:
			p.notice(fmt.Sprintf("%s: a change that was being made when waferpair ended could not be taken back, and is left alone until the next start: %v", w.Path, w.Err))
		case w.State == workspace.Conflict:
			p.notice(w.Path + ": changed by another program while a change that did not come about was taken back; its version stays in the file")
		case w.State == workspace.Written:
			p.notice(w.Path + ": what a change that did not come about left in it is in the history as another program's edit, and stays; revert that edit to be rid of it")
		case !slices.Contains(back, w.Path):
			back = append(back, w.Path)
		}
	}
	if len(back) > 0 {
		slices.Sort(back)
		p.notice(fmt.Sprintf("a change that was being made when waferpair ended did not come about: nothing of it is left in %s; make it again", some(back)))
	}
}

// some names the first few of many.
func some(names []string) string {
	const few = 3
	if len(names) <= few {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:few], ", "), len(names)-few)
}

// versionsBack is how many of a file's newest versions recovery looks at.
const versionsBack = 200

// contentOf finds the bytes of a version by its hash among the newest versions
// of the files that were being saved. A version with masked secrets has no
// bytes to offer.
func (p *recovery) contentOf(ctx context.Context, pending []history.PendingIntent) func([32]byte) ([]byte, bool) {
	found := map[history.Hash][]byte{}
	loaded := false
	return func(h [32]byte) ([]byte, bool) {
		if !loaded {
			loaded = true
			for _, in := range pending {
				for _, w := range in.Writes {
					p.collectVersions(ctx, w.Path, found)
				}
			}
		}
		b, ok := found[h]
		return b, ok
	}
}

func (p *core) collectVersions(ctx context.Context, path string, into map[history.Hash][]byte) {
	edits, err := p.store.List(ctx, history.Filter{Path: path, Limit: versionsBack})
	if err != nil {
		return
	}
	ids := []history.EditID{0}
	for _, e := range edits {
		ids = append(ids, e.ID)
	}
	for _, id := range ids {
		if v, err := p.store.At(ctx, id, path); err == nil && v.Exists {
			into[v.Hash] = v.Bytes
		}
	}
}

// recoverDrafts records what was being written and typed when the process
// died. They are edits like any other; a hunk is marked as cut off. What was
// typed in a file comes on top of the hunk that was being written there.
func (p *recovery) recoverDrafts(ctx context.Context) error {
	drafts, err := p.store.Drafts(ctx)
	if err != nil {
		return err
	}
	slices.SortStableFunc(drafts, func(a, b history.Draft) int { return cmp.Compare(layerOf(a), layerOf(b)) })
	for _, d := range drafts {
		if err := p.recoverDraft(ctx, d); err != nil {
			return fmt.Errorf("recover the edit of %s that was being written: %w", d.Path, err)
		}
	}
	return nil
}

// layerOf is how far up a draft lies: typing lies on top.
func layerOf(d history.Draft) int {
	if d.Turn == 0 {
		return 1
	}
	return 0
}

func (p *recovery) recoverDraft(ctx context.Context, d history.Draft) error {
	v, err := p.store.Head(ctx, d.Path)
	if err != nil {
		return err
	}
	before := text.Of(v.Bytes)
	after, err := d.Changes.Apply(before)
	if err != nil || history.HashText(before) != d.Before {
		// The history was put back to an older state: what was drafted has no place there.
		p.notice(fmt.Sprintf("%s: an edit that was being written when waferpair ended could not be kept, because its history does not fit", d.Path))
		return p.store.DropDraft(ctx, d.Turn, d.Path)
	}
	e := history.NewEdit{Path: d.Path, Kind: history.Text, Changes: d.Changes, Before: before, Partial: d.Turn != 0}
	if !v.Exists {
		e = history.NewEdit{Path: d.Path, Kind: history.Create, Content: after.Bytes(), Partial: d.Turn != 0}
	}
	if err := p.appendRecovered(ctx, "an edit that was being written when waferpair ended", history.Op{Author: d.Author, Turn: d.Turn, Edits: []history.NewEdit{e},
		Drafts: []history.Draft{{Turn: d.Turn, Path: d.Path, Author: d.Author}},
		Note:   "recovered: the program ended while this edit was being written"}); err != nil {
		return err
	}
	p.notice(d.Path + ": recovered an edit that was being written when waferpair ended")
	return nil
}

// finishSaves writes the newest version of files that did not get it before
// the program ended.
func (p *recovery) finishSaves(ctx context.Context, paths []string) error {
	for _, path := range paths {
		if p.heldName(path) != "" {
			continue // ignored since; it is not ours to write any more
		}
		if err := p.finishSave(ctx, path); err != nil {
			p.notice(fmt.Sprintf("%s: its newest version is in the history, and could not be written: %v", path, err))
		}
	}
	return nil
}

func (p *recovery) finishSave(ctx context.Context, path string) error {
	head, err := p.store.Head(ctx, path)
	if err != nil {
		return err
	}
	disk, err := p.folder.Read(ctx, path)
	onDisk := err == nil
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	w := workspace.Write{Path: path, Before: disk.Hash}
	switch {
	case head.Exists && onDisk:
		w.Op = workspace.Update
		if w.Content, err = mask.Lift(path, text.Of(disk.Bytes), text.Of(head.Bytes)); err != nil {
			return err
		}
	case head.Exists:
		w.Op, w.Content, w.Mode = workspace.Create, head.Bytes, &head.Mode
	case onDisk:
		w.Op = workspace.Delete
	default:
		return nil
	}
	saved, err := p.folder.Save(ctx, []workspace.Write{w})
	if err != nil {
		return err
	}
	state := history.DiskState{Path: path}
	if head.Exists {
		state = diskState(path, head.Hash, saved[0].Entry)
	}
	p.notice(path + ": the edits that were kept when waferpair ended are written now")
	return p.store.SetDisk(ctx, []history.DiskState{state})
}

// appendRecovered records something, durably, or not at all.
func (p *core) appendRecovered(ctx context.Context, what string, op history.Op) error {
	op.OrNot = true
	r, err := p.append(ctx, op)
	if err == nil {
		err = r.Wait(ctx)
	}
	if err != nil {
		return &errNotRecovered{what, err}
	}
	return nil
}

// errNotRecovered says that the history does not take what is to be recovered.
type errNotRecovered struct {
	what string
	why  error
}

func (e *errNotRecovered) Error() string {
	return fmt.Sprintf("%s cannot be recorded now either, and waits for the next start: %v", e.what, e.why)
}

func (e *errNotRecovered) Unwrap() error { return e.why }
