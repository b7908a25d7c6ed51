package history

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"slices"
	"strconv"

	"waferpair/history/version"
)

// A version is built from the edits of its file since the last version stored whole, its
// chain. Table step has them side by side, on a page or two; for rows there without a
// delta, and for the newest one, the rest is in table edit. Reading a row out of SQLite by
// itself and decoding it costs more than finding it. So a query returns the whole chain as
// one value, row after row, each with its numbers and then its bytes:
//
//	id kind state mode blob hash-length delta-length hash delta
//
// A NULL is -1.

const (
	// chainRows bounds the edits in one value, and chainDelta the deltas that are part of
	// it: larger ones are read separately, so that neither memory nor SQLite's limit on the
	// length of a value is ever a problem.
	chainRows  = 1000
	chainDelta = 16 << 10
)

// plainLink is a text edit that table step describes completely, otherLink any other row.
// Table edit is read for as few rows as possible, because they are spread over all its
// pages.
const (
	plainLink = `printf('%d 0 0 -1 0 -1 %d ', s.edit, octet_length(s.delta)) || CASE WHEN octet_length(s.delta) <= ?5 THEN s.delta ELSE '' END`
	otherLink = `(SELECT printf('%d %d %d %d %d %d %d ', e.id, e.kind, e.state, ifnull(e.mode, -1), ifnull(e.blob, 0), ifnull(octet_length(e.after), -1), ifnull(octet_length(ifnull(s.delta, e.delta)), -1))
		|| ifnull(e.after, '') || CASE WHEN octet_length(ifnull(s.delta, e.delta)) <= ?5 THEN ifnull(s.delta, e.delta) ELSE '' END
		FROM edit e WHERE e.id = s.edit)`
	chainKey = `path = ?1 AND branch = ?2 AND edit <= ?3 AND edit > ?4`
)

// The limit is part of the query: as a parameter, it would make SQLite plan the query each
// time.
var chainQuery = `SELECT CAST(group_concat(row, '') AS BLOB) FROM (
	SELECT CASE WHEN s.delta IS NULL OR s.edit = (SELECT max(edit) FROM step WHERE ` + chainKey + `) THEN ` + otherLink + ` ELSE ` + plainLink + ` END AS row
	FROM step s WHERE ` + chainKey + `
	AND s.edit >= ifnull((SELECT w.edit FROM step w WHERE ` + chainKey + ` AND w.delta IS NULL AND (SELECT blob FROM edit WHERE id = w.edit) IS NOT NULL ORDER BY w.edit DESC LIMIT 1), 0)
	ORDER BY s.edit DESC LIMIT ` + strconv.Itoa(chainRows) + `)`

// chain reads the edits of a path in a segment that are newer than after, newest first,
// down to one with a whole content. more reports whether there may be others before that.
// For plain text edits other than the newest, the hash is not read.
func (r reader) chain(ctx context.Context, path int64, seg version.Segment,
	after EditID, deltas bool) (out []version.Row, more bool, err error) {
	longest := -1
	if deltas {
		longest = chainDelta
	}
	var packed []byte
	err = r.q.QueryRowContext(ctx, chainQuery, path, seg.Branch, int64(seg.Max), int64(after), longest).Scan(&packed)
	if err != nil {
		return nil, false, err
	}
	for l := (links{b: packed}); len(l.b) > 0; {
		row := l.next(longest)
		if l.bad {
			return nil, false, fmt.Errorf("the edits of path %d: %w", path, ErrDamaged)
		}
		if deltas && row.Size > longest {
			if row.Delta, err = r.delta(ctx, row.ID); err != nil {
				return nil, false, err
			}
		}
		out = append(out, row)
	}
	newestFirst := func(a, b version.Row) int { return int(b.ID - a.ID) }
	if !slices.IsSortedFunc(out, newestFirst) { // an aggregate may visit its rows in any order
		slices.SortFunc(out, newestFirst)
	}
	n := len(out)
	return out, n == chainRows || n > 0 && out[n-1].Blob != 0, nil
}

// delta reads the delta of an edit.
func (r reader) delta(ctx context.Context, id EditID) (b []byte, err error) {
	err = r.q.QueryRowContext(ctx, "SELECT "+deltaOf+" FROM edit e WHERE id = ?", int64(id)).Scan(&b)
	return b, err
}

// links decodes a chain. The deltas of its rows share its memory.
type links struct {
	b   []byte
	bad bool
}

func (l *links) next(longest int) (row version.Row) {
	row.ID = EditID(l.num())
	kind, state, mode := l.num(), l.num(), l.num()
	row.Blob = l.num()
	hash, delta := l.num(), l.num()
	row.Kind, row.Lost = word(kinds, int(kind)), lost(int(state), statePurged)
	if row.HasMode = mode >= 0; row.HasMode {
		row.Mode = fs.FileMode(mode)
	}
	row.After = l.bytes(hash)
	if row.Size = int(max(delta, 0)); row.Size <= longest {
		row.Delta = l.bytes(delta)
	}
	return row
}

func (l *links) num() int64 {
	i := bytes.IndexByte(l.b, ' ')
	if i < 0 {
		l.b, l.bad = nil, true
		return 0
	}
	n, err := strconv.ParseInt(string(l.b[:i]), 10, 64)
	l.b, l.bad = l.b[i+1:], l.bad || err != nil
	return n
}

// bytes returns nil for a NULL.
func (l *links) bytes(n int64) []byte {
	if n < 0 {
		return nil
	}
	if n > int64(len(l.b)) {
		l.b, l.bad = nil, true
		return nil
	}
	b := l.b[:n:n]
	l.b = l.b[n:]
	return b
}
