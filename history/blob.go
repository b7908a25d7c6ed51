package history

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
)

// chunkSize is how much of a content goes into one row.
const chunkSize = 1 << 20

// content is a whole version ready to be stored: compressed in the goroutine of
// the caller, so that the writer only inserts.
type content struct {
	hash  Hash
	size  int
	parts [][]byte
}

func makeContent(hash Hash, b []byte) *content {
	c := &content{hash: hash, size: len(b)}
	for first := true; first || len(b) > 0; first = false {
		n := min(len(b), chunkSize)
		c.parts = append(c.parts, compress(b[:n]))
		b = b[n:]
	}
	return c
}

func (c *content) stored() (n int) {
	for _, p := range c.parts {
		n += len(p)
	}
	return n
}

// blob stores c, once per hash, and returns its row.
func (g *group) blob(c *content) (id int64, err error) {
	err = g.queryRow("SELECT id FROM blob WHERE hash = ?", c.hash[:]).Scan(&id)
	if !errors.Is(err, sql.ErrNoRows) {
		return id, err
	}
	var data any
	if len(c.parts) == 1 {
		data = c.parts[0]
	}
	st, err := g.stmt("INSERT INTO blob (hash, size, data) VALUES (?, ?, ?)")
	if err != nil {
		return 0, err
	}
	res, err := st.Exec(c.hash[:], c.size, data)
	if err != nil {
		return 0, err
	}
	if id, err = res.LastInsertId(); err != nil || data != nil {
		return id, err
	}
	for i, p := range c.parts {
		if err := g.exec("INSERT INTO chunk (id, data) VALUES (?, ?)", id<<20+int64(i), p); err != nil {
			return 0, err
		}
	}
	return id, nil
}

// querier is a database, a connection or a transaction.
type querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// readBlob returns a whole content. The caller compares its hash.
func readBlob(ctx context.Context, q querier, id int64) ([]byte, error) {
	var size int
	var data []byte
	err := q.QueryRowContext(ctx, "SELECT size, data FROM blob WHERE id = ?", id).Scan(&size, &data)
	if err != nil {
		return nil, fmt.Errorf("read content %d: %w", id, err)
	}
	if data != nil {
		b, err := decompress(data)
		if err != nil {
			return nil, fmt.Errorf("content %d: %w (%v)", id, ErrDamaged, err)
		}
		return b, nil
	}
	return readChunks(ctx, q, id, size)
}

func readChunks(ctx context.Context, q querier, id int64, size int) ([]byte, error) {
	rows, err := q.QueryContext(ctx, "SELECT data FROM chunk WHERE id BETWEEN ? AND ? ORDER BY id", id<<20, id<<20|0xfffff)
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
		if out, err = decoder().DecodeAll(z, out); err != nil {
			return nil, fmt.Errorf("content %d: %w (%v)", id, ErrDamaged, err)
		}
	}
	return out, rows.Err()
}
