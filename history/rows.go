package history

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"iter"

	"waferpair/history/version"
)

// querier is a database, a connection or a transaction.
type querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// reader reads committed rows for package version and package plan. It does not see the
// queue.
type reader struct{ q querier }

// rows returns a reader of what is committed.
func (s *Store) rows() reader { return reader{s.read} }

// Edits returns the edits of a path in a segment that are newer than after, newest first.
func (r reader) Edits(ctx context.Context, path int64, seg version.Segment,
	after EditID, deltas bool) iter.Seq2[version.Row, error] {
	return func(yield func(version.Row, error) bool) {
		for more := true; more; {
			var rows []version.Row
			var err error
			if rows, more, err = r.chain(ctx, path, seg, after, deltas); err != nil {
				yield(version.Row{}, err)
				return
			}
			for _, row := range rows {
				if !yield(row, nil) {
					return
				}
				seg.Max = row.ID - 1
			}
		}
	}
}

// lost returns why an edit in a state lacks what the bits of a mask stand for.
func lost(state, mask int) error {
	switch {
	case state&mask == 0:
		return nil
	case state&stateReclaimed != 0:
		return ErrReclaimed
	default:
		return ErrPurged
	}
}

// Renamed returns the newest rename to the path in a segment.
func (r reader) Renamed(ctx context.Context, path int64,
	seg version.Segment) (from int64, rename version.Row, err error) {
	rename.Kind = Rename
	err = r.q.QueryRowContext(ctx, `SELECT id, path, after FROM edit
		WHERE to_path = ? AND branch = ? AND id <= ? AND state & 4 = 0 ORDER BY id DESC LIMIT 1`,
		path, seg.Branch, int64(seg.Max)).Scan(&rename.ID, &from, &rename.After)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, version.Row{}, nil
	}
	return from, rename, err
}

// First returns the first content of the path.
func (r reader) First(ctx context.Context, path int64) (*version.First, error) {
	var f version.First
	var mode sql.NullInt64
	err := r.q.QueryRowContext(ctx, "SELECT since, mode, after, coalesce(blob, 0) FROM baseline WHERE path = ?", path).
		Scan(&f.Since, &mode, &f.After, &f.Blob)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	f.Mode = fs.FileMode(mode.Int64)
	return &f, err
}

// Content returns a whole content. The caller compares its hash.
func (r reader) Content(ctx context.Context, id int64) ([]byte, error) {
	var size int
	var data []byte
	err := r.q.QueryRowContext(ctx, "SELECT size, data FROM blob WHERE id = ?", id).Scan(&size, &data)
	if err != nil {
		return nil, fmt.Errorf("read content %d: %w", id, err)
	}
	if data != nil {
		b, err := version.Unpack(make([]byte, 0, min(max(size, 0), 1<<20)), data)
		if err != nil {
			return nil, fmt.Errorf("content %d: %w (%v)", id, ErrDamaged, err)
		}
		return b, nil
	}
	return r.chunks(ctx, id, size)
}

func (r reader) chunks(ctx context.Context, id int64, size int) ([]byte, error) {
	rows, err := r.q.QueryContext(ctx, "SELECT data FROM chunk WHERE id BETWEEN ? AND ? ORDER BY id",
		id<<20, id<<20|0xfffff)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	out := make([]byte, 0, min(size, 1<<30))
	for rows.Next() {
		var z sql.RawBytes
		if err := rows.Scan(&z); err != nil {
			return nil, err
		}
		if out, err = version.Unpack(out, z); err != nil {
			return nil, fmt.Errorf("content %d: %w (%v)", id, ErrDamaged, err)
		}
	}
	return out, rows.Err()
}
