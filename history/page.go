package history

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"waferpair/history/version"
)

// Page selects edits of the current branch.
type Page struct {
	After, Before EditID // the edits between them, both excluded; Before 0: up to the newest
	Limit         int    // only the newest Limit of them; 0: all
}

// Page returns some edits of the current branch, in the form of Columns, and the newest
// edit before them, or 0 if there is none. Its cost depends on the page, not on the length
// of the history.
func (s *Store) Page(ctx context.Context, p Page) (c Columns, earlier EditID, err error) {
	if err := s.settled(ctx); err != nil {
		return c, 0, err
	}
	err = s.snapshot(ctx, func(r reader) error {
		c, earlier, err = r.page(ctx, s.lineage(), p)
		return err
	})
	if err != nil {
		err = fmt.Errorf("read a part of the timeline: %w", err)
	}
	return c, earlier, err
}

func (r reader) page(ctx context.Context, lin version.Lineage, p Page) (Columns, EditID, error) {
	upTo := lin
	if p.Before > 0 {
		upTo = lin.UpTo(p.Before - 1)
	}
	c := columnCache{}
	c.reset()
	limit := -1
	if p.Limit > 0 {
		limit = p.Limit + 1 // one more, to know whether there are earlier ones
	}
	for _, seg := range upTo { // newest first
		if err := c.back(ctx, r, seg, p.After, limit-len(c.IDs)); err != nil {
			return Columns{}, 0, err
		}
		if len(c.IDs) == limit {
			break
		}
	}
	var earlier EditID
	if len(c.IDs) == limit {
		earlier = c.IDs[p.Limit]
		c.Columns = c.Columns.first(p.Limit)
	}
	c.reverse()
	if err := c.nameAll(ctx, r); err != nil {
		return Columns{}, 0, err
	}
	return c.Columns, earlier, c.undoneAmong(ctx, r, lin)
}

// back appends the edits of a segment, newest first.
func (c *columnCache) back(ctx context.Context, r reader, seg version.Segment, after EditID, limit int) error {
	rows, err := r.q.QueryContext(ctx,
		columnsQuery+" WHERE e.branch = ? AND e.id <= ? AND e.id > ? ORDER BY e.id DESC LIMIT ?",
		seg.Branch, int64(seg.Max), int64(after), max(limit, -1))
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := c.scan(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}

// first returns the first n entries.
func (c Columns) first(n int) Columns {
	c.IDs, c.Times, c.Authors, c.Turns, c.Paths, c.To = c.IDs[:n], c.Times[:n], c.Authors[:n], c.Turns[:n],
		c.Paths[:n], c.To[:n]
	c.Added, c.Removed, c.Kinds, c.Flags = c.Added[:n], c.Removed[:n], c.Kinds[:n], c.Flags[:n]
	return c
}

func (c Columns) reverse() {
	slices.Reverse(c.IDs)
	slices.Reverse(c.Times)
	slices.Reverse(c.Authors)
	slices.Reverse(c.Turns)
	slices.Reverse(c.Paths)
	slices.Reverse(c.To)
	slices.Reverse(c.Added)
	slices.Reverse(c.Removed)
	slices.Reverse(c.Kinds)
	slices.Reverse(c.Flags)
}

// undoneAmong finds the entries that are reverted.
func (c *columnCache) undoneAmong(ctx context.Context, r reader, lin version.Lineage) error {
	n := len(c.IDs)
	if n == 0 {
		return nil
	}
	rel, err := r.revertsAmong(ctx, lin, c.IDs[0], c.IDs[n-1])
	if err != nil {
		return err
	}
	for id := range rel.By {
		if _, among := slices.BinarySearch(c.IDs, id); among && rel.Active(id) != 0 {
			c.Undone = append(c.Undone, id)
		}
	}
	slices.Sort(c.Undone)
	return nil
}

// Undone returns all edits of the current branch that are reverted now.
func (s *Store) Undone(ctx context.Context) ([]EditID, error) {
	var c columnCache
	if err := s.settled(ctx); err != nil {
		return nil, err
	}
	if err := c.undone(ctx, s); err != nil {
		return nil, fmt.Errorf("list the reverted edits: %w", err)
	}
	return c.Undone, nil
}

// Begun returns when the first edit of the current branch was made, in milliseconds since
// 1970, or 0 if there is none.
func (s *Store) Begun(ctx context.Context) (at int64, err error) {
	lin := s.lineage()
	for i := len(lin) - 1; i >= 0 && at == 0 && err == nil; i-- {
		err = s.read.QueryRowContext(ctx, `SELECT coalesce((SELECT o.at FROM edit e JOIN op o ON o.id = e.op
			WHERE e.branch = ? AND e.id <= ? ORDER BY e.id LIMIT 1), 0)`, lin[i].Branch, int64(lin[i].Max)).Scan(&at)
	}
	if err != nil {
		err = fmt.Errorf("find the first edit: %w", err)
	}
	return at, err
}

// pathNames reads the names of paths, many at a time.
func (r reader) pathNames(ctx context.Context, ids []int64, name func(id int64, path string)) error {
	for part := range slices.Chunk(ids, 500) {
		if err := r.somePathNames(ctx, part, name); err != nil {
			return err
		}
	}
	return nil
}

func (r reader) somePathNames(ctx context.Context, ids []int64, name func(id int64, path string)) error {
	rows, err := r.q.QueryContext(ctx, "SELECT id, path FROM path WHERE id IN ("+numbersOf(ids)+")")
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var id int64
		var path string
		if err := rows.Scan(&id, &path); err != nil {
			return err
		}
		name(id, path)
	}
	return rows.Err()
}

// numbersOf formats a list of numbers for SQL.
func numbersOf[N ~int64](list []N) string {
	var b strings.Builder
	for i, n := range list {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(strconv.FormatInt(int64(n), 10))
	}
	return b.String()
}

// farBack is how far back OfTurns reads edits. If the first of the turns is further back, it
// returns all edits, which are cached.
const farBack = 50_000

// OfTurns returns columns with all edits of the given turns, among others: an edit of a
// turn can be recorded long after the turn's end, but not before its beginning.
func (s *Store) OfTurns(ctx context.Context, turns []TurnID) (Columns, error) {
	if len(turns) == 0 {
		return Columns{}, nil
	}
	if err := s.settled(ctx); err != nil {
		return Columns{}, err
	}
	var first int64
	var newest, before EditID
	err := s.read.QueryRowContext(ctx,
		"SELECT coalesce(min(first_op), 0), (SELECT coalesce(max(id), 0) FROM edit) FROM turn WHERE id IN ("+numbersOf(turns)+
			")").Scan(&first, &newest)
	if err == nil {
		before, err = s.rows().lastBefore(ctx, first, newest)
	}
	if err != nil {
		return Columns{}, fmt.Errorf("find the edits of turns: %w", err)
	}
	if newest-before > farBack {
		return s.Columns(ctx)
	}
	c, _, err := s.Page(ctx, Page{After: before})
	return c, err
}

// lastBefore returns the last edit up to newest that was made before an operation, or 0.
// Edits and operations grow together, so a binary search finds it without an index.
func (r reader) lastBefore(ctx context.Context, op int64, newest EditID) (EditID, error) {
	low, high := int64(0), int64(newest)+1 // the result is low, or between the two
	for low+1 < high {
		middle, id, of := (low+high)/2, int64(0), int64(0)
		err := r.q.QueryRowContext(ctx, "SELECT id, op FROM edit WHERE id <= ? ORDER BY id DESC LIMIT 1", middle).
			Scan(&id, &of)
		switch {
		case errors.Is(err, sql.ErrNoRows) || err == nil && of < op:
			low = middle // the edits up to middle are older than the operation
		case err != nil:
			return 0, err
		default:
			high = id
		}
	}
	return EditID(low), nil
}
