package history

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"

	"waferpair/workspace/text"
)

// segment is a stretch of a lineage: the edits of one branch up to an ID.
type segment struct {
	branch int64
	max    EditID
}

// stack is what a version is rebuilt from: the newest whole content before it and
// the deltas since, newest first.
type stack struct {
	exists     bool
	hash       Hash
	mode       fs.FileMode
	edit       EditID // the newest edit of the path at that moment
	blob       int64
	raw        [][]byte
	content    []EditID // the edits that raw and blob are from, newest first
	deltas     int
	deltaBytes int
	hasMode    bool
}

// walker follows a path back in time, through renames and into parent branches,
// until it meets a whole content.
type walker struct {
	ctx    context.Context
	q      querier
	st     stack
	asked  EditID // the moment
	deltas bool   // read the deltas too
	seen   bool   // the newest row of the file was met
	done   bool
}

// walk returns what the version of a path at the end of a lineage is made of.
func walk(ctx context.Context, q querier, path int64, lin []segment, deltas bool) (stack, error) {
	w := &walker{ctx: ctx, q: q, deltas: deltas}
	if len(lin) > 0 {
		w.asked = lin[0].max
	}
	for len(lin) > 0 && !w.done {
		from, at, err := w.renamedHere(path, lin[0])
		if err != nil {
			return stack{}, err
		}
		if err := w.segment(path, lin[0], at.id); err != nil {
			return stack{}, err
		}
		if w.done || from == 0 {
			lin = lin[1:]
			continue
		}
		w.meet(at)
		path = from
		lin = append([]segment{{lin[0].branch, at.id - 1}}, lin[1:]...)
	}
	if w.done {
		return w.st, nil
	}
	return w.st, w.baseline(path)
}

// step is one row on the way back.
type step struct {
	id    EditID
	kind  Kind
	state int
	mode  sql.NullInt64
	after []byte
	blob  sql.NullInt64
	delta []byte
	size  int
}

// renamedHere returns the newest rename onto the path in a segment.
func (w *walker) renamedHere(path int64, seg segment) (from int64, at step, err error) {
	at.kind = Rename
	err = w.q.QueryRowContext(w.ctx, `SELECT id, path, after FROM edit
		WHERE to_path = ? AND branch = ? AND id <= ? AND state & 4 = 0 ORDER BY id DESC LIMIT 1`,
		path, seg.branch, int64(seg.max)).Scan(&at.id, &from, &at.after)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, step{}, nil
	}
	return from, at, err
}

// segment goes through the rows of the path itself that are newer than after.
func (w *walker) segment(path int64, seg segment, after EditID) error {
	column := "NULL"
	if w.deltas {
		column = "delta"
	}
	rows, err := w.q.QueryContext(w.ctx, `SELECT id, kind, state, mode, after, blob, `+column+`, coalesce(length(delta), 0) FROM edit
		WHERE path = ? AND branch = ? AND id <= ? AND id > ? ORDER BY id DESC`, path, seg.branch, int64(seg.max), int64(after))
	if err != nil {
		return err
	}
	defer rows.Close()
	gone, why := EditID(0), ErrPurged
	for !w.done && gone == 0 && rows.Next() {
		var s step
		var kind int
		if err := rows.Scan(&s.id, &kind, &s.state, &s.mode, &s.after, &s.blob, &s.delta, &s.size); err != nil {
			return err
		}
		s.kind = word(kinds, kind)
		if s.state&statePurged != 0 {
			if gone = s.id; s.state&stateReclaimed != 0 {
				why = ErrReclaimed
			}
			break
		}
		if s.kind == Rename { // away from this path
			s.after = nil
		}
		w.meet(s)
	}
	if err := rows.Close(); err != nil || gone == 0 {
		return errors.Join(err, rows.Err())
	}
	return w.purged(path, gone, why)
}

// meet takes one row into the stack.
func (w *walker) meet(s step) {
	st := &w.st
	if !w.seen {
		w.seen = true
		st.edit, st.exists = s.id, s.after != nil
		copy(st.hash[:], s.after)
		if !st.exists {
			w.done = true
			return
		}
	}
	if s.mode.Valid && !st.hasMode {
		st.mode, st.hasMode = fs.FileMode(s.mode.Int64), true
	}
	st.deltas++
	if s.kind == Text || s.blob.Valid {
		st.content = append(st.content, s.id)
	}
	if s.blob.Valid {
		st.blob = s.blob.Int64
		st.deltas--
		w.done = true
		return
	}
	if s.kind == Text {
		st.deltaBytes += s.size
		st.raw = append(st.raw, s.delta)
	}
}

// purged: nothing of the row is left. What the path held when it was recorded
// anew, if it was, is the content from there on, and at no moment before that.
func (w *walker) purged(path int64, id EditID, why error) error {
	var since int64
	err := w.q.QueryRowContext(w.ctx, "SELECT since FROM baseline WHERE path = ? AND after IS NOT NULL", path).Scan(&since)
	if errors.Is(err, sql.ErrNoRows) || err == nil && (EditID(since) < id || w.asked < EditID(since)) {
		return why
	}
	if err != nil {
		return err
	}
	return w.baseline(path)
}

// baseline ends the walk at what the path held when it was first seen.
func (w *walker) baseline(path int64) error {
	w.done = true
	var after []byte
	var mode, blob sql.NullInt64
	err := w.q.QueryRowContext(w.ctx, "SELECT mode, after, blob FROM baseline WHERE path = ?", path).Scan(&mode, &after, &blob)
	switch {
	case errors.Is(err, sql.ErrNoRows) && !w.seen:
		return nil // never existed
	case errors.Is(err, sql.ErrNoRows):
		return fmt.Errorf("%w: the first content of the file is missing", ErrDamaged)
	case err != nil:
		return err
	case after == nil:
		return ErrPurged
	}
	st := &w.st
	if !w.seen {
		st.exists = true
		copy(st.hash[:], after)
	}
	if !st.hasMode {
		st.mode, st.hasMode = fs.FileMode(mode.Int64), true
	}
	st.blob = blob.Int64
	return nil
}

// rebuild makes the text of a stack and compares its hash.
func (st stack) rebuild(ctx context.Context, q querier) (text.Text, error) {
	b, err := readBlob(ctx, q, st.blob)
	if err != nil {
		return text.Text{}, err
	}
	t := text.Of(b)
	for i := len(st.raw) - 1; i >= 0; i-- {
		if t, err = applyDelta(t, st.raw[i]); err != nil {
			return text.Text{}, err
		}
	}
	if HashText(t) != st.hash {
		return text.Text{}, ErrDamaged
	}
	return t, nil
}

func applyDelta(t text.Text, raw []byte) (text.Text, error) {
	d, err := decodeDelta(raw)
	if err != nil {
		return t, err
	}
	cs, err := d.changes()
	if err != nil {
		return t, fmt.Errorf("%w: %v", ErrDamaged, err)
	}
	out, err := cs.Apply(t)
	if err != nil {
		return t, fmt.Errorf("%w: %v", ErrDamaged, err)
	}
	return out, nil
}
