package history

import "context"

// namesNow tells under which path the files of some edits are today.
type namesNow struct{ renames []rename }

type rename struct {
	id       EditID
	from, to string
}

// namesNow reads the renames of the current branch that came after the oldest of
// the edits. They are few in any project.
func (s *Store) namesNow(ctx context.Context, edits []Edit) (namesNow, error) {
	var n namesNow
	if len(edits) == 0 {
		return n, nil
	}
	lin := s.lineage()
	rows, err := s.read.QueryContext(ctx, `SELECT e.id, e.branch, p.path, q.path FROM edit e
		JOIN path p ON p.id = e.path JOIN path q ON q.id = e.to_path
		WHERE e.to_path IS NOT NULL AND e.id >= ? ORDER BY e.id`, int64(edits[0].ID))
	if err != nil {
		return n, err
	}
	defer rows.Close()
	for rows.Next() {
		var r rename
		var branch int64
		if err := rows.Scan(&r.id, &branch, &r.from, &r.to); err != nil {
			return n, err
		}
		if lin.Has(branch, r.id) {
			n.renames = append(n.renames, r)
		}
	}
	return n, rows.Err()
}

// of follows the file of an edit through the renames since.
func (n namesNow) of(e Edit) string {
	path := e.Path
	for _, r := range n.renames {
		if r.id >= e.ID && r.from == path {
			path = r.to
		}
	}
	return path
}
