package history

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
)

// A lifeline is what happened to one file, from its newest appearance on: through
// renames and from parent branches into their children, oldest first. A file that
// was deleted and made again begins anew.
type lifeline struct {
	edits []lifeEdit
	base  int64 // the content before the first edit; 0: the first edit creates it
}

// lifeEdit is one edit of a lifeline.
type lifeEdit struct {
	id    EditID
	kind  Kind
	state int
	blob  int64 // whole content, or 0
	delta []byte
}

// life collects the lifeline of a path at the end of a lineage, back to edit
// since, which need not be the file's own. With since it has no base.
func (s *Store) life(ctx context.Context, path int64, lin []segment, since EditID) (lifeline, error) {
	l := &lifeWalk{ctx: ctx, q: s.read, since: since}
	for len(lin) > 0 && !l.done && lin[0].max >= since {
		from, at, err := (&walker{ctx: ctx, q: s.read}).renamedHere(path, lin[0])
		if err != nil {
			return lifeline{}, err
		}
		if err := l.segment(path, lin[0], at.id); err != nil {
			return lifeline{}, err
		}
		if l.done || from == 0 {
			lin = lin[1:]
			continue
		}
		l.edits = append(l.edits, lifeEdit{id: at.id, kind: Rename})
		path, lin = from, append([]segment{{lin[0].branch, at.id - 1}}, lin[1:]...)
	}
	if !l.done && since == 0 {
		if err := l.baseline(path); err != nil {
			return lifeline{}, err
		}
	}
	for i, j := 0, len(l.edits)-1; i < j; i, j = i+1, j-1 {
		l.edits[i], l.edits[j] = l.edits[j], l.edits[i]
	}
	return l.lifeline, nil
}

// lifeWalk collects a lifeline backwards.
type lifeWalk struct {
	lifeline
	ctx   context.Context
	q     querier
	since EditID
	done  bool // the file's beginning was met
}

// segment goes through the path's own edits of one branch, newest first.
func (l *lifeWalk) segment(path int64, seg segment, after EditID) error {
	rows, err := l.q.QueryContext(l.ctx, `SELECT id, kind, state, coalesce(blob, 0), delta FROM edit
		WHERE path = ? AND branch = ? AND id <= ? AND id > ? ORDER BY id DESC`,
		path, seg.branch, int64(seg.max), int64(max(after, l.since-1)))
	if err != nil {
		return err
	}
	defer rows.Close()
	for !l.done && rows.Next() {
		var e lifeEdit
		var kind int
		if err := rows.Scan(&e.id, &kind, &e.state, &e.blob, &e.delta); err != nil {
			return err
		}
		e.kind = word(kinds, kind)
		switch {
		case e.kind == Delete || e.kind == Rename: // of the file that was here before
			l.done = true
		case e.state&statePurged != 0:
			rows.Close()
			return l.baseline(path)
		default:
			l.edits = append(l.edits, e)
			l.done = e.kind == Create || e.kind == Symlink
		}
	}
	return errors.Join(rows.Close(), rows.Err())
}

// baseline ends the lifeline at what the path held when it was first seen.
func (l *lifeWalk) baseline(path int64) error {
	l.done = true
	var blob sql.NullInt64
	err := l.q.QueryRowContext(l.ctx, "SELECT blob FROM baseline WHERE path = ?", path).Scan(&blob)
	switch {
	case errors.Is(err, sql.ErrNoRows) && len(l.edits) == 0:
		return nil // never existed
	case errors.Is(err, sql.ErrNoRows):
		return fmt.Errorf("%w: the first content of the file is missing", ErrDamaged)
	case err == nil && !blob.Valid:
		return ErrPurged
	}
	l.base = blob.Int64
	return err
}
