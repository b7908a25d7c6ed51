package history

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"

	"waferpair/history/version"
)

// Table head has the newest version of every edited file, so that the cost of the list
// of all files (Files) grows with the files and not with their edits. It caches what
// version.Walk finds:
//
//   - each row equals the result of the walk on the row's branch;
//   - if the branch is marked (branch.heads), a path without a row has no edit there
//     and still has its first content.
//
// Edits write the rows of their branch in their own transaction; later edits on the
// parent branch change none of them. A new fork has no rows and no mark. A purge and
// everything else that removes content deletes the rows of its files, and all marks.
// Files fills in the missing rows of a branch, in small steps, before it reads.

// headKey is a file of a branch.
type headKey = textKey

// headRow is a row of table head.
type headRow struct {
	edit  EditID
	mode  fs.FileMode
	after *version.Digest // nil: no file exists
}

// walkHead returns the row that the walk finds for a path; false if it needs none.
func (r reader) walkHead(ctx context.Context, path int64, lin version.Lineage) (h headRow, needed bool, err error) {
	st, err := version.Walk(ctx, r, path, lin, false)
	switch {
	case errors.Is(err, ErrPurged):
		return headRow{}, true, nil
	case err != nil || st.Edit == 0:
		return headRow{}, false, err
	case !st.Exists:
		return headRow{edit: st.Edit}, true, nil
	}
	return headRow{st.Edit, st.Mode, version.Known(st.Hash)}, true, nil
}

// made notes the newest versions after an edit, for the group to write.
func (g *group) made(e *newEdit) {
	if g.heads == nil {
		g.heads = map[headKey]headRow{}
	}
	h := headRow{edit: e.row.id, mode: e.mode, after: e.sum}
	if e.row.to != "" {
		g.heads[headKey{e.row.branch, e.toID}] = h
		h = headRow{edit: e.row.id}
	}
	if h.after == nil {
		h.mode = 0
	}
	g.heads[headKey{e.row.branch, e.pathID}] = h
}

// writeHeads writes the newest versions after the group's edits, one per file.
func (g *group) writeHeads() error {
	for k, h := range g.heads {
		if err := g.putHead("INSERT OR REPLACE", k, h); err != nil {
			return err
		}
	}
	return nil
}

func (g *group) putHead(insert string, k headKey, h headRow) error {
	var after any
	if h.after != nil {
		sum := h.after.Hash()
		after = sum[:]
	}
	return g.exec(insert+" INTO head (branch, path, edit, mode, after) VALUES (?, ?, ?, ?, ?)", k.branch, k.path,
		int64(h.edit), int64(h.mode), after)
}

// dropHeads deletes the newest versions of a path on all branches.
func (g *group) dropHeads(path int64) error {
	st, err := g.stmt("DELETE FROM head WHERE branch IN (SELECT id FROM branch) AND path = ?")
	if err != nil {
		return err
	}
	res, err := st.Exec(path)
	if err != nil {
		return err
	}
	if n, err := res.RowsAffected(); n == 0 || err != nil {
		return err
	}
	g.w.headsLost++
	return g.exec("UPDATE branch SET heads = 0")
}

// clearHeads empties table head.
func (s *Store) clearHeads(ctx context.Context) error {
	job, err := s.submit(ctx, 0, func(g *group) error {
		g.w.headsLost++
		clear(g.heads)
		if err := g.exec("DELETE FROM head"); err != nil {
			return err
		}
		return g.exec("UPDATE branch SET heads = 0")
	})
	if err != nil {
		return err
	}
	return job.wait(ctx)
}

// haveHeads reports whether table head is complete for a branch.
func (r reader) haveHeads(ctx context.Context, branch int64) (all bool, err error) {
	err = r.q.QueryRowContext(ctx, "SELECT heads FROM branch WHERE id = ?", branch).Scan(&all)
	return all, err
}

// headsAtOnce is how many paths one transaction fills in: other jobs want to be recorded in
// between.
// want to record meanwhile.
const headsAtOnce = 500

// needHeads fills in the missing rows of the current branch. If it fails, Files looks among
// the edits instead.
func (s *Store) needHeads(ctx context.Context) error {
	s.mu.Lock()
	branch, lin := s.current, s.lineageOf(s.current, Newest)
	s.mu.Unlock()
	if all, err := s.rows().haveHeads(ctx, branch); all || err != nil || s.ReadOnly() {
		return err
	}
	paths, err := s.rows().Edited(ctx)
	if err != nil {
		return err
	}
	f := headFiller{ctx: ctx, branch: branch, lin: lin}
	for at := 0; at == 0 || at < len(paths); at += headsAtOnce {
		part, last := paths[at:min(len(paths), at+headsAtOnce)], at+headsAtOnce >= len(paths)
		job, err := s.submit(ctx, 0, func(g *group) error { return f.fill(g, part, at == 0, last) })
		if err == nil {
			err = job.wait(ctx)
		}
		if err != nil {
			return ctx.Err()
		}
	}
	return nil
}

// headFiller fills in rows, in the writer's goroutine.
type headFiller struct {
	ctx    context.Context
	branch int64
	lin    version.Lineage
	lost   int  // the value of headsLost when it began
	failed bool // a file cannot be read: the next read of it reports the error
}

// fill adds the rows of some paths. With the last of them it marks the branch, unless rows
// were removed meanwhile.
func (f *headFiller) fill(g *group, paths []int64, first, last bool) error {
	if first {
		f.lost = g.w.headsLost
	}
	if err := g.writeSteps(); err != nil { // the walk reads them
		return err
	}
	for _, path := range paths {
		if err := f.one(g, path); err != nil {
			return err
		}
	}
	if !last || f.failed || f.lost != g.w.headsLost {
		return nil
	}
	return g.exec("UPDATE branch SET heads = 1 WHERE id = ?", f.branch)
}

func (f *headFiller) one(g *group, path int64) error {
	k := headKey{f.branch, path}
	if _, has := g.heads[k]; has {
		return nil
	}
	var has int
	if err := g.queryRow("SELECT 1 FROM head WHERE branch = ? AND path = ?", k.branch, path).
		Scan(&has); !errors.Is(err, sql.ErrNoRows) {
		return err
	}
	h, needed, err := reader{g.w.conn}.walkHead(f.ctx, path, f.lin)
	if f.failed = f.failed || err != nil; err != nil || !needed {
		return nil
	}
	return g.putHead("INSERT", k, h)
}

// heads compares table head with what the walk finds.
func (c *checker) heads() error {
	edited, err := reader{c.q}.Edited(c.ctx)
	if err != nil {
		return err
	}
	c.s.mu.Lock()
	branches := append([]Branch(nil), c.s.branches...)
	c.s.mu.Unlock()
	for _, b := range branches {
		if err := c.headsOf(b, edited); err != nil {
			return err
		}
	}
	return nil
}

func (c *checker) headsOf(b Branch, edited []int64) error {
	all, err := reader{c.q}.haveHeads(c.ctx, b.id)
	if errors.Is(err, sql.ErrNoRows) { // created since
		return nil
	}
	if err != nil {
		return err
	}
	rows, err := c.storedHeads(b.id)
	if err != nil {
		return err
	}
	c.s.mu.Lock()
	lin := c.s.lineageOf(b.id, Newest)
	c.s.mu.Unlock()
	for _, path := range edited {
		is, needed, err := reader{c.q}.walkHead(c.ctx, path, lin)
		has, there := rows[path]
		delete(rows, path)
		switch {
		case err != nil: // reported with the edits
		case !there && (!needed || !all):
		case there != needed || !is.same(has):
			c.headDamage(b, path)
		}
	}
	for path := range rows {
		c.headDamage(b, path)
	}
	return nil
}

func (h headRow) same(x headRow) bool {
	return h.edit == x.edit && h.mode == x.mode && (h.after == nil) == (x.after == nil) && h.after.Hash() == x.after.Hash()
}

// headDamage reports a wrong row. Nothing is lost: clearHeads lets the table be rebuilt.
func (c *checker) headDamage(b Branch, path int64) {
	c.badHeads = true
	name, err := reader{c.q}.Path(c.ctx, path)
	if err != nil {
		name = fmt.Sprintf("path %d", path)
	}
	c.damage(Damage{Of: fmt.Sprintf("the newest version of %s on branch %s", name, b.Name),
		What: "what is kept of it is not what its edits made; it is worked out anew when the project is opened next"})
}

func (c *checker) storedHeads(branch int64) (map[int64]headRow, error) {
	rows, err := c.q.QueryContext(c.ctx, "SELECT path, edit, mode, after FROM head WHERE branch = ?", branch)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	out := map[int64]headRow{}
	for rows.Next() {
		var path, mode int64
		var h headRow
		var after []byte
		if err := rows.Scan(&path, &h.edit, &mode, &after); err != nil {
			return nil, err
		}
		if h.mode = fs.FileMode(mode); after != nil {
			var sum Hash
			copy(sum[:], after)
			h.after = version.Known(sum)
		}
		out[path] = h
	}
	return out, rows.Err()
}
