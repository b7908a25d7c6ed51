package history

import (
	"context"
	"database/sql"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"

	"waferpair/history/version"
	"waferpair/workspace/text"
)

const editColumns = `e.id, e.op, e.branch, o.turn, coalesce(t.session, 0), o.author, e.kind, e.state, p.path,
	coalesce(q.path, ''), coalesce(e.mode, 0), e.added, e.removed, e.after, o.at, coalesce(o.note, '')`

const editTables = ` FROM edit e JOIN op o ON o.id = e.op JOIN path p ON p.id = e.path
	LEFT JOIN path q ON q.id = e.to_path LEFT JOIN turn t ON t.id = o.turn`

// List returns the edits that a filter selects, oldest first. With a limit it returns the
// newest ones.
func (s *Store) List(ctx context.Context, f Filter) ([]Edit, error) {
	if err := s.settled(ctx); err != nil {
		return nil, err
	}
	where, args, err := s.where(ctx, f)
	if err != nil {
		return nil, fmt.Errorf("list edits: %w", err)
	}
	query := "SELECT " + editColumns + editTables + where + " ORDER BY e.id DESC"
	if f.Limit > 0 {
		query += fmt.Sprintf(" LIMIT %d", f.Limit)
	}
	out, err := s.scanEdits(ctx, query, args)
	if err != nil {
		return nil, fmt.Errorf("list edits: %w", err)
	}
	slices.Reverse(out)
	return out, s.addReverts(ctx, out)
}

// where turns a filter into SQL. The lineage becomes ranges of IDs; the turn bounds the
// operations, so that no index on the turn is needed.
func (s *Store) where(ctx context.Context, f Filter) (string, []any, error) {
	var cond []string
	var args []any
	bounded := false
	add := func(c string, a ...any) {
		cond = append(cond, c)
		args = append(args, a...)
	}
	if !f.Branches {
		lin, err := s.filterLineage(f.Branch)
		if err != nil {
			return "", nil, err
		}
		// with two upper bounds, SQLite may use the wider one and scan all edits in between
		if bounded = f.Before > 0 && len(lin) == 1; bounded {
			lin = lin.UpTo(f.Before - 1)
		}
		var or []string
		for _, seg := range lin {
			or = append(or, "e.branch = ? AND e.id <= ?")
			args = append(args, seg.Branch, int64(seg.Max))
		}
		cond = append(cond, "("+strings.Join(or, " OR ")+")")
	}
	if f.Path != "" {
		pid, err := s.rows().PathID(ctx, f.Path)
		if err != nil {
			return "", nil, err
		}
		add("e.id IN (SELECT edit FROM step WHERE path = ? UNION ALL SELECT id FROM edit WHERE to_path = ?)", pid, pid)
	}
	if f.Turn != 0 {
		add("o.turn = ? AND e.op >= (SELECT first_op FROM turn WHERE id = ?)", int64(f.Turn), int64(f.Turn))
	}
	if f.Session != 0 {
		add("o.turn IN (SELECT id FROM turn WHERE session = ?) AND e.op >= (SELECT coalesce(min(first_op), 0) FROM turn WHERE session = ?)",
			int64(f.Session), int64(f.Session))
	}
	if f.Author != "" {
		a, err := code(authors, f.Author)
		if err != nil {
			return "", nil, err
		}
		add("o.author = ?", a)
	}
	if f.After > 0 {
		add("e.id > ?", int64(f.After))
	}
	if f.Before > 0 && !bounded {
		add("e.id < ?", int64(f.Before))
	}
	if len(cond) == 0 {
		return "", nil, nil
	}
	return " WHERE " + strings.Join(cond, " AND "), args, nil
}

func (s *Store) filterLineage(branch string) (version.Lineage, error) {
	if branch == "" {
		return s.lineage(), nil
	}
	b, err := s.branchByName(branch)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.lineageOf(b.id, Newest), nil
}

func (s *Store) scanEdits(ctx context.Context, query string, args []any) ([]Edit, error) {
	rows, err := s.read.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var out []Edit
	for rows.Next() {
		e, err := s.scanEdit(rows)
		if err != nil {
			return nil, err
		}
		out = append(out, e)
	}
	return out, rows.Err()
}

func (s *Store) scanEdit(rows *sql.Rows) (Edit, error) {
	var e Edit
	var branch, mode, at int64
	var author, kind, state int
	var after []byte
	err := rows.Scan(&e.ID, &e.Op, &branch, &e.Turn, &e.Session, &author, &kind, &state, &e.Path,
		&e.To, &mode, &e.Added, &e.Removed, &after, &at, &e.Note)
	if err != nil {
		return e, err
	}
	copy(e.Hash[:], after)
	e.Author, e.Kind, e.Mode = word(authors, author), word(kinds, kind), fs.FileMode(mode)
	e.Partial, e.Purged, e.Reclaimed = state&statePartial != 0, state&statePurgeMask != 0, state&stateReclaimed != 0
	e.Time = time.UnixMilli(at)
	s.mu.Lock()
	b, _ := s.branchByID(branch)
	s.mu.Unlock()
	e.Branch = b.Name
	return e, nil
}

// addReverts fills in which edits each edit reverts and which one reverts it.
func (s *Store) addReverts(ctx context.Context, edits []Edit) error {
	if len(edits) == 0 {
		return nil
	}
	r, err := s.rows().Reverts(ctx, s.lineage())
	if err != nil {
		return err
	}
	for i := range edits {
		e := &edits[i]
		e.Reverts = r.Of[e.ID]
		e.RevertedBy = r.Active(e.ID)
	}
	return nil
}

// Get returns an edit with its content.
func (s *Store) Get(ctx context.Context, id EditID) (Detail, error) {
	lin, err := s.moment(ctx, id)
	if err != nil || len(lin) == 0 {
		return Detail{}, fmt.Errorf("show edit %d: %w", id, orNoEdit(err))
	}
	edits, err := s.scanEdits(ctx, "SELECT "+editColumns+editTables+" WHERE e.id = ?", []any{int64(id)})
	if err == nil && len(edits) == 1 {
		err = s.addReverts(ctx, edits)
	}
	if err != nil || len(edits) != 1 {
		return Detail{}, fmt.Errorf("show edit %d: %w", id, orNoEdit(err))
	}
	d := Detail{Edit: edits[0]}
	if err := s.rows().content(ctx, &d, lin); err != nil {
		return d, fmt.Errorf("show edit %d of %s: %w", id, d.Path, err)
	}
	return d, nil
}

func orNoEdit(err error) error {
	if err == nil {
		return ErrNoEdit
	}
	return err
}

func (r reader) content(ctx context.Context, d *Detail, lin version.Lineage) error {
	before := lin.UpTo(d.ID - 1)
	var was, is text.Text
	var err error
	if d.Before, was, err = version.ReadPath(ctx, r, d.Path, before); err != nil {
		return err
	}
	after := d.Path
	if d.Kind == Rename {
		after = d.To
	}
	if d.After, is, err = version.ReadPath(ctx, r, after, lin); err != nil {
		return err
	}
	d.Before.Bytes, d.After.Bytes = was.Bytes(), is.Bytes()
	if d.Kind != Text {
		return nil
	}
	var raw []byte
	err = r.q.QueryRowContext(ctx, "SELECT "+deltaOf+" FROM edit e WHERE id = ?", int64(d.ID)).Scan(&raw)
	if err != nil || raw == nil {
		return err
	}
	x, err := version.DecodeDelta(raw)
	if err != nil {
		return err
	}
	d.Changes, err = x.Changes()
	return err
}
