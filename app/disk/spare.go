package disk

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"waferpair/app/spare"
	"waferpair/history"
	"waferpair/workspace/text"
)

const spareWords = "what was typed when nothing could be recorded"

// recoverSpares records the text of spare files, and removes them once it is durable. A
// text that conflicts with newer versions is put into a file beside, and the user hears
// where.
//
// If the text cannot be recorded, it fails: new typing would not be based on it.
func (r *Recovery) recoverSpares(ctx context.Context) error {
	for _, name := range r.Spares.Found() {
		file, err := spare.Read(name)
		if err == nil {
			err = r.recoverSpare(ctx, file, name)
		}
		var no *errNotRecovered
		switch {
		case errors.As(err, &no):
			return err
		case err != nil:
			name = spare.Leave(name)
			r.Notice(fmt.Sprintf("%s holds what was typed in %s while it could not be recorded, and could not be recovered: %v",
				name, r.Folder.Root(), err))
		}
	}
	return nil
}

func (r *Recovery) recoverSpare(ctx context.Context, file spare.File, name string) error {
	drafts, err := r.Store.Drafts(ctx)
	if err != nil {
		return err
	}
	var taken []string
	for _, d := range file.Docs {
		placed, err := r.recoverUnrecorded(ctx, d, drafts)
		if err == nil && !placed {
			err = r.putBeside(d, name)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", d.Path, err)
		}
		if placed {
			taken = append(taken, d.Path)
		}
	}
	if err := r.Store.Flush(ctx); err != nil {
		return &errNotRecovered{spareWords, err}
	}
	if len(taken) > 0 {
		r.Notice("recovered what was typed while it could not be recorded: " + strings.Join(taken, ", "))
	}
	return os.Remove(name)
}

// recoverUnrecorded records the text of a file as an edit; false if it conflicts with what
// the history has. It drops the drafts of the file, which are older.
func (r *Recovery) recoverUnrecorded(ctx context.Context, d spare.Doc, drafts []history.Draft) (bool, error) {
	v, err := r.Store.Head(ctx, d.Path)
	if errors.Is(err, history.ErrPurged) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	now, want := text.Of(v.Bytes), text.Of(d.Text)
	head := history.Hash{}
	if v.Exists {
		head = v.Hash
	}
	changes := text.Diff(now, want)
	if head != d.Before && head != d.Head {
		if recorded, err := r.recordedSince(ctx, d); recorded || err != nil {
			return recorded, err
		}
		var fits bool
		if changes, fits, err = r.rebased(ctx, d, now); !fits || err != nil {
			return false, err
		}
	}
	op := history.Op{Author: history.User, Note: "recovered: this was typed while the history could not be written"}
	for _, x := range drafts {
		if x.Path == d.Path {
			op.Drafts = append(op.Drafts, history.Draft{Turn: x.Turn, Path: x.Path, Author: x.Author})
		}
	}
	switch {
	case !v.Exists:
		op.Edits = []history.NewEdit{{Path: d.Path, Kind: history.Create, Content: d.Text, Mode: d.Mode}}
	case changes.Empty():
		return true, r.Store.PutDraft(ctx, op.Drafts...)
	default:
		op.Edits = []history.NewEdit{{Path: d.Path, Kind: history.Text, Before: now, Changes: changes}}
	}
	err = r.appendRecovered(ctx, spareWords, op)
	return err == nil, err
}

// recordedSince reports whether the history has the text after all.
func (r *Recovery) recordedSince(ctx context.Context, d spare.Doc) (bool, error) {
	edits, err := r.Store.List(ctx, history.Filter{Path: d.Path, Limit: versionsBack})
	if err != nil {
		return false, err
	}
	want := history.HashBytes(d.Text)
	for _, e := range slices.Backward(edits) {
		switch e.Hash {
		case want:
			return true, nil
		case d.Before:
			return false, nil
		}
	}
	return false, nil
}

// rebased maps the typing over the changes up to a newer version; false if the two changed
// the same place.
func (r *Recovery) rebased(ctx context.Context, d spare.Doc, now text.Text) (text.ChangeSet, bool, error) {
	versions := map[history.Hash][]byte{}
	r.collectVersions(ctx, d.Path, versions)
	base, ok := versions[d.Before]
	if !ok {
		return text.ChangeSet{}, false, nil
	}
	mine, theirs := text.Diff(text.Of(base), text.Of(d.Text)), text.Diff(text.Of(base), now)
	if len(mine.Conflicts(theirs)) > 0 {
		return mine, false, nil
	}
	cs, err := mine.Map(theirs, true)
	return cs, err == nil, err
}

// putBeside writes a text that conflicts with the history into a file of its own.
func (r *Recovery) putBeside(d spare.Doc, name string) error {
	at, err := spare.Beside(name, d)
	if err != nil {
		return err
	}
	r.Notice(
		fmt.Sprintf(
			"%s: what was typed while it could not be recorded does not fit what the file holds now; it is kept as %s", d.Path,
			at))
	return nil
}
