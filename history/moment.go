package history

import (
	"context"
	"fmt"
	"time"
)

// Moment is a moment that the user named: the one right after an edit.
type Moment struct {
	Edit EditID    `json:"edit"`
	Name string    `json:"name"`
	Time time.Time `json:"time"` // when it was named
}

// NameMoment names the moment right after an edit; an empty name removes the name. Edit 0
// is the baseline.
func (s *Store) NameMoment(ctx context.Context, id EditID, name string) error {
	if id != 0 {
		if _, err := s.moment(ctx, id); err != nil || id == Newest {
			return fmt.Errorf("name a moment: %w", orNoEdit(err))
		}
	}
	at := s.now()
	job, err := s.submit(ctx, len(name), func(g *group) error {
		if name == "" {
			return g.exec("DELETE FROM moment WHERE edit = ?", int64(id))
		}
		return g.exec("INSERT OR REPLACE INTO moment (edit, name, at) VALUES (?, ?, ?)", int64(id), name, at)
	})
	if err == nil {
		err = job.wait(ctx)
	}
	if err != nil {
		return fmt.Errorf("name the moment of edit %d: %w", id, err)
	}
	return nil
}

// Moments returns the named moments of all branches, oldest first.
func (s *Store) Moments(ctx context.Context) ([]Moment, error) {
	if err := s.settled(ctx); err != nil {
		return nil, err
	}
	rows, err := s.read.QueryContext(ctx, "SELECT edit, name, at FROM moment ORDER BY edit")
	if err != nil {
		return nil, fmt.Errorf("list moments: %w", err)
	}
	defer rows.Close()
	var out []Moment
	for rows.Next() {
		var m Moment
		var at int64
		if err := rows.Scan(&m.Edit, &m.Name, &at); err != nil {
			return nil, fmt.Errorf("list moments: %w", err)
		}
		m.Time = time.UnixMilli(at)
		out = append(out, m)
	}
	return out, rows.Err()
}
