package history

import (
	"context"
	"fmt"
	"slices"

	"waferpair/history/version"
	"waferpair/workspace/text"
)

// Stretch is the state of a file at every moment from one to another, both included: a
// sequence of versions that differ only by changes of the text. Any other event (the file
// is created, deleted, renamed, replaced as a whole, purged) ends one stretch and begins
// another.
type Stretch struct {
	From, To EditID
	First    Version // at From
	Steps    []Step  // oldest first
}

// Step is an edit of a stretch: the change of the text, and the text after it.
type Step struct {
	Edit    EditID
	Changes text.ChangeSet
	After   text.Text
}

// The bounds of a stretch, to each side of the requested moment.
const (
	stretchSteps = 256
	stretchBytes = 256 << 10 // of stored deltas
)

// Around returns the stretch of a path around a moment. For a moment on another branch than
// the current one, or next to damage, it returns that moment alone.
func (s *Store) Around(ctx context.Context, id EditID, path string) (Stretch, error) {
	c, err := s.Columns(ctx)
	if err != nil {
		return Stretch{}, err
	}
	if id == Newest {
		id = c.last()
	}
	if end, ok := c.After(id); ok {
		if st, err := s.stretch(ctx, path, c.reach(path, end)); err == nil {
			return st, nil
		}
	}
	v, err := s.At(ctx, id, path)
	return Stretch{From: id, To: id, First: v}, err
}

func (s *Store) stretch(ctx context.Context, path string, r reach) (Stretch, error) {
	deltas, err := s.rows().deltas(ctx, path, &r)
	if err != nil {
		return Stretch{}, err
	}
	st := Stretch{From: r.from, To: r.to}
	if st.First, err = s.At(ctx, st.From, path); err != nil {
		return Stretch{}, err
	}
	if err := st.replay(r.steps, deltas); err != nil {
		return Stretch{}, err
	}
	return st, s.rows().sameAt(ctx, path, st)
}

func (c Columns) last() EditID {
	if n := len(c.IDs); n > 0 {
		return c.IDs[n-1]
	}
	return 0
}

// reach is the extent of a stretch: the edits after the version at from.
type reach struct {
	from, to EditID
	steps    []EditID
	middle   int // how many of the steps are up to the requested moment
}

// reach extends from an index of the columns to both sides, up to the next edit of the path
// that does not just change its text.
func (c Columns) reach(path string, end int) reach {
	n := int32(slices.Index(c.Names, path))
	if n < 0 {
		return reach{to: c.last()}
	}
	r := c.reachBack(n, end)
	r.middle, r.to = len(r.steps), c.last()
	for i := end; i < len(c.IDs); i++ {
		if !c.touches(i, n) {
			continue
		}
		if len(r.steps)-r.middle == stretchSteps || !c.changesText(i) {
			r.to = c.IDs[i] - 1
			break
		}
		r.steps = append(r.steps, c.IDs[i])
	}
	return r
}

func (c Columns) reachBack(path int32, end int) (r reach) {
	i := end - 1
	for ; i >= 0; i-- {
		if !c.touches(i, path) {
			continue
		}
		if len(r.steps) == stretchSteps || !c.changesText(i) {
			break
		}
		r.steps = append(r.steps, c.IDs[i])
	}
	slices.Reverse(r.steps)
	switch {
	case i >= 0 && (c.Flags[i]&FlagPurged == 0 || len(r.steps) == 0):
		r.from = c.IDs[i]
	case i >= 0: // the version right after a purged edit is unknown
		r.from, r.steps = r.steps[0], r.steps[1:]
	}
	return r
}

func (c Columns) touches(i int, path int32) bool { return c.Paths[i] == path || c.To[i] == path }

func (c Columns) changesText(i int) bool {
	return word(kinds, int(c.Kinds[i])) == Text && c.Flags[i]&FlagPurged == 0
}

// deltas reads the deltas of the steps, from the middle to both sides, and drops the steps
// beyond the bound.
func (r reader) deltas(ctx context.Context, path string, of *reach) ([][]byte, error) {
	pid, err := r.PathID(ctx, path)
	if err != nil {
		return nil, err
	}
	back := slices.Clone(of.steps[:of.middle])
	slices.Reverse(back)
	before, err := r.deltasOf(ctx, pid, back, "DESC")
	if err != nil {
		return nil, err
	}
	after, err := r.deltasOf(ctx, pid, of.steps[of.middle:], "ASC")
	if err != nil {
		return nil, err
	}
	if n := of.middle + len(after); n < len(of.steps) {
		of.to, of.steps = of.steps[n]-1, of.steps[:n]
	}
	if n := of.middle - len(before); n > 0 {
		of.from, of.steps = of.steps[n-1], of.steps[n:]
	}
	slices.Reverse(before)
	return append(before, after...), nil
}

// deltasOf reads the deltas of edits of a path, in their order, up to the bound.
func (r reader) deltasOf(ctx context.Context, pid int64, ids []EditID, order string) (out [][]byte, err error) {
	if len(ids) == 0 {
		return nil, nil
	}
	first, last := int64(ids[0]), int64(ids[len(ids)-1])
	rows, err := r.q.QueryContext(ctx, "SELECT s.edit, coalesce(s.delta, (SELECT delta FROM edit WHERE id = s.edit)) FROM step s WHERE s.path = ? AND s.edit BETWEEN ? AND ? ORDER BY s.edit "+order,
		pid, min(first, last), max(first, last))
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	size := 0
	for len(out) < len(ids) && size < stretchBytes && rows.Next() {
		var id EditID
		var delta []byte
		if err := rows.Scan(&id, &delta); err != nil {
			return nil, err
		}
		if id != ids[len(out)] {
			continue // on another branch
		}
		size += len(delta)
		out = append(out, delta)
	}
	return out, rows.Err()
}

// replay applies the deltas and fills in the steps.
func (st *Stretch) replay(ids []EditID, deltas [][]byte) error {
	t := text.Of(st.First.Bytes)
	for i, raw := range deltas {
		d, err := version.DecodeDelta(raw)
		if err != nil {
			return err
		}
		cs, err := d.Changes()
		if err == nil {
			t, err = cs.Apply(t)
		}
		if err != nil {
			return fmt.Errorf("edit %d: %w: %v", ids[i], ErrDamaged, err)
		}
		st.Steps = append(st.Steps, Step{ids[i], cs, t})
	}
	return nil
}

// sameAt compares the last version with its hash, which covers all versions before it.
func (r reader) sameAt(ctx context.Context, path string, st Stretch) error {
	n := len(st.Steps)
	if n == 0 {
		return nil
	}
	last := st.Steps[n-1]
	var after []byte
	err := r.q.QueryRowContext(ctx, "SELECT after FROM edit WHERE id = ?", int64(last.Edit)).Scan(&after)
	if err == nil && HashText(last.After) != Hash(after) {
		err = fmt.Errorf("read %s at edit %d: %w", path, last.Edit, ErrDamaged)
	}
	return err
}
