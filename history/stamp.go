package history

import "context"

// Stamp changes whenever an edit is recorded, another branch becomes current, or something
// is reviewed or purged. A result computed from the history stays valid as long as the
// stamp from before the computation is the current one.
type Stamp struct {
	edit     EditID
	branch   int64
	reviewed int64
	resets   int64
}

// Stamp returns the current stamp. It costs nothing in a writable store; a read-only one
// asks the database, because another process changes the history.
func (s *Store) Stamp(ctx context.Context) (Stamp, error) {
	if s.w == nil {
		return s.storedStamp(ctx)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return Stamp{s.next.edit, s.current, s.accepted, s.resets.Load()}, nil
}

// The keys in table meta of the numbers that a read-only store has no other way to know.
const (
	reviewCount = "reviews"
	purgeCount  = "purges"
)

// count increments such a number.
func (g *group) count(key string) error {
	return g.exec("INSERT INTO meta (key, value) VALUES (?, 1) ON CONFLICT (key) DO UPDATE SET value = value + 1", key)
}

func (s *Store) storedStamp(ctx context.Context) (out Stamp, err error) {
	err = s.read.QueryRowContext(ctx, `SELECT (SELECT coalesce(max(id), 0) FROM edit),
		coalesce((SELECT value FROM meta WHERE key = ?), 0), coalesce((SELECT value FROM meta WHERE key = ?), 0)`,
		reviewCount, purgeCount).Scan(&out.edit, &out.reviewed, &out.resets)
	s.mu.Lock()
	defer s.mu.Unlock()
	out.branch = s.current
	return out, err
}

// since reports whether two stamps differ at most by recorded edits.
func (s Stamp) since(now Stamp) bool {
	now.edit = s.edit
	return s == now
}
