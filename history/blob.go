package history

import (
	"database/sql"
	"errors"

	"waferpair/history/version"
)

// blob stores c, once per hash, and returns the ID of its row.
func (g *group) blob(c *version.Content) (id int64, err error) {
	err = g.queryRow("SELECT id FROM blob WHERE hash = ?", c.Hash[:]).Scan(&id)
	if !errors.Is(err, sql.ErrNoRows) {
		return id, err
	}
	var data any
	if len(c.Parts) == 1 {
		data = c.Parts[0]
	}
	st, err := g.stmt("INSERT INTO blob (hash, size, data) VALUES (?, ?, ?)")
	if err != nil {
		return 0, err
	}
	res, err := st.Exec(c.Hash[:], c.Size, data)
	if err != nil {
		return 0, err
	}
	if id, err = res.LastInsertId(); err != nil || data != nil {
		return id, err
	}
	for i, p := range c.Parts {
		if err := g.exec("INSERT INTO chunk (id, data) VALUES (?, ?)", id<<20+int64(i), p); err != nil {
			return 0, err
		}
	}
	return id, nil
}
