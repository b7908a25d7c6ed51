package history

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"time"
)

// TurnTiming is the timing of a model's turn, as app recorded it.
type TurnTiming struct {
	Model   string
	Started time.Time
	Timing  json.RawMessage
}

// Timings returns the timings of the last n turns that have one, newest first.
func (s *Store) Timings(ctx context.Context, n int) ([]TurnTiming, error) {
	if err := s.settled(ctx); err != nil {
		return nil, err
	}
	rows, err := s.read.QueryContext(ctx,
		"SELECT model, started, timing FROM turn WHERE timing IS NOT NULL ORDER BY id DESC LIMIT ?", n)
	if err != nil {
		return nil, fmt.Errorf("read the timings of turns: %w", err)
	}
	defer rows.Close()
	var out []TurnTiming
	for rows.Next() {
		var t TurnTiming
		var timing sql.NullString
		var started int64
		if err := rows.Scan(&t.Model, &started, &timing); err != nil {
			return nil, fmt.Errorf("read the timings of turns: %w", err)
		}
		t.Timing, t.Started = rawJSON(timing), time.UnixMilli(started)
		out = append(out, t)
	}
	return out, rows.Err()
}
