package version

import (
	"context"
	"fmt"
	"io/fs"

	"waferpair/workspace/text"
)

// ReadPath is Read with the path's name.
func ReadPath(ctx context.Context, r Reader, path string, lin Lineage) (Version, text.Text, error) {
	id, err := r.PathID(ctx, path)
	if err != nil || id == 0 {
		return Version{}, text.Text{}, err
	}
	return Read(ctx, r, id, lin)
}

// Read returns the version of a path at the end of a lineage, and its text. The version's
// Bytes are not set; callers that need a copy take it from the text.
func Read(ctx context.Context, r Reader, path int64, lin Lineage) (Version, text.Text, error) {
	st, err := Walk(ctx, r, path, lin, true)
	if err != nil {
		return Version{}, text.Text{}, err
	}
	v := Version{Exists: st.Exists, Edit: st.Edit}
	if !st.Exists {
		return v, text.Text{}, nil
	}
	v.Mode, v.Hash = st.Mode, st.Hash
	t, err := st.Rebuild(ctx, r)
	return v, t, err
}

// Stack is what a version is rebuilt from: the newest whole content before it and the
// deltas since, newest first.
type Stack struct {
	Exists     bool
	Hash       Hash
	Mode       fs.FileMode
	Edit       EditID   // the newest edit of the path at that moment
	Content    []EditID // the edits that made the whole content and the deltas, newest first
	Blob       int64    // the whole content
	Deltas     int      // how many edits came after the whole content
	DeltaBytes int
	raw        [][]byte
	hasMode    bool
}

// walker follows a path back in time, through renames and into parent branches, until it
// finds a whole content.
type walker struct {
	ctx    context.Context
	r      Reader
	st     Stack
	asked  EditID // the ID of the requested moment
	deltas bool   // read the deltas too
	seen   bool   // the newest row of the file was found
	done   bool
}

// Walk returns the stack of the version of a path at the end of a lineage. Without deltas
// it describes the version but cannot rebuild it.
func Walk(ctx context.Context, r Reader, path int64, lin Lineage, deltas bool) (Stack, error) {
	w := &walker{ctx: ctx, r: r, deltas: deltas}
	if len(lin) > 0 {
		w.asked = lin[0].Max
	}
	for len(lin) > 0 && !w.done {
		from, at, err := r.Renamed(ctx, path, lin[0])
		if err != nil {
			return Stack{}, err
		}
		if err := w.segment(path, lin[0], at.ID); err != nil {
			return Stack{}, err
		}
		if w.done || from == 0 {
			lin = lin[1:]
			continue
		}
		w.meet(at)
		path, lin = from, lin.UpTo(at.ID-1)
	}
	if w.done {
		return w.st, nil
	}
	return w.st, w.first(path)
}

// segment visits the path's own rows that are newer than after.
func (w *walker) segment(path int64, seg Segment, after EditID) error {
	var gone Row
	for row, err := range w.r.Edits(w.ctx, path, seg, after, w.deltas) {
		if err != nil {
			return err
		}
		if row.Lost != nil {
			gone = row
			break
		}
		if row.Kind == Rename { // away from this path
			row.After = nil
		}
		if w.meet(row); w.done {
			break
		}
	}
	if gone.Lost == nil {
		return nil
	}
	return w.lost(path, gone)
}

// meet adds one row to the stack.
func (w *walker) meet(row Row) {
	st := &w.st
	if !w.seen {
		w.seen = true
		st.Edit, st.Exists = row.ID, row.After != nil
		copy(st.Hash[:], row.After)
		if !st.Exists {
			w.done = true
			return
		}
	}
	if row.HasMode && !st.hasMode {
		st.Mode, st.hasMode = row.Mode, true
	}
	st.Deltas++
	if row.Kind == Text || row.Blob != 0 {
		st.Content = append(st.Content, row.ID)
	}
	if row.Blob != 0 {
		st.Blob = row.Blob
		st.Deltas--
		w.done = true
		return
	}
	if row.Kind == Text {
		st.DeltaBytes += row.Size
		st.raw = append(st.raw, row.Delta)
	}
}

// lost handles a row whose content is removed. If the path was recorded again later, that
// first content counts from then on, but for no moment before it.
func (w *walker) lost(path int64, row Row) error {
	f, err := w.r.First(w.ctx, path)
	if err != nil {
		return err
	}
	if f == nil || f.After == nil || f.Since < row.ID || w.asked < f.Since {
		return row.Lost
	}
	return w.begin(f)
}

// first ends the walk at the first content of the path.
func (w *walker) first(path int64) error {
	f, err := w.r.First(w.ctx, path)
	switch {
	case err != nil:
		return err
	case f == nil && !w.seen:
		return nil // never existed
	case f == nil:
		return fmt.Errorf("%w: the first content of the file is missing", ErrDamaged)
	case f.After == nil:
		return ErrPurged
	}
	return w.begin(f)
}

func (w *walker) begin(f *First) error {
	w.done = true
	st := &w.st
	if !w.seen {
		st.Exists = true
		copy(st.Hash[:], f.After)
	}
	if !st.hasMode {
		st.Mode, st.hasMode = f.Mode, true
	}
	st.Blob = f.Blob
	return nil
}

// Rebuild returns the text of a stack, after comparing its hash.
func (st Stack) Rebuild(ctx context.Context, r Reader) (text.Text, error) {
	b, err := r.Content(ctx, st.Blob)
	if err != nil {
		return text.Text{}, err
	}
	t, err := replay(b, st.raw)
	if err != nil {
		return text.Text{}, err
	}
	if HashText(t) != st.Hash {
		return text.Text{}, ErrDamaged
	}
	return t, nil
}
