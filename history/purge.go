package history

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// PurgeRequest says whose content to remove: one file's or one session's.
type PurgeRequest struct {
	Path    string
	Session SessionID
}

// PurgeReport says what was removed and what was not.
type PurgeReport struct {
	Edits []EditID // tombstones now: listed, but without content
	Paths []string // the files concerned; a purge of a path follows its renames
	Kept  []string // files whose present content still rests on what a session wrote
	Notes []string // what a purge cannot do
}

// purgeNote is what the chain keeps of a purge: the operations whose link cannot
// be verified any more. A tombstone without such a note is damage.
type purgeNote struct {
	Paths   []string  `json:"paths,omitempty"`
	Session SessionID `json:"session,omitempty"`
	Masked  bool      `json:"masked,omitempty"` // beginnings of secrets, see hide.go
	Below   int64     `json:"below,omitempty"`  // reclaimed to keep the history below so many bytes
	Ops     []int64   `json:"ops"`
}

// Purge removes content for good: deltas, contents, keyframes, drafts, items,
// outlines, backups and damaged databases kept aside; then the file is rewritten and the
// log cut. The edits stay as tombstones, and the links of their operations can no
// longer be verified, which a note in the chain declares.
//
// Afterwards the file's path is unknown to history until Baseline records what it
// holds now.
func (s *Store) Purge(ctx context.Context, what PurgeRequest) (PurgeReport, error) {
	if s.ReadOnly() {
		return PurgeReport{}, s.readOnlyError()
	}
	if (what.Path == "") == (what.Session == 0) {
		return PurgeReport{}, errors.New("purge: name one file or one session")
	}
	p := &purger{s: s, ctx: context.WithoutCancel(ctx), what: what}
	if err := s.alone(ctx, p.run); err != nil {
		return PurgeReport{}, fmt.Errorf("purge: %w", err)
	}
	return p.report, nil
}

// alone runs fn in the writer's goroutine, outside any transaction, with nothing
// cached before and after.
func (s *Store) alone(ctx context.Context, fn func(*writer) error) error {
	return s.solo(ctx, func(w *writer) error {
		w.quiet() // nobody appends meanwhile: an edit could rest on what goes away
		defer w.stallInDoubt()
		defer s.mu.Unlock()
		if len(w.stalled) > 0 {
			return s.stalled
		}
		if w.conn == nil { // an earlier job could not reopen the database
			if err := w.open(); err != nil {
				return w.explain(err)
			}
		}
		defer s.rollback()
		return fn(w)
	})
}

// solo runs fn in the writer's goroutine, outside any transaction.
func (s *Store) solo(ctx context.Context, fn func(*writer) error) error {
	size, err := s.reserve(ctx, 0)
	if err != nil {
		return err
	}
	s.mu.Lock()
	if err := s.refuses(); err != nil {
		s.mu.Unlock()
		s.budget.Release(size)
		return err
	}
	p := s.enqueueJob(&job{size: size, solo: fn})
	s.mu.Unlock()
	<-p.done
	return p.err
}

type purger struct {
	s      *Store
	ctx    context.Context
	w      *writer
	what   PurgeRequest
	paths  map[int64]string // affected paths by ID, when what names a path
	ops    []int64
	rows   []conversationRow // rows of the conversation that it changes
	report PurgeReport
}

func (p *purger) run(w *writer) error {
	p.w = w
	err := p.find()
	if err == nil {
		err = p.within(p.remove)
	}
	if err != nil {
		return err
	}
	return p.scrub()
}

// find looks up what to purge, so that an unknown path or session fails before a
// transaction begins.
func (p *purger) find() (err error) {
	if p.what.Path != "" {
		p.paths, err = p.connected(p.what.Path)
		return err
	}
	var found []int64
	err = p.column(&found, "SELECT id FROM session WHERE id = ?", int64(p.what.Session))
	if err == nil && len(found) == 0 {
		err = fmt.Errorf("session %d: %w", p.what.Session, ErrNotFound)
	}
	return err
}

// within changes recorded rows in one transaction. As with edits, it checks whether a
// commit that reported a failure is in the database: if so, the change has happened; if
// not, within calls change again, from its start. While nobody knows which, the store
// stalls, because the chain continues from that commit.
func (p *purger) within(change func(*group) error) error {
	err := p.w.write([]*job{{orNot: true, done: newPromise(), run: func(g *group) error {
		p.ops, p.rows, p.report = nil, nil, PurgeReport{}
		if err := change(g); err != nil {
			return err
		}
		return g.count(purgeCount)
	}}})
	p.s.resets.Add(1) // also when nobody knows
	switch {
	case err == nil:
		return nil
	case p.w.doubt != nil:
		return fmt.Errorf("%w; whether it was removed cannot be told yet: try again", p.w.explain(err))
	}
	return p.w.explain(err)
}

func (p *purger) exec(query string, args ...any) error {
	_, err := p.w.conn.ExecContext(p.ctx, query, args...)
	return err
}

func (p *purger) remove(g *group) (err error) {
	if p.what.Path != "" {
		err = p.removePath(g)
	} else {
		err = p.removeSession(g)
	}
	if err == nil {
		err = p.removeOrphans()
	}
	if err == nil {
		err = g.dropOutlines()
	}
	if err != nil {
		return err
	}
	if len(p.rows) > 0 {
		if err := g.coverRows(p.s.conversationOp(), p.rows, nil); err != nil {
			return err
		}
	}
	return p.note(g, purgeNote{Paths: p.report.Paths, Session: p.what.Session})
}

// note puts into the chain which links cannot be verified any more.
func (p *purger) note(g *group, n purgeNote) error {
	slices.Sort(p.ops)
	n.Ops = slices.Compact(p.ops)
	note, _ := json.Marshal(n)
	author, _ := code(authors, User)
	row := opRow{id: p.s.next.op, kind: opPurge, branch: p.s.current, author: author, at: p.s.now(), note: string(note)}
	p.s.next.op++
	var c canon
	c.op(row)
	return g.insertOp(row, c.b)
}

// removePath removes everything that was ever at a path, and at the paths that it
// was renamed from and to.
func (p *purger) removePath(g *group) error {
	for id, path := range p.paths {
		p.report.Paths = append(p.report.Paths, path)
		if err := p.column(&p.report.Edits, "SELECT edit FROM step WHERE path = ?", id); err != nil {
			return err
		}
		if err := p.column(&p.ops, `SELECT op FROM edit WHERE id IN (SELECT edit FROM step WHERE path = ?1)
			UNION SELECT op FROM baseline WHERE path = ?1`, id); err != nil {
			return err
		}
		if err := g.dropHeads(id); err != nil {
			return err
		}
		for _, q := range []string{
			`UPDATE edit SET state = state | 4, after = NULL, blob = NULL, delta = NULL
				WHERE id IN (SELECT edit FROM step WHERE path = ?)`,
			"UPDATE step SET delta = NULL WHERE path = ?",
			"UPDATE baseline SET after = NULL, blob = NULL WHERE path = ?",
			"UPDATE path SET hash = NULL, size = NULL, mtime = NULL, inode = NULL WHERE id = ?",
			"DELETE FROM draft WHERE path = (SELECT path FROM path WHERE id = ?)",
		} {
			if err := p.exec(q, id); err != nil {
				return err
			}
		}
	}
	slices.Sort(p.report.Paths)
	slices.Sort(p.report.Edits)
	p.report.Notes = append(p.report.Notes,
		"conversations that quote the file are kept; purge their sessions too if they do")
	return nil
}

func (p *purger) connected(path string) (map[int64]string, error) {
	out := map[int64]string{}
	var todo []int64
	if err := p.column(&todo, "SELECT id FROM path WHERE path = ?", path); err != nil {
		return nil, err
	}
	if len(todo) == 0 {
		return nil, fmt.Errorf("%s: %w in the history", path, ErrNotFound)
	}
	for len(todo) > 0 {
		id := todo[0]
		todo = todo[1:]
		if _, seen := out[id]; seen {
			continue
		}
		var name string
		if err := p.w.conn.QueryRowContext(p.ctx, "SELECT path FROM path WHERE id = ?", id).Scan(&name); err != nil {
			return nil, err
		}
		out[id] = name
		if err := p.column(&todo, `SELECT to_path FROM edit
			WHERE id IN (SELECT edit FROM step WHERE path = ?1) AND to_path IS NOT NULL
			UNION SELECT path FROM edit WHERE to_path = ?1`, id); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// column appends the numbers that a query returns.
func (p *purger) column(to any, query string, args ...any) error {
	rows, err := p.w.conn.QueryContext(p.ctx, query, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var n int64
		if err := rows.Scan(&n); err != nil {
			return err
		}
		switch to := to.(type) {
		case *[]int64:
			*to = append(*to, n)
		case *[]EditID:
			*to = append(*to, EditID(n))
		}
	}
	return rows.Err()
}

// removeOrphans removes the contents that nothing refers to any more.
func (p *purger) removeOrphans() error {
	err := p.exec(`DELETE FROM blob WHERE id NOT IN (SELECT blob FROM edit WHERE blob IS NOT NULL
		UNION SELECT blob FROM baseline WHERE blob IS NOT NULL UNION SELECT blob FROM item WHERE blob IS NOT NULL)`)
	if err == nil {
		err = p.exec("DELETE FROM chunk WHERE id >> 20 NOT IN (SELECT id FROM blob)")
	}
	return err
}

// scrub gets the removed bytes out of the files: free pages and the log by
// rewriting, copies by deleting them.
func (p *purger) scrub() error {
	for _, q := range []string{"VACUUM", "PRAGMA wal_checkpoint(TRUNCATE)"} {
		if err := p.exec(q); err != nil {
			return fmt.Errorf("the content is removed, but its bytes may still be in the database file; run the purge again: %w",
				err)
		}
	}
	if fi, err := os.Stat(p.s.files.db + "-wal"); err == nil && fi.Size() > 0 {
		p.report.Notes = append(p.report.Notes,
			"another program is reading the history: the removed bytes are in its write-ahead log until that ends")
	}
	p.s.backup.mu.Lock()
	defer p.s.backup.mu.Unlock()
	entries, err := os.ReadDir(p.s.files.dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), "backup-") || strings.Contains(e.Name(), "-corrupt-") ||
			strings.HasSuffix(e.Name(), ".new") {
			if err := os.Remove(filepath.Join(p.s.files.dir, e.Name())); err != nil {
				return fmt.Errorf("the content is removed, but an old copy stays: %w", err)
			}
		}
	}
	p.report.Notes = append(p.report.Notes,
		"the older backups were deleted with it; the disk may keep the bytes in freed blocks until they are overwritten")
	return nil
}
