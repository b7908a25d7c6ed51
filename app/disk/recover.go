package disk

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

// recoverSaves cleans up after saves that a crash interrupted: temporary files
// and files torn by a write in place. What was not written yet is left to
// finishSaves, which knows the newest version.
func (r *Recovery) recoverSaves(ctx context.Context) error {
	pending, err := r.Store.PendingIntents(ctx)
	if err != nil || len(pending) == 0 {
		return err
	}
	report, err := r.Folder.Recover(ctx, r.contentOf(ctx, pending))
	if err != nil {
		return fmt.Errorf("recover from a crash: %w", err)
	}
	r.owe(report.Writes)
	r.tellUndone(report.Writes)
	for _, w := range report.Writes {
		switch {
		case w.Undone:
		case w.Repaired:
			r.Notice(w.Path + ": torn by a crash in the middle of a save; repaired from the history")
		case w.State == workspace.Conflict:
			r.Notice(w.Path + ": changed by another program around a crash; both versions are kept")
		}
	}
	return nil
}

// tellUndone says that a change of several files that was not recorded when the
// program ended has not happened, and of what of it this is not so.
func (r *Recovery) tellUndone(writes []workspace.Recovered) {
	var back []string
	for _, w := range writes {
		switch {
		case !w.Undone:
		case w.Err != nil:
			r.Notice(
				fmt.Sprintf(
					"%s: a change that was under way when waferpair ended could not be rolled back; the next start tries again: %v",
					w.Path, w.Err))
		case w.State == workspace.Conflict:
			r.Notice(w.Path +
				": changed by another program while a failed change was rolled back; that program's version stays in the file")
		case w.State == workspace.Written:
			r.Notice(w.Path +
				": a failed change left text in it, which the history has as another program's edit; revert that edit to remove it")
		case !slices.Contains(back, w.Path):
			back = append(back, w.Path)
		}
	}
	if len(back) > 0 {
		slices.Sort(back)
		r.Notice(fmt.Sprintf("a change that was under way when waferpair ended was rolled back in %s; make it again",
			some(back)))
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
func (r *Recovery) contentOf(ctx context.Context, pending []history.PendingIntent) func([32]byte) ([]byte, bool) {
	found := map[history.Hash][]byte{}
	loaded := false
	return func(h [32]byte) ([]byte, bool) {
		if !loaded {
			loaded = true
			for _, in := range pending {
				for _, w := range in.Writes {
					r.collectVersions(ctx, w.Path, found)
				}
			}
		}
		b, ok := found[h]
		return b, ok
	}
}

func (r *Recovery) collectVersions(ctx context.Context, path string, into map[history.Hash][]byte) {
	edits, err := r.Store.List(ctx, history.Filter{Path: path, Limit: versionsBack})
	if err != nil {
		return
	}
	ids := []history.EditID{0}
	for _, e := range edits {
		ids = append(ids, e.ID)
	}
	for _, id := range ids {
		if v, err := r.Store.At(ctx, id, path); err == nil && v.Exists {
			into[v.Hash] = v.Bytes
		}
	}
}

// recoverDrafts records what was being written and typed when the process
// died. They are edits like any other; a hunk is marked as cut off. What was
// typed in a file comes on top of the hunk that was being written there.
func (r *Recovery) recoverDrafts(ctx context.Context) error {
	drafts, err := r.Store.Drafts(ctx)
	if err != nil {
		return err
	}
	slices.SortStableFunc(drafts, func(a, b history.Draft) int { return cmp.Compare(layerOf(a), layerOf(b)) })
	for _, d := range drafts {
		if err := r.recoverDraft(ctx, d); err != nil {
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

func (r *Recovery) recoverDraft(ctx context.Context, d history.Draft) error {
	v, err := r.Store.Head(ctx, d.Path)
	if err != nil {
		return err
	}
	before := text.Of(v.Bytes)
	after, err := d.Changes.Apply(before)
	if err != nil || history.HashText(before) != d.Before {
		// The history was put back to an older state: what was drafted has no place there.
		r.Notice(fmt.Sprintf("%s: an edit that was being written when waferpair ended could not be recovered, because the history is a different one", d.Path))
		return r.Store.DropDraft(ctx, d.Turn, d.Path)
	}
	e := history.NewEdit{Path: d.Path, Kind: history.Text, Changes: d.Changes, Before: before, Partial: d.Turn != 0}
	if !v.Exists {
		e = history.NewEdit{Path: d.Path, Kind: history.Create, Content: after.Bytes(), Partial: d.Turn != 0}
	}
	if err := r.appendRecovered(ctx, "an edit that was being written when waferpair ended",
		history.Op{Author: d.Author, Turn: d.Turn, Edits: []history.NewEdit{e},
			Drafts: []history.Draft{{Turn: d.Turn, Path: d.Path, Author: d.Author}},
			Note:   "recovered: the program ended while this edit was being written"}); err != nil {
		return err
	}
	r.Notice(d.Path + ": recovered an edit that was being written when waferpair ended")
	return nil
}

// finishSaves writes the newest version of files that did not get it before
// the program ended.
func (r *Recovery) finishSaves(ctx context.Context, paths []string) error {
	for _, path := range paths {
		if r.Excluded(path) != "" {
			continue // ignored since; it is not ours to write any more
		}
		if err := r.finishSave(ctx, path); err != nil {
			r.Notice(fmt.Sprintf("%s: its newest version is in the history, and could not be written: %v", path, err))
		}
	}
	return nil
}

func (r *Recovery) finishSave(ctx context.Context, path string) error {
	head, err := r.Store.Head(ctx, path)
	if err != nil {
		return err
	}
	disk, err := r.Folder.Read(ctx, path)
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
	saved, err := r.Folder.Save(ctx, []workspace.Write{w})
	if err != nil {
		return err
	}
	state := history.DiskState{Path: path}
	if head.Exists {
		state = State(path, head.Hash, saved[0].Entry)
	}
	r.Notice(path + ": the edits that were unsaved when waferpair ended are saved now")
	return r.Store.SetDisk(ctx, []history.DiskState{state})
}

// appendRecovered records something, durably, or not at all.
func (r *Recovery) appendRecovered(ctx context.Context, what string, op history.Op) error {
	op.OrNot = true
	receipt, err := r.Append(ctx, op)
	if err == nil {
		err = receipt.Wait(ctx)
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

// owe notes the files that a change which did not come about is still in, because
// they could not be put back.
func (k *Intake) owe(writes []workspace.Recovered) {
	owed := map[string]error{}
	for _, w := range writes {
		if w.Undone && w.State == workspace.Unfinished {
			owed[w.Path] = w.Err
			if w.To != "" {
				owed[w.To] = w.Err
			}
		}
	}
	k.owed.Store(&owed)
}

// Owes is why a file holds what did not come about; nil when it does not. Nobody
// looks at it or changes it until a start has put it back: what was recorded of it,
// or made on top of it, would be half of a change that failed.
func (k *Intake) Owes(path string) error {
	if owed := k.owed.Load(); owed != nil {
		return (*owed)[path]
	}
	return nil
}
