package history

import (
	"context"
	"database/sql"
)

// Stamp changes whenever an edit is recorded, another branch becomes current, or something
// is reviewed or purged. A result computed from the history stays valid as long as the
// stamp from before the computation is the current one.
type Stamp struct {
	edit     EditID
	branch   int64
	reviewed int64
	purges   int64
}

// Stamp returns the current stamp. It costs nothing in a writable store; a read-only one
// asks the database, because another process changes the history.
func (s *Store) Stamp(ctx context.Context) (Stamp, error) {
	if s.w == nil {
		return s.storedStamp(ctx)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return Stamp{s.next.edit, s.current, s.review.changes, s.purges.Load()}, nil
}

func (s *Store) storedStamp(ctx context.Context) (out Stamp, err error) {
	var reviewed sql.NullInt64
	err = s.read.QueryRowContext(ctx, "SELECT (SELECT coalesce(max(id), 0) FROM edit), (SELECT sum(edit) FROM reviewed)").
		Scan(&out.edit, &reviewed)
	s.mu.Lock()
	defer s.mu.Unlock()
	out.branch, out.reviewed = s.current, reviewed.Int64
	return out, err
}

// since reports whether two stamps differ at most by recorded edits.
func (s Stamp) since(now Stamp) bool {
	now.edit = s.edit
	return s == now
}
