package history

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Table step has the edits of each file side by side, with their deltas: see
// 00010_steps.sql and links.go. Other code reads deltas by deltaOf; a delta is changed or
// removed only by the functions here, whichever table has it.

// deltaOf is the delta of e, a row of table edit; NULL if the edit has none, or it was
// removed.
const deltaOf = "coalesce(e.delta, (SELECT delta FROM step WHERE path = e.path AND branch = e.branch AND edit = e.id))"

// stepOf selects the row of table step of an edit by its ID.
const stepOf = "(path, branch, edit) = (SELECT path, branch, id FROM edit WHERE id = ?)"

// stepRow is a row of table step.
type stepRow struct {
	path, branch int64
	edit         EditID
	delta        []byte
}

// step notes the edit's row for table step. If the row has no delta, table edit has
// everything else.
func (g *group) step(e *newEdit) {
	r := stepRow{path: e.pathID, branch: e.row.branch, edit: e.row.id}
	if e.whole == nil {
		r.delta = e.row.delta
	}
	g.steps = append(g.steps, r)
}

func (r stepRow) compare(x stepRow) int {
	return cmp.Or(cmp.Compare(r.path, x.path), cmp.Compare(r.branch, x.branch), cmp.Compare(r.edit, x.edit))
}

// stepsAtOnce is how many rows a statement inserts.
const stepsAtOnce = 16

var insertSteps = "INSERT INTO step (path, branch, edit, delta) VALUES (?, ?, ?, ?)" +
	strings.Repeat(", (?, ?, ?, ?)", stepsAtOnce-1)

// writeSteps writes the rows of the group's edits in the order of the table, so that each
// page is written once, however many files were edited.
func (g *group) writeSteps() error {
	slices.SortFunc(g.steps, stepRow.compare)
	for len(g.steps) > 0 {
		n, query := 1, "INSERT INTO step (path, branch, edit, delta) VALUES (?, ?, ?, ?)"
		if len(g.steps) >= stepsAtOnce {
			n, query = stepsAtOnce, insertSteps
		}
		args := make([]any, 0, 4*n)
		for _, r := range g.steps[:n] {
			var delta any
			if r.delta != nil {
				delta = r.delta
			}
			args = append(args, r.path, r.branch, int64(r.edit), delta)
		}
		if err := g.exec(query, args...); err != nil {
			return err
		}
		g.steps = g.steps[n:]
	}
	return nil
}

// setDelta replaces the delta of an edit.
func (p *purger) setDelta(id EditID, delta []byte) error {
	if err := p.exec("UPDATE step SET delta = ? WHERE "+stepOf+" AND delta IS NOT NULL", delta, int64(id)); err != nil {
		return err
	}
	return p.exec("UPDATE edit SET delta = ? WHERE id = ? AND delta IS NOT NULL", delta, int64(id))
}

// noDelta removes the delta of an edit. The caller updates the edit's row in table edit.
func (p *purger) noDelta(id EditID) error { return p.setDelta(id, nil) }

// bury removes everything of an edit except that it happened. Renames, deletions and modes
// have no content.
func (p *purger) bury(id EditID, state int) error {
	if err := p.noDelta(id); err != nil {
		return err
	}
	return p.exec("UPDATE edit SET state = state | ?, after = NULL, blob = NULL WHERE id = ? AND kind NOT IN (2, 3, 4)",
		state, int64(id))
}

// steps compares table step with the edits: each edit has one row there, and its delta is
// in one of the two tables.
func (c *checker) steps() error {
	rows, err := c.q.QueryContext(c.ctx, `SELECT e.id, e.op, p.path, s.edit IS NULL
		FROM edit e JOIN path p ON p.id = e.path LEFT JOIN step s ON s.path = e.path AND s.branch = e.branch AND s.edit = e.id
		WHERE s.edit IS NULL OR s.delta IS NOT NULL AND (e.delta IS NOT NULL OR e.blob IS NOT NULL OR e.kind <> 0) ORDER BY e.id`)
	if err != nil {
		return err
	}
	defer rows.Close()
	missing := 0
	for rows.Next() {
		var d Damage
		var none bool
		if err := rows.Scan(&d.Edit, &d.Op, &d.Path, &none); err != nil {
			return err
		}
		if d.What = "what it changed is recorded twice"; none {
			d.What = "it is missing among the edits of its file"
			missing++
		}
		c.damage(d)
	}
	if err := errors.Join(rows.Err(), rows.Close()); err != nil {
		return err
	}
	var more int
	err = c.q.QueryRowContext(c.ctx, "SELECT (SELECT count(*) FROM step) - (SELECT count(*) FROM edit)").Scan(&more)
	if more += missing; err == nil && more != 0 {
		c.damage(Damage{Of: "edits of the files", What: fmt.Sprintf("%d that were never made", more)})
	}
	return err
}
