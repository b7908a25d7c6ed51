package history

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"slices"
	"time"

	sqlite "github.com/mattn/go-sqlite3"
)

// The writer is the only goroutine that changes the database. Jobs that arrive while a
// commit waits for the disk form the next group; the window only spaces commits apart under
// load. A single job after a pause is committed at once.

const (
	groupJobs  = 4096
	groupBytes = 8 << 20
	queueJobs  = budgetBytes/minJob + 16
	// After this long without work the writer syncs the tail and checkpoints the log.
	idleAfter = 500 * time.Millisecond
)

// job is one unit that is committed entirely or not at all. run may be called again after a
// failed attempt, so it must change nothing but the database.
type job struct {
	run  func(*group) error
	solo func(*writer) error // instead of run, for jobs that need the connection outside a transaction
	// the caller waits and builds nothing on it: if it cannot be written, it is given up
	orNot bool
	undo  func() // with orNot: reverts the changes to the append side's memory; called under s.mu
	done  *promise
	size  int64
}

type writer struct {
	store *Store
	queue chan *job
	now   chan struct{} // a caller waits: skip the window
	quit  chan struct{}
	ended chan struct{}

	sooner chan struct{} // a caller waits: try the held jobs at once

	db    *sql.DB
	conn  *sql.Conn
	stmts map[string]*sql.Stmt
	tail  *tail

	chain        Hash // of the newest committed operation
	op           int64
	edit         EditID
	lastTime     time.Time
	worked       bool             // since the last idle chores
	hiding       bool             // beginnings of secrets are still to be masked, see hide.go
	wipe         bool             // the log still contains overwritten bytes
	more         bool             // there is more space to reclaim, see reclaim.go
	slack        int64            // bytes reclaimed since the last VACUUM
	stuck        map[textKey]bool // files whose space cannot be reclaimed because they cannot be read
	headsLost    int              // counts removals of rows from table head
	outlining    bool             // outlines wait to be written, see outlines.go
	outlineTidy  bool             // outdated outlines were removed
	outlineBytes int64            // the size of all outlines
	full         bool             // the history is above its cap, nothing can be removed, and the user knows

	stalled []*job        // jobs that could not be written, in order; see stall.go
	doubt   *doubt        // a group at the front of held that may be in the database after all
	pause   time.Duration // before the next try
	first   time.Duration // before the first retry; 0: retryFirst. A test makes it so long that only hurrying helps
	lost    error         // why some jobs were never written; set before ended is closed

	interrupted []conversationRow // turns that Open found running
}

// group is one transaction under construction.
type group struct {
	w     *writer
	chain Hash
	op    int64
	edit  EditID
	heads map[headKey]headRow // the rows of table head after its edits
	steps []stepRow           // the rows of table step that are not written yet
}

func (w *writer) hurry() {
	select {
	case w.now <- struct{}{}:
	default:
	}
}

func (w *writer) loop() {
	defer close(w.ended)
	for {
		if len(w.stalled) > 0 {
			if !w.again() {
				w.hide()
				return
			}
			continue
		}
		batch, open := w.collect()
		if len(batch) > 0 {
			w.process(batch)
			w.lastTime = time.Now()
			w.worked = true
		}
		if !open && len(w.stalled) == 0 {
			w.hide()
			w.keepOutlines(outlineAtClose)
			return
		}
	}
}

// collect waits for work and gathers a group of it. It returns false once the store is
// closing and nothing is left.
func (w *writer) collect() (batch []*job, open bool) {
	idle := time.NewTimer(idleAfter)
	defer idle.Stop()
	for len(batch) == 0 {
		select {
		case j := <-w.queue:
			batch = append(batch, j)
		case <-idle.C:
			w.chores()
			switch {
			case len(w.stalled) > 0: // a chore left its commit in doubt
				return nil, true
			case w.more, w.outlining:
				idle.Reset(idleAfter / 10)
			case w.wipe: // a reader blocked the checkpoint
				idle.Reset(idleAfter)
			}
		case <-w.quit:
			return w.drain(nil, 0), len(w.queue) > 0
		}
	}
	size := batch[0].size
	window := time.NewTimer(w.store.opts.GroupWindow - time.Since(w.lastTime))
	defer window.Stop()
	for len(batch) < groupJobs && size < groupBytes {
		select {
		case j := <-w.queue:
			batch = append(batch, j)
			size += j.size
			continue
		case <-window.C:
		case <-w.now:
		case <-w.quit:
		}
		break
	}
	return w.drain(batch, size), true
}

// drain adds the jobs that are queued right now, up to the size of a group.
func (w *writer) drain(batch []*job, size int64) []*job {
	for len(batch) < groupJobs && size < groupBytes {
		select {
		case j := <-w.queue:
			batch = append(batch, j)
			size += j.size
		default:
			return batch
		}
	}
	return batch
}

// process commits a batch. Solo jobs run after the others, whose IDs are already assigned.
func (w *writer) process(batch []*job) {
	alone := func(j *job) bool { return j.solo != nil }
	solos := slices.Collect(func(yield func(*job) bool) {
		for _, j := range batch {
			if alone(j) && !yield(j) {
				return
			}
		}
	})
	if batch = slices.DeleteFunc(batch, alone); len(batch) > 0 {
		w.commit(batch)
	}
	for _, j := range solos {
		if err := w.store.Stalled(); err != nil {
			w.finish([]*job{j}, err)
			continue
		}
		w.finish([]*job{j}, j.solo(w))
	}
}

// quiet commits queued jobs until the queue is empty or nothing can be written, and returns
// with s.mu held.
func (w *writer) quiet() {
	for {
		w.store.mu.Lock()
		if len(w.stalled) > 0 {
			return
		}
		rest := w.drainAll()
		if len(rest) == 0 {
			return
		}
		w.store.mu.Unlock()
		w.process(rest)
	}
}

// commit writes the group. If it cannot, it holds the group and everything queued behind
// it, because later edits build on earlier ones.
func (w *writer) commit(batch []*job) {
	err := w.write(batch)
	if err == nil {
		return
	}
	err = w.explain(err)
	rest := batch
	if w.doubt == nil {
		if rest = w.drop(batch, err); len(rest) < len(batch) && (len(rest) == 0 || w.write(rest) == nil) {
			w.store.resets.Add(1) // who waited for what was dropped may have read without the rest
			return
		}
	}
	w.stall(rest, err)
}

// write commits a group and resolves its promises; it retries where that can help. After an
// error the group is not in the database, or doubt is set because nobody knows.
func (w *writer) write(batch []*job) error {
	g, err := w.attempt(batch)
	for try := 0; mayPass(err) && try < 3; try++ {
		if full(err) && !dropBallast(w.store.files.ballast) && try > 0 {
			break
		}
		if landed, e := w.reread(g); e != nil {
			err = errors.Join(err, e)
			time.Sleep(20 * time.Millisecond)
			continue
		} else if landed {
			err = nil
			break
		}
		g, err = w.attempt(batch)
	}
	if err != nil {
		if landed, e := w.reread(g); e != nil {
			err = errors.Join(err, e)
			w.doubt = &doubt{g, batch, err}
			return err
		} else if !landed {
			return err
		}
	}
	w.landed(batch, g)
	return nil
}

var errNotOpen = errors.New("the database is not open")

// mayPass reports whether another attempt may succeed where one failed with err: SQLite or the
// system failed. Whatever else a job fails with, it will fail with again.
func mayPass(err error) bool {
	var e sqlite.Error
	return errors.As(err, &e) || errors.Is(err, errNotOpen) || errors.Is(err, driver.ErrBadConn) ||
		errors.Is(err, sql.ErrConnDone) || isNoSpace(err)
}

// landed records that a group is in the database.
func (w *writer) landed(batch []*job, g *group) {
	w.chain, w.op, w.edit = g.chain, g.op, g.edit
	if e := w.tail.write(g.op, g.edit, g.chain); e != nil {
		w.store.notice("write the history's tail marker: %v", e)
	}
	w.finish(batch, nil)
}

func (w *writer) finish(batch []*job, err error) {
	for _, j := range batch {
		w.store.budget.Release(j.size)
		j.done.resolve(err)
	}
}

func (w *writer) attempt(batch []*job) (g *group, err error) {
	g = &group{w: w, chain: w.chain, op: w.op, edit: w.edit}
	if w.conn == nil {
		return g, errNotOpen
	}
	ctx := context.Background()
	if _, err := w.conn.ExecContext(ctx, "BEGIN IMMEDIATE"); err != nil {
		return g, err
	}
	for _, j := range batch {
		if err := j.run(g); err != nil {
			w.rollback()
			return g, err
		}
	}
	if err = g.writeSteps(); err == nil {
		err = g.writeHeads()
	}
	if err != nil {
		w.rollback()
		return g, err
	}
	if _, err = w.conn.ExecContext(ctx, "COMMIT"); err != nil {
		w.rollback()
	}
	return g, err
}

// rollback ends a failed transaction. A failure here loses nothing: the caller that handles
// the first error reopens the connection, see reread.
func (w *writer) rollback() { _, _ = w.conn.ExecContext(context.Background(), "ROLLBACK") }

// reread finds out whether a failed attempt reached the database. After a failed COMMIT or
// fsync nobody knows, so it reopens the connection and compares the newest operation. If
// the group is there, its pages may still be only in the cache of the operating system,
// which believes them clean after a failed fsync; a checkpoint writes them once more, into
// the database, and syncs that.
func (w *writer) reread(g *group) (landed bool, err error) {
	before, edit, chain := w.op, w.edit, w.chain
	defer func() {
		if err != nil { // the next call compares again
			w.op, w.edit, w.chain = before, edit, chain
		}
	}()
	if err := w.open(); err != nil {
		return false, err
	}
	switch {
	case w.op == before:
		return false, nil // also for a group without operations: its jobs can be repeated
	case w.op != g.op || w.chain != g.chain:
		return false, fmt.Errorf("another program changed the history: operation %d follows operation %d", w.op, before)
	}
	var busy, log, done int
	row := w.conn.QueryRowContext(context.Background(), "PRAGMA wal_checkpoint(PASSIVE)")
	if err := row.Scan(&busy, &log, &done); err != nil {
		return false, err
	}
	if busy != 0 || log != done {
		return false, errors.New("could not make sure that the last edits are on disk")
	}
	return true, nil
}

// open reopens the connection and reads the end of the chain.
func (w *writer) open() error {
	_ = w.closeDB() // it is closed because something went wrong with it
	ctx := context.Background()
	db, err := openWriter(w.store.files.db)
	if err != nil {
		return err
	}
	conn, err := db.Conn(ctx)
	if err != nil {
		_ = db.Close() // nothing was done with it
		return err
	}
	w.db, w.conn, w.stmts = db, conn, map[string]*sql.Stmt{}
	if err := w.readState(ctx); err != nil {
		_ = w.closeDB() // nothing was done with it
		return err
	}
	return nil
}

// readState reads the end of the chain. If that fails, the writer keeps the state it had,
// so that the next reopen compares with that.
func (w *writer) readState(ctx context.Context) error {
	var op int64
	var edit EditID
	var chain []byte
	err := w.conn.QueryRowContext(ctx, "SELECT id, chain FROM op ORDER BY id DESC LIMIT 1").Scan(&op, &chain)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return err
	}
	err = w.conn.QueryRowContext(ctx, "SELECT coalesce(max(id), 0) FROM edit").Scan(&edit)
	if err != nil {
		return err
	}
	if w.tail != nil {
		edit = max(edit, w.tail.last.edit) // lost IDs are not used again
	}
	w.op, w.edit, w.chain = op, edit, Hash{}
	copy(w.chain[:], chain)
	return nil
}

func (w *writer) closeDB() error {
	if w.db == nil {
		return nil
	}
	for _, s := range w.stmts {
		_ = s.Close() // closing the connection closes it, too
	}
	_ = w.conn.Close() // returns it to db, which closes it
	err := w.db.Close()
	w.db, w.conn, w.stmts = nil, nil, nil
	return err
}

func (w *writer) drainAll() (rest []*job) {
	for {
		select {
		case j := <-w.queue:
			rest = append(rest, j)
		default:
			return rest
		}
	}
}

func (w *writer) explain(err error) error {
	var e sqlite.Error
	switch {
	case full(err):
		w.store.notice("%v", ErrFull)
		return fmt.Errorf("write %s: %w (%v)", w.store.files.db, ErrFull, err)
	case damaged(err):
		return fmt.Errorf("write %s: %w; run `waferpair history check`", w.store.files.db, err)
	case errors.As(err, &e) && e.Code == sqlite.ErrBusy:
		return fmt.Errorf("write %s: another program holds the database; close it and try again: %w", w.store.files.db, err)
	}
	return fmt.Errorf("write %s: %w", w.store.files.db, err)
}

// chores runs the work that can wait until the writer is idle.
func (w *writer) chores() {
	if w.worked {
		w.hide()
	}
	if w.worked || w.more {
		w.reclaim()
	}
	w.keepOutlines(outlineStep)
	w.wipeLog()
	if !w.worked {
		return
	}
	w.worked = false
	if err := w.tail.sync(); err != nil {
		w.store.notice("sync the history's tail marker: %v", err)
	}
	if w.conn != nil {
		// If it fails, the log is longer for a while, and as safe.
		_, _ = w.conn.ExecContext(context.Background(), "PRAGMA wal_checkpoint(PASSIVE)")
	}
	if w.edit > 0 {
		_ = makeBallast(w.store.files.ballast) // usually it exists; after a failure the next idle moment retries
	}
	w.store.maybeBackup()
}

// exec runs a statement of the group, prepared once per connection.
func (g *group) exec(query string, args ...any) error {
	st, err := g.stmt(query)
	if err != nil {
		return err
	}
	_, err = st.Exec(args...)
	return err
}

func (g *group) stmt(query string) (*sql.Stmt, error) {
	if st := g.w.stmts[query]; st != nil {
		return st, nil
	}
	st, err := g.w.conn.PrepareContext(context.Background(), query)
	if err == nil {
		g.w.stmts[query] = st
	}
	return st, err
}

func (g *group) queryRow(query string, args ...any) *sql.Row {
	st, err := g.stmt(query)
	if err != nil {
		return g.w.conn.QueryRowContext(context.Background(), query, args...)
	}
	return st.QueryRow(args...)
}
