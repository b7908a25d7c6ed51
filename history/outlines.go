package history

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"sync"
)

// Table outline is a cache of what files declare, by the hash of their content, in the
// caller's encoding. What a caller may rely on:
//
//   - A row describes the file that is now on disk under its path, as far as history
//     knows: there are never more rows than files, and a change replaces the row.
//   - Content that is removed from the history (Purge, Hide) leaves no outline, because
//     names are words of the text. All rows are deleted, and outlines that were computed
//     before are not stored.
//   - It delays nobody. Rows are written when the writer is idle, some files at a time,
//     and at Close; a row that cannot be written is skipped. A history close to its cap
//     stores no outlines.
//
// Files that are ignored or contain secrets have no outline here: history has no such
// path, or has it with another hash.

// Outline is the list of what one file declares.
type Outline struct {
	Path string
	Hash Hash // of the content
	Data []byte
}

const (
	maxOutline     = 128 << 10 // bytes of a row: a larger one is not from a file that a person wrote
	outlineAll     = 64 << 20  // bytes of all rows
	outlinePending = 32 << 20  // bytes waiting to be written
	outlineStep    = 512 << 10 // bytes per transaction
	outlineAtClose = 4 << 20   // bytes that Close still writes
)

// outlines are the outlines that wait to be written.
type outlines struct {
	mu      sync.Mutex
	removed int64 // counts removals of content: outlines computed before the last one are dropped
	version int64
	pending []Outline
	bytes   int
}

// Outlines yields the stored outlines of this version of the caller's encoding; data is
// valid until yield returns.
func (s *Store) Outlines(ctx context.Context, version int64, yield func(h Hash, data []byte)) error {
	rows, err := s.read.QueryContext(ctx, "SELECT hash, data FROM outline WHERE version = ?", version)
	if err != nil {
		return fmt.Errorf("read the outlines: %w", err)
	}
	defer rows.Close()
	var hash, data sql.RawBytes
	var h Hash
	for rows.Next() {
		if err := rows.Scan(&hash, &data); err != nil {
			return fmt.Errorf("read the outlines: %w", err)
		}
		if copy(h[:], hash) == len(h) {
			yield(h, data)
		}
	}
	if err := rows.Err(); err != nil {
		return fmt.Errorf("read the outlines: %w", err)
	}
	return nil
}

// KeepingOutlines must be called before the files are read; the function that it returns
// stores their outlines. It takes no time: they are written when the writer is idle.
func (s *Store) KeepingOutlines(version int64) (keep func([]Outline)) {
	s.outlines.mu.Lock()
	read := s.outlines.removed
	s.outlines.mu.Unlock()
	return func(list []Outline) {
		if !s.ReadOnly() && s.outlines.add(version, read, list) {
			s.wakeForOutlines()
		}
	}
}

// add queues outlines to be written, unless content was removed since the files were read.
func (o *outlines) add(version, read int64, list []Outline) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if read != o.removed {
		return false
	}
	if version != o.version {
		o.pending, o.bytes, o.version = nil, 0, version
	}
	for _, x := range list {
		if len(x.Data) <= maxOutline && o.bytes+len(x.Data) <= outlinePending {
			o.pending, o.bytes = append(o.pending, x), o.bytes+len(x.Data)
		}
	}
	return len(o.pending) > 0
}

// take returns the outlines for one transaction.
func (o *outlines) take(limit int) (list []Outline, version int64, more bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	n, bytes := 0, 0
	for n < len(o.pending) && bytes < limit {
		bytes += len(o.pending[n].Data)
		n++
	}
	list, o.pending = o.pending[:n:n], o.pending[n:]
	if o.bytes -= bytes; len(o.pending) == 0 {
		o.pending = nil
	}
	return list, o.version, len(o.pending) > 0
}

func (o *outlines) evict() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.removed++
	o.pending, o.bytes = nil, 0
}

// wakeForOutlines makes the writer run its chores when it is idle.
func (s *Store) wakeForOutlines() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.refuses() != nil || !s.budget.TryAcquire(minJob) {
		return // it is busy, or the budget is used up: the next outlines wake it
	}
	s.enqueueJob(&job{size: minJob, solo: func(w *writer) error {
		w.outlining = true
		return nil
	}})
}

// dropOutlines empties the table, because content is being removed, and so removes the marks that may quote it.
func (g *group) dropOutlines() error {
	g.w.store.outlines.evict()
	g.w.outlineTidy = false // to be counted again, whether or not this is committed
	if err := g.exec("DELETE FROM meta WHERE key LIKE 'app." + CacheMark + "%'"); err != nil {
		return err
	}
	return g.exec("DELETE FROM outline")
}

// keepOutlines writes some of the waiting outlines. Whatever fails, they are only skipped.
func (w *writer) keepOutlines(limit int) {
	if !w.outlining || w.conn == nil || w.lost != nil || len(w.stalled) > 0 {
		return
	}
	list, version, more := w.store.outlines.take(limit)
	w.outlining = more
	if len(list) == 0 || w.nearCap(list) {
		return
	}
	p := &purger{s: w.store, ctx: context.Background(), w: w}
	if err := p.exec("BEGIN IMMEDIATE"); err != nil {
		return
	}
	g := &group{w: w}
	if err := g.putOutlines(list, version); err != nil {
		w.outlineTidy = false  // their size is counted again
		_ = p.exec("ROLLBACK") // if it fails, the next BEGIN does, and the connection is reopened
		return
	}
	if err := p.exec("COMMIT"); err != nil {
		w.outlineTidy = false
		_ = w.open() // nobody knows the state of the connection; if open fails, the next group reopens it
		return
	}
	w.worked = true // there is something to checkpoint
}

// putOutlines writes rows for files that still have the content.
func (g *group) putOutlines(list []Outline, version int64) error {
	if err := g.tidyOutlines(version); err != nil {
		return err
	}
	for _, x := range list {
		if err := g.putOutline(x, version); err != nil {
			return err
		}
	}
	return nil
}

// putOutline writes the row of a file, unless the file has other content by now or all rows
// together would be too large.
func (g *group) putOutline(x Outline, version int64) error {
	var path, was int64
	err := g.queryRow(`SELECT p.id, coalesce(length(o.data), 0) FROM path p LEFT JOIN outline o ON o.path = p.id
		WHERE p.path = ? AND p.hash = ? AND p.excluded IS NULL`, x.Path, x.Hash[:]).Scan(&path, &was)
	if errors.Is(err, sql.ErrNoRows) {
		return nil
	}
	bytes := g.w.outlineBytes - was + int64(len(x.Data))
	if err != nil || bytes > outlineAll {
		return err
	}
	g.w.outlineBytes = bytes
	return g.exec("INSERT OR REPLACE INTO outline (path, hash, version, data) VALUES (?, ?, ?, ?)", path,
		x.Hash[:], version, x.Data)
}

// tidyOutlines removes rows of old contents and of other versions of the program, and adds
// up the rest: once per process, and again when the sum may be wrong.
func (g *group) tidyOutlines(version int64) error {
	if g.w.outlineTidy {
		return nil
	}
	g.w.outlineTidy = true
	if err := g.exec(`DELETE FROM outline WHERE version <> ?
		OR NOT EXISTS (SELECT 1 FROM path p WHERE p.id = outline.path AND p.hash = outline.hash)`, version); err != nil {
		return err
	}
	return g.queryRow("SELECT coalesce(sum(length(data)), 0) FROM outline").Scan(&g.w.outlineBytes)
}

// nearCap reports whether outlines would soon make a history with a cap remove edits.
func (w *writer) nearCap(list []Outline) bool {
	ctx := context.Background()
	limit, err := capOf(ctx, w.conn)
	if limit == 0 && err == nil {
		return false
	}
	z, err2 := measure(ctx, w.conn, w.store.files)
	size := int64(0)
	for _, x := range list {
		size += int64(len(x.Data))
	}
	return err != nil || err2 != nil || z.counted()+4*size > limit-limit/8
}

// giveOutlines empties the table before any edit is removed for the cap. It returns false
// if the table was empty.
func (w *writer) giveOutlines() (gone bool, err error) {
	var n, bytes int64
	ctx := context.Background()
	if err := w.conn.QueryRowContext(ctx, "SELECT count(*), coalesce(sum(length(data)), 0) FROM outline").
		Scan(&n, &bytes); err != nil || n == 0 {
		return false, err
	}
	if _, err := w.conn.ExecContext(ctx, "DELETE FROM outline"); err != nil {
		return false, err
	}
	w.outlineTidy = false
	w.slack += bytes
	return true, nil
}
