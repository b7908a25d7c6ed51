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

// recoverSaves cleans up after interrupted saves: temporary files, and files torn by a write
// in place. Writes that did not happen are left to finishSaves, which knows the newest
// version.
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

// tellUndone tells the user about changes of several files that were rolled back because
// they were not recorded when the program ended, and about files where that failed.
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

// some joins the first few of many names.
func some(names []string) string {
	const few = 3
	if len(names) <= few {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:few], ", "), len(names)-few)
}

// versionsBack bounds the versions of a file that recovery searches.
const versionsBack = 200

// contentOf returns a function that finds the bytes of a version by hash, among the newest
// versions of the files that were being saved. Versions with masked secrets are not found.
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

// recoverDrafts records the hunks and typing that were unfinished when the process died. They
// become ordinary edits; a hunk is marked as cut off. Typing in a file is on top of the hunk
// in the same file.
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

// layerOf orders drafts: typing is above a hunk.
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
		// The history was replaced by an older state: the draft does not apply to it.
		r.Notice(d.Path + ": an edit that was being written when waferpair ended could not be recovered, " +
			"because the history is a different one")
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

// finishSaves writes the newest version of files whose save did not happen before the
// program ended.
func (r *Recovery) finishSaves(ctx context.Context, paths []string) error {
	for _, path := range paths {
		if r.Excluded(path) != "" {
			continue // ignored by now: not ours to write
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

// appendRecovered records an operation durably, or not at all.
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

// errNotRecovered says that the history cannot record the recovered text.
type errNotRecovered struct {
	what string
	why  error
}

func (e *errNotRecovered) Error() string {
	return fmt.Sprintf("%s cannot be recorded now either, and waits for the next start: %v", e.what, e.why)
}

func (e *errNotRecovered) Unwrap() error { return e.why }

// owe notes files that still hold a part of a failed change, because they could not be
// rolled back.
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

// Owes returns why a file still holds a part of a failed change; nil if it does not. Nobody
// reads or changes the file until a start has rolled it back; otherwise the history would
// get half of a failed change.
func (k *Intake) Owes(path string) error {
	if owed := k.owed.Load(); owed != nil {
		return (*owed)[path]
	}
	return nil
}
