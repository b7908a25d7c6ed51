package history

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
)

// CacheMark begins the keys of marks that may quote files. They are removed with any content.
const CacheMark = "cache: "

// Mark returns a value that app keeps with the history, such as whether the baseline is
// complete; "" if it was never set.
func (s *Store) Mark(ctx context.Context, key string) (value string, err error) {
	if err := s.settled(ctx); err != nil {
		return "", err
	}
	err = s.read.QueryRowContext(ctx, "SELECT value FROM meta WHERE key = ?", "app."+key).Scan(&value)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return "", fmt.Errorf("read mark %s: %w", key, err)
	}
	return value, nil
}

// SetMark stores a value. It becomes durable with the next group, after everything queued
// before.
func (s *Store) SetMark(ctx context.Context, key, value string) error {
	_, err := s.send(ctx, len(value), func(g *group) error {
		return g.exec("INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)", "app."+key, value)
	})
	return err
}
