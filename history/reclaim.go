package history

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"time"

	"waferpair/history/version"
)

// A cap bounds the size of the history on disk. When it is exceeded, the store frees
// space in this order:
//
//  1. the older rotated backups; the newest one stays
//  2. the outlines of files, which are only a cache
//  3. the content of the oldest edits: for each file, everything before a version
//     that is stored whole from then on
//
// The edits stay in the list, marked as reclaimed; their changes and the versions that
// they made are gone. Never removed are first contents, the newest edits, an edit that
// waits for review, and everything after it in its file, so that all edits that wait can
// be reverted. When nothing more may be removed, a notice says so, and recording goes on.
//
// The store does this when the writer is idle, in small steps, each in one transaction:
// after a crash some steps are done and others not.

// keepNewest is how many of the newest edits are never reclaimed: the user may want to
// revert what was just done.
// want to take back what was just done.
const keepNewest = 100

// reclaimEdits is how many edits a step takes at most.
const reclaimEdits = 2000

// minReclaimed is how many bytes of edits a step takes at least, because the versions that
// it stores whole need space, too.
const minReclaimed = 64 << 10

const capKey = "cap"

// SetCap bounds the size of the history on disk, in bytes; 0 is no bound.
func (s *Store) SetCap(ctx context.Context, bytes int64) error {
	if bytes < 0 {
		return fmt.Errorf("limit the history: %d bytes is not a size", bytes)
	}
	p, err := s.submit(ctx, 0, func(g *group) error {
		g.w.full = false
		return g.exec("INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)", capKey, strconv.FormatInt(bytes, 10))
	})
	if err == nil {
		err = p.wait(ctx)
	}
	if err != nil {
		return fmt.Errorf("limit the history: %w", err)
	}
	return nil
}

// Cap returns the bound that SetCap set, or 0 if there is none.
func (s *Store) Cap(ctx context.Context) (int64, error) {
	if err := s.settled(ctx); err != nil {
		return 0, err
	}
	return capOf(ctx, s.read)
}

func capOf(ctx context.Context, q querier) (n int64, err error) {
	var v string
	err = q.QueryRowContext(ctx, "SELECT value FROM meta WHERE key = ?", capKey).Scan(&v)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, nil
	}
	if err == nil {
		n, err = strconv.ParseInt(v, 10, 64)
	}
	return n, err
}

// Reclaim frees space now until the history is below its cap or nothing more may be
// removed; it returns false in that case. Other jobs are recorded meanwhile.
func (s *Store) Reclaim(ctx context.Context) (below bool, err error) {
	for more := true; more; {
		err := s.solo(ctx, func(w *writer) (err error) {
			more, err = w.reclaimStep()
			below = !w.full
			return err
		})
		if err != nil {
			return false, fmt.Errorf("give space of the history back: %w", err)
		}
	}
	return below, nil
}

// reclaim runs a step if one is due.
func (w *writer) reclaim() {
	more, err := w.reclaimStep()
	if w.more = more && err == nil; err != nil {
		w.store.notify("give space of the history back: %v", err)
	}
}

// reclaimStep frees some space, and reports whether there may be more to do.
func (w *writer) reclaimStep() (more bool, err error) {
	if w.conn == nil || len(w.stalled) > 0 {
		return false, nil
	}
	ctx := context.Background()
	limit, err := capOf(ctx, w.conn)
	if err != nil || limit == 0 {
		return false, err
	}
	z, err := measure(ctx, w.conn, w.store.files)
	if err != nil {
		return false, err
	}
	z.used -= w.slack
	over := z.counted() - limit
	if over <= 0 {
		w.full = false
		return w.compact(z)
	}
	if gone, err := w.dropOldest(); gone || err != nil {
		return gone, err
	}
	if gone, err := w.giveOutlines(); gone || err != nil {
		return gone, err
	}
	if gone, err := w.give(limit, over, z); gone || err != nil {
		return gone, err
	}
	if w.slack > 0 {
		return w.compact(z)
	}
	if !w.full {
		w.full = true
		w.store.notify("the history takes %.1f MB, more than the %.1f MB that it may, and nothing more can be removed: "+
			"edits that wait for review, the newest ones and first contents stay. "+
			"Accept edits, or set another limit with `waferpair history size --cap`",
			float64(z.counted())/1e6, float64(limit)/1e6)
	}
	return false, nil
}

// give removes the content of some edits. It returns false if none may be removed.
func (w *writer) give(limit, over int64, z footprint) (gone bool, err error) {
	if z.newest > 0 {
		over /= 2 // the next backup is smaller by as much
	}
	w.quiet() // nothing is appended meanwhile
	s := w.store
	defer w.stallInDoubt()
	defer s.mu.Unlock()
	if len(w.stalled) > 0 {
		return false, nil
	}
	defer s.rollback()
	r := &reclaimer{purger: &purger{s: s, ctx: context.Background(), w: w}, limit: limit}
	if err := r.choose(over + over/4 + minReclaimed); err != nil || len(r.groups) == 0 {
		return false, err
	}
	if err := r.within(r.run); err != nil {
		return false, err
	}
	w.slack += max(0, r.freed)
	return len(r.ops) > 0, nil
}

// footprint is the size of a store's files, as far as the cap counts it.
type footprint struct{ used, free, newest, older int64 }

// counted leaves out free pages, and the size of the newest backup beyond that of the
// database, because the next backup will not have it.
func (z footprint) counted() int64 { return z.used + min(z.newest, z.used) + z.older }

func measure(ctx context.Context, db querier, f files) (z footprint, err error) {
	var size, pages, free int64
	for _, q := range []struct {
		pragma string
		to     *int64
	}{{"page_size", &size}, {"page_count", &pages}, {"freelist_count", &free}} {
		if err := db.QueryRowContext(ctx, "PRAGMA "+q.pragma).Scan(q.to); err != nil {
			return z, err
		}
	}
	z.used, z.free = (pages-free)*size, free*size
	for n := 1; n <= backups; n++ {
		fi, err := os.Stat(f.backup(n))
		switch {
		case err != nil:
		case n == 1:
			z.newest = fi.Size()
		default:
			z.older += fi.Size()
		}
	}
	return z, nil
}

// dropOldest removes the oldest of several backups.
func (w *writer) dropOldest() (gone bool, err error) {
	b := &w.store.backup
	if !b.mu.TryLock() {
		return false, nil
	}
	defer b.mu.Unlock()
	for n := backups; n > 1; n-- {
		err := os.Remove(w.store.files.backup(n))
		if err == nil || !errors.Is(err, os.ErrNotExist) {
			return err == nil, err
		}
	}
	return false, nil
}

// compact shrinks the file after space was freed: removed content leaves holes in its
// pages. It makes a new backup due, which is as small. Edits queue up meanwhile, but typing
// does not wait for them. It returns true if the size must be measured again.
func (w *writer) compact(z footprint) (bool, error) {
	if w.slack == 0 {
		return false, nil
	}
	w.slack, w.wipe = 0, true
	if _, err := w.conn.ExecContext(context.Background(), "VACUUM"); err != nil {
		w.store.notify("make the file of the history smaller: %v; its free space is used for new edits", err)
		return false, nil
	}
	if z.newest > z.used {
		w.store.backup.mu.Lock()
		w.store.backup.last = time.Time{}
		w.store.backup.mu.Unlock()
	}
	return true, nil
}

// reclaimer runs one step.
type reclaimer struct {
	*purger
	limit  int64
	groups []reclaimGroup
	freed  int64 // removed bytes, less those stored for them
}

// reclaimGroup is a sequence of edits of one path on one branch, of which the last one
// keeps its version.
type reclaimGroup struct {
	path, branch int64
	edits        []reclaimEdit
}

type reclaimEdit struct {
	id   EditID
	kind Kind
	op   int64
	size int64
}

// choose collects the oldest edits that may be removed, until there are enough.
func (r *reclaimer) choose(over int64) error {
	bound, err := r.bounds()
	if err != nil {
		return err
	}
	rows, err := r.w.conn.QueryContext(r.ctx, `SELECT e.id, e.path, e.branch, e.kind, e.op,
			coalesce(length(`+deltaOf+`), 0) + coalesce(length(b.data), b.size, 0)
		FROM edit e LEFT JOIN blob b ON b.id = e.blob
		WHERE e.state & ? = 0 AND e.kind IN (0, 1, 5, 6) AND e.id <= ? ORDER BY e.id`,
		statePurged, int64(r.w.edit)-keepNewest)
	if err != nil {
		return err
	}
	defer rows.Close()
	index := map[textKey]int{}
	taken, bytes := 0, int64(0)
	for taken < reclaimEdits && bytes < over && rows.Next() {
		var e reclaimEdit
		var k textKey
		var kind int
		if err := rows.Scan(&e.id, &k.path, &k.branch, &kind, &e.op, &e.size); err != nil {
			return err
		}
		if r.w.stuck[k] || !bound.allows(e.id, k) {
			continue
		}
		e.kind = word(kinds, kind)
		i, known := index[k]
		if !known {
			i = len(r.groups)
			index[k] = i
			r.groups = append(r.groups, reclaimGroup{path: k.path, branch: k.branch})
		} else {
			taken, bytes = taken+1, bytes+e.size
		}
		r.groups[i].edits = append(r.groups[i].edits, e)
	}
	r.groups = slices.DeleteFunc(r.groups, func(g reclaimGroup) bool { return len(g.edits) < 2 })
	return errors.Join(rows.Err(), rows.Close())
}

// reclaimBounds limit which edits may be removed.
type reclaimBounds struct {
	waits  map[int64]EditID // by path: the first edit that waits, under any name of the file
	forked map[int64]EditID // by branch: the edit at which the first fork leaves it
}

func (b reclaimBounds) allows(id EditID, k textKey) bool {
	if first, some := b.waits[k.path]; some && id >= first {
		return false
	}
	at, some := b.forked[k.branch]
	return !some || id <= at
}

func (r *reclaimer) bounds() (b reclaimBounds, err error) {
	b = reclaimBounds{map[int64]EditID{}, map[int64]EditID{}}
	for _, x := range r.s.branches {
		if x.parent == 0 {
			continue
		}
		if at, some := b.forked[x.parent]; !some || x.At < at {
			b.forked[x.parent] = x.At
		}
	}
	model, _ := code(authors, Model)
	waiting, err := r.pairs(`SELECT e.path, min(e.id) FROM edit e JOIN op o ON o.id = e.op
		WHERE o.author = ` + strconv.Itoa(model) + ` AND NOT EXISTS (SELECT 1 FROM reviewed WHERE edit = e.id)
		AND NOT EXISTS (SELECT 1 FROM revert v WHERE v.edit = e.id
			AND NOT EXISTS (SELECT 1 FROM revert w WHERE w.edit = v.by))
		GROUP BY e.path`)
	if err != nil {
		return b, err
	}
	renames, err := r.pairs("SELECT path, to_path FROM edit WHERE to_path IS NOT NULL")
	if err != nil {
		return b, err
	}
	for _, w := range waiting {
		b.waits[w[0]] = EditID(w[1])
	}
	for changed := true; changed; { // an edit that waits under one name of a file protects all names
		changed = false
		for _, n := range renames {
			for _, to := range [][2]int64{{n[0], n[1]}, {n[1], n[0]}} {
				first, some := b.waits[to[0]]
				if other, has := b.waits[to[1]]; some && (!has || first < other) {
					b.waits[to[1]], changed = first, true
				}
			}
		}
	}
	return b, nil
}

func (r *reclaimer) pairs(query string) (out [][2]int64, err error) {
	rows, err := r.w.conn.QueryContext(r.ctx, query)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var p [2]int64
		if err := rows.Scan(&p[0], &p[1]); err != nil {
			return nil, err
		}
		out = append(out, p)
	}
	return out, rows.Err()
}

// run removes the content of the groups, except that of their last versions.
func (r *reclaimer) run(g *group) error {
	r.freed = 0
	for _, x := range r.groups {
		if err := r.take(g, x); err != nil {
			return err
		}
	}
	if err := r.removeOrphans(); err != nil {
		return err
	}
	return r.note(g, purgeNote{Below: r.limit})
}

func (r *reclaimer) take(g *group, x reclaimGroup) error {
	last := x.edits[len(x.edits)-1]
	st, err := version.Walk(r.ctx, reader{r.w.conn}, x.path, r.s.lineageOf(x.branch, last.id), true)
	var whole wholeVersion
	if err == nil {
		whole = wholeVersion{edit: last.id, st: st}
		whole.text, err = st.Rebuild(r.ctx, reader{r.w.conn})
	}
	if errors.Is(err, ErrPurged) || errors.Is(err, ErrDamaged) { // keeps the content, which a repair could need
		if r.w.stuck == nil {
			r.w.stuck = map[textKey]bool{}
		}
		r.w.stuck[textKey{x.branch, x.path}] = true
		return nil
	}
	if err != nil {
		return fmt.Errorf("edit %d: %w", last.id, err)
	}
	if last.kind == Text {
		if err := r.storeWhole(whole); err != nil {
			return err
		}
		r.freed -= int64(version.Pack(Hash{}, whole.text.Bytes()).Stored()) - last.size
		if err := r.exec("UPDATE edit SET state = state | ? WHERE id = ?", stateReclaimed, int64(last.id)); err != nil {
			return err
		}
	}
	for _, e := range x.edits[:len(x.edits)-1] {
		r.ops = append(r.ops, e.op)
		r.freed += e.size
		if err := r.bury(e.id, stateReclaimed|statePurged); err != nil {
			return err
		}
	}
	return nil
}
