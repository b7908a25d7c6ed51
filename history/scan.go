package history

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
)

// storedOp is an operation with all of its rows, as stored.
type storedOp struct {
	opRow
	chain Hash
	edits []storedEdit
	bases []storedBase
}

type storedEdit struct {
	editRow
	op     int64
	pathID int64
	toID   int64
	blob   int64 // 0: none
}

type storedBase struct {
	baseRow
	op     int64
	pathID int64
	blob   int64
	purged bool
}

// canonical returns the form that the operation's chain value covers.
func (o *storedOp) canonical() []byte {
	var c canon
	c.op(o.opRow)
	for _, e := range o.edits {
		c.edit(e.editRow)
	}
	for _, b := range o.bases {
		c.base(b.baseRow)
	}
	return c.b
}

// scan visits all operations from one on, in order. Its cursors advance side by side,
// because operations, edits and baselines are all sorted by operation.
func scan(ctx context.Context, q querier, from int64, fn func(*storedOp) error) error {
	sc := &scanner{ctx: ctx, q: q}
	defer sc.close()
	if err := sc.open(from); err != nil {
		return err
	}
	for sc.ops.Next() {
		var o storedOp
		if err := sc.readOp(&o); err != nil {
			return err
		}
		if err := fn(&o); err != nil {
			return err
		}
	}
	return sc.ops.Err()
}

type scanner struct {
	ctx                         context.Context
	q                           querier
	ops, editRows, bases, marks *sql.Rows
	edit                        *storedEdit // read ahead
	base                        *storedBase
	by, reverted                EditID
}

func (sc *scanner) open(from int64) (err error) {
	open := func(query string) *sql.Rows {
		rows, e := sc.q.QueryContext(sc.ctx, query, from)
		err = errors.Join(err, e)
		return rows
	}
	sc.ops = open("SELECT id, kind, branch, turn, author, at, coalesce(note, ''), chain FROM op WHERE id >= ? ORDER BY id")
	first := "(SELECT coalesce(min(id), 1 << 62) FROM edit WHERE op >= ?)"
	if from == 0 {
		first = "?"
	}
	sc.editRows = open(`SELECT e.id, e.op, e.branch, e.path, p.path, coalesce(e.to_path, 0), coalesce(q.path, ''), e.kind, e.state,
		e.mode, e.added, e.removed, e.after, coalesce(e.blob, 0), ` + deltaOf + `
		FROM edit e JOIN path p ON p.id = e.path LEFT JOIN path q ON q.id = e.to_path WHERE e.id >= ` + first + ` ORDER BY e.id`)
	sc.bases = open(`SELECT b.op, b.path, p.path, b.since, b.mode, b.after, coalesce(b.blob, 0)
		FROM baseline b JOIN path p ON p.id = b.path WHERE b.op >= ? ORDER BY b.op, b.path`)
	sc.marks = open(`SELECT by, edit FROM revert WHERE by >= ` + first + ` ORDER BY by, edit`)
	if err == nil {
		err = errors.Join(sc.nextMark(), sc.nextEdit(), sc.nextBase())
	}
	return err
}

func (sc *scanner) close() {
	for _, r := range []*sql.Rows{sc.ops, sc.editRows, sc.bases, sc.marks} {
		if r != nil {
			_ = r.Close() // it was only read; Err has reported what went wrong
		}
	}
}

func (sc *scanner) readOp(o *storedOp) error {
	var chain []byte
	var kind int
	err := sc.ops.Scan(&o.id, &kind, &o.branch, &o.turn, &o.author, &o.at, &o.note, &chain)
	if err != nil {
		return err
	}
	o.kind = opKind(kind)
	copy(o.chain[:], chain)
	for sc.edit != nil && sc.edit.op <= o.id {
		o.edits = append(o.edits, *sc.edit)
		if err := sc.nextEdit(); err != nil {
			return err
		}
	}
	for sc.base != nil && sc.base.op <= o.id {
		o.bases = append(o.bases, *sc.base)
		if err := sc.nextBase(); err != nil {
			return err
		}
	}
	return nil
}

func (sc *scanner) nextEdit() error {
	sc.edit = nil
	if !sc.editRows.Next() {
		return sc.editRows.Err()
	}
	var e storedEdit
	var mode sql.NullInt64
	var after []byte
	err := sc.editRows.Scan(&e.id, &e.op, &e.branch, &e.pathID, &e.path, &e.toID, &e.to, &e.kind, &e.state,
		&mode, &e.added, &e.removed, &after, &e.blob, &e.delta)
	if err != nil {
		return fmt.Errorf("edit %d: %w", e.id, err)
	}
	e.mode, e.hasMode, e.exists = fs.FileMode(mode.Int64), mode.Valid, after != nil
	copy(e.after[:], after)
	for sc.by != 0 && sc.by <= e.id {
		if sc.by == e.id {
			e.reverts = append(e.reverts, sc.reverted)
		}
		if err := sc.nextMark(); err != nil {
			return err
		}
	}
	sc.edit = &e
	return nil
}

func (sc *scanner) nextMark() error {
	sc.by = 0
	if !sc.marks.Next() {
		return sc.marks.Err()
	}
	return sc.marks.Scan(&sc.by, &sc.reverted)
}

func (sc *scanner) nextBase() error {
	sc.base = nil
	if !sc.bases.Next() {
		return sc.bases.Err()
	}
	var b storedBase
	var after []byte
	var mode int64
	if err := sc.bases.Scan(&b.op, &b.pathID, &b.path, &b.since, &mode, &after, &b.blob); err != nil {
		return err
	}
	b.mode, b.purged = fs.FileMode(mode), after == nil
	copy(b.after[:], after)
	sc.base = &b
	return nil
}
