package history

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"

	"waferpair/history/plan"
	"waferpair/history/version"
)

// The rows that plans read.

// PathID returns 0 for a path that history has never seen.
func (r reader) PathID(ctx context.Context, path string) (id int64, err error) {
	err = r.q.QueryRowContext(ctx, "SELECT id FROM path WHERE path = ?", path).Scan(&id)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, nil
	}
	return id, err
}

// Path returns the path with an ID.
func (r reader) Path(ctx context.Context, id int64) (path string, err error) {
	err = r.q.QueryRowContext(ctx, "SELECT path FROM path WHERE id = ?", id).Scan(&path)
	return path, err
}

// Edited returns the paths that have edits. It hops over the index from path to path, so
// that its cost grows with the paths, not with the edits.
func (r reader) Edited(ctx context.Context) ([]int64, error) {
	const hop = `WITH RECURSIVE p(id) AS (
		SELECT min(%[2]s) FROM %[1]s WHERE %[2]s IS NOT NULL UNION ALL
		SELECT (SELECT min(%[2]s) FROM %[1]s WHERE %[2]s > p.id) FROM p WHERE p.id IS NOT NULL)
		SELECT id FROM p WHERE id IS NOT NULL`
	seen := map[int64]bool{}
	var out []int64
	for _, at := range [][2]string{{"step", "path"}, {"edit", "to_path"}} {
		ids, err := r.numbers(ctx, fmt.Sprintf(hop, at[0], at[1]))
		if err != nil {
			return nil, err
		}
		for _, id := range ids {
			if !seen[id] {
				seen[id] = true
				out = append(out, id)
			}
		}
	}
	return out, nil
}

func (r reader) numbers(ctx context.Context, query string) (out []int64, err error) {
	rows, err := r.q.QueryContext(ctx, query)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var id int64
		if err := rows.Scan(&id); err != nil {
			return nil, err
		}
		out = append(out, id)
	}
	return out, rows.Err()
}

const touchColumns = `SELECT e.id, e.kind, e.state, p.path, coalesce(q.path, ''), ` + deltaOf + `, e.after, o.author
	FROM edit e JOIN op o ON o.id = e.op JOIN path p ON p.id = e.path LEFT JOIN path q ON q.id = e.to_path `

// Touch returns one edit.
func (r reader) Touch(ctx context.Context, id EditID) (plan.Touch, error) {
	out, err := r.touches(ctx, nil, "WHERE e.id = ?", int64(id))
	if err != nil || len(out) != 1 {
		return plan.Touch{}, orNoEdit(err)
	}
	return out[0], nil
}

// Touching returns the edits that have a path before or after.
func (r reader) Touching(ctx context.Context, path int64,
	lin version.Lineage, since EditID) (out []plan.Touch, err error) {
	for _, seg := range lin {
		for _, where := range []string{
			"WHERE e.id IN (SELECT edit FROM step WHERE path = ? AND branch = ? AND edit BETWEEN ? AND ?)",
			"WHERE e.to_path = ? AND e.branch = ? AND e.id BETWEEN ? AND ?",
		} {
			out, err = r.touches(ctx, out, where, path, seg.Branch, int64(since), int64(seg.Max))
			if err != nil {
				return nil, err
			}
		}
	}
	return out, nil
}

func (r reader) touches(ctx context.Context, out []plan.Touch, where string, args ...any) ([]plan.Touch, error) {
	rows, err := r.q.QueryContext(ctx, touchColumns+where, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var e plan.Touch
		var kind, state, author int
		var after []byte
		if err := rows.Scan(&e.ID, &kind, &state, &e.Path, &e.To, &e.Delta, &after, &author); err != nil {
			return nil, err
		}
		copy(e.After[:], after)
		e.Kind, e.OfPlan, e.Lost = word(kinds, kind), word(authors, author) == Revert, lost(state, statePurgeMask)
		out = append(out, e)
	}
	return out, rows.Err()
}

// takenBack is the edit that reverted e because its file could not be written, or NULL.
// Such edits were recorded before the files were written. They do not name the edit that
// they revert, but directly follow it.
var takenBack = fmt.Sprintf(`(SELECT n.id FROM edit n JOIN op no ON no.id = n.op
	WHERE n.id = (SELECT min(x.edit) FROM step x WHERE x.path = e.path AND x.branch = e.branch AND x.edit > e.id)
	AND no.author = %d AND no.note = 'taken back: the files could not be written')`, slices.Index(authors, Recovery))

// Reverts returns which edits revert which.
func (r reader) Reverts(ctx context.Context, lin version.Lineage) (plan.Reverts, error) {
	return r.reverts(ctx, lin, "")
}

// revertsAmong is Reverts, limited to edits between first and last: what reverts them, what
// reverts that, and so on.
func (r reader) revertsAmong(ctx context.Context, lin version.Lineage, first, last EditID) (plan.Reverts, error) {
	return r.reverts(ctx, lin, `WITH RECURSIVE about(id) AS (
		SELECT edit FROM revert WHERE edit BETWEEN ? AND ?
		UNION SELECT x.by FROM about JOIN revert x ON x.edit = about.id
		UNION SELECT `+takenBack+` FROM about JOIN edit e ON e.id = about.id)`, int64(first), int64(last))
}

// reverts reads what reverts the edits in about, or all edits.
func (r reader) reverts(ctx context.Context, lin version.Lineage, about string, args ...any) (plan.Reverts, error) {
	out := plan.Reverts{Of: map[EditID][]EditID{}, By: map[EditID][]EditID{}}
	from := "revert r"
	if about != "" {
		from = "about CROSS JOIN revert r ON r.edit = about.id"
	}
	rows, err := r.q.QueryContext(ctx, about+" SELECT r.by, r.edit, e.branch, coalesce("+takenBack+", 0) FROM "+from+
		" JOIN edit e ON e.id = r.by ORDER BY r.by, r.edit", args...)
	if err != nil {
		return out, err
	}
	defer rows.Close()
	for rows.Next() {
		var by, edit, back EditID
		var branch int64
		if err := rows.Scan(&by, &edit, &branch, &back); err != nil {
			return out, err
		}
		out.Of[by] = append(out.Of[by], edit)
		if lin.Has(branch, by) {
			out.By[edit] = append(out.By[edit], by)
			if back != 0 && lin.Has(branch, back) && !slices.Contains(out.By[by], back) {
				out.By[by], out.Of[back] = append(out.By[by], back), append(out.Of[back], by)
			}
		}
	}
	return out, rows.Err()
}

// Names returns the renames of a lineage from an edit on. Projects have few.
func (r reader) Names(ctx context.Context, lin version.Lineage, since EditID) (plan.Names, error) {
	var n plan.Names
	rows, err := r.q.QueryContext(ctx, `SELECT e.id, e.branch, p.path, q.path FROM edit e
		JOIN path p ON p.id = e.path JOIN path q ON q.id = e.to_path
		WHERE e.to_path IS NOT NULL AND e.id >= ? ORDER BY e.id`, int64(since))
	if err != nil {
		return n, err
	}
	defer rows.Close()
	for rows.Next() {
		var x plan.Renaming
		var branch int64
		if err := rows.Scan(&x.ID, &branch, &x.From, &x.To); err != nil {
			return n, err
		}
		if lin.Has(branch, x.ID) {
			n.Renames = append(n.Renames, x)
		}
	}
	return n, rows.Err()
}
