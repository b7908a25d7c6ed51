package history

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"sync"
)

// Columns are the edits of the current branch in columns: entry i of each describes the
// same edit, oldest first.
type Columns struct {
	IDs     []EditID
	Times   []int64 // milliseconds since 1970
	Authors []int8  // index into AuthorNames
	Turns   []TurnID
	Paths   []int32 // index into Names
	To      []int32 // of a rename: index into Names, else -1
	Added   []int32 // lines
	Removed []int32
	Kinds   []int8 // index into KindNames
	Flags   []int8 // FlagPartial, FlagPurged
	Names   []string
	Undone  []EditID // the edits that are reverted now
}

// The bits of Columns.Flags.
const (
	FlagPartial = 1
	FlagPurged  = 2
)

// AuthorNames returns the authors that the numbers in Columns.Authors stand for.
func AuthorNames() []Author { return slices.Clone(authors) }

// KindNames returns the kinds that the numbers in Columns.Kinds stand for.
func KindNames() []Kind { return slices.Clone(kinds) }

// Columns returns all edits of the current branch. They are cached, so that another call
// costs what is new; the caller must not modify them.
func (s *Store) Columns(ctx context.Context) (Columns, error) {
	now, err := s.Stamp(ctx) // first: edits recorded later may or may not be included
	if err != nil {
		return Columns{}, err
	}
	if err := s.settled(ctx); err != nil {
		return Columns{}, err
	}
	c := &s.columns
	c.mu.Lock()
	defer c.mu.Unlock()
	c.stamp.reviewed = now.reviewed // reviews do not matter here
	if !c.loaded || !c.stamp.since(now) {
		c.reset()
	}
	if !c.loaded || c.stamp.edit != now.edit {
		if err := c.load(ctx, s); err != nil {
			c.reset()
			return Columns{}, fmt.Errorf("read the timeline: %w", err)
		}
	}
	c.stamp, c.loaded = now, true
	return c.Columns, nil
}

// After returns the index of the first entry after a moment; false if the moment is not an
// edit of these columns.
func (c Columns) After(id EditID) (int, bool) {
	switch id {
	case 0:
		return 0, true
	case Newest:
		return len(c.IDs), true
	}
	i, found := slices.BinarySearch(c.IDs, id)
	return i + 1, found
}

// columnCache caches the columns. Entries are only ever appended, so that callers may keep
// what they got.
type columnCache struct {
	mu     sync.Mutex
	loaded bool
	stamp  Stamp
	Columns
	index map[int64]int32 // the ID of a path -> its index in Names
}

func (c *columnCache) reset() {
	c.Columns, c.index, c.loaded = Columns{}, map[int64]int32{}, false
}

const columnsQuery = `SELECT e.id, e.path, e.to_path, e.kind | (e.state << 8) | (o.author << 16), e.added, e.removed, o.turn, o.at
	FROM edit e JOIN op o ON o.id = e.op`

// load appends the edits recorded since the last call.
func (c *columnCache) load(ctx context.Context, s *Store) error {
	last := EditID(0)
	if n := len(c.IDs); n > 0 {
		last = c.IDs[n-1]
	}
	where, args, err := s.where(ctx, Filter{After: last})
	if err != nil {
		return err
	}
	rows, err := s.read.QueryContext(ctx, columnsQuery+where+" ORDER BY e.id", args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := c.scan(rows); err != nil {
			return err
		}
	}
	if err := rows.Err(); err != nil {
		return err
	}
	if err := c.nameAll(ctx, s.rows()); err != nil {
		return err
	}
	return c.undone(ctx, s)
}

func (c *columnCache) scan(rows *sql.Rows) error {
	var id, path, packed, added, removed, turn, at int64
	var to sql.NullInt64
	if err := rows.Scan(&id, &path, &to, &packed, &added, &removed, &turn, &at); err != nil {
		return err
	}
	flags, state := int8(0), int(packed>>8&0xff)
	if state&statePartial != 0 {
		flags |= FlagPartial
	}
	if state&statePurgeMask != 0 {
		flags |= FlagPurged
	}
	other := int32(-1)
	if to.Valid {
		other = c.number(to.Int64)
	}
	c.IDs, c.Times = append(c.IDs, EditID(id)), append(c.Times, at)
	c.Authors, c.Kinds, c.Flags = append(c.Authors, int8(packed>>16)), append(c.Kinds, int8(packed&0xff)),
		append(c.Flags, flags)
	c.Turns, c.Paths, c.To = append(c.Turns, TurnID(turn)), append(c.Paths, c.number(path)), append(c.To, other)
	c.Added, c.Removed = append(c.Added, int32(added)), append(c.Removed, int32(removed))
	return nil
}

// number returns the index of a path in Names.
func (c *columnCache) number(path int64) int32 {
	n, ok := c.index[path]
	if !ok {
		n = int32(len(c.index))
		c.index[path] = n
	}
	return n
}

// nameAll reads the names of paths that are new in the columns.
func (c *columnCache) nameAll(ctx context.Context, r reader) error {
	names := make([]string, len(c.index))
	copy(names, c.Names)
	var fresh []int64
	for id, n := range c.index {
		if int(n) >= len(c.Names) {
			fresh = append(fresh, id)
		}
	}
	err := r.pathNames(ctx, fresh, func(id int64, path string) { names[c.index[id]] = path })
	c.Names = names
	return err
}

func (c *columnCache) undone(ctx context.Context, s *Store) error {
	r, err := s.rows().Reverts(ctx, s.lineage())
	if err != nil {
		return err
	}
	c.Undone = nil
	for id := range r.By {
		if r.Active(id) != 0 {
			c.Undone = append(c.Undone, id)
		}
	}
	slices.Sort(c.Undone)
	return nil
}
