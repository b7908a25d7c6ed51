package history

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"time"

	sqlite "github.com/mattn/go-sqlite3"
)

// The writer is the one goroutine that changes the database. Jobs that arrive
// while a commit waits for the disk form the next group by themselves; the
// window only spaces commits apart when they come thick and fast. A lone job
// after a pause is committed at once.

const (
	groupJobs  = 4096
	groupBytes = 8 << 20
	queueJobs  = budgetBytes/minJob + 16
	// After this long without work the tail is synced and the log checkpointed.
	idleAfter = 500 * time.Millisecond
)

// job is one unit that is committed entirely or not at all. run may be called
// again after a failed attempt, so it must not change anything but the database.
type job struct {
	run   func(*group) error
	solo  func(*writer) error // instead of run: needs the connection to itself
	orNot bool                // whoever queued it waits, and builds nothing on it: what cannot be written has not happened
	undo  func()              // with orNot: takes back what the append side believes of it; under s.mu
	done  *promise
	size  int64
}

type writer struct {
	store *Store
	queue chan *job
	now   chan struct{} // somebody waits: do not sit out the window
	quit  chan struct{}
	ended chan struct{}

	sooner chan struct{} // somebody waits: try what is held at once

	db    *sql.DB
	conn  *sql.Conn
	stmts map[string]*sql.Stmt
	tail  *tail

	chain        Hash // of the newest committed operation
	op           int64
	edit         EditID
	lastTime     time.Time
	worked       bool             // since the last idle chores
	hiding       bool             // beginnings of secrets are to be masked, see hide.go
	wipe         bool             // the log holds what was overwritten
	more         bool             // space of the history is still to be given back, see reclaim.go
	slack        int64            // what was given back since the file was made smaller
	stuck        map[textKey]bool // what cannot be given back, because it cannot be read
	headsLost    int              // how often rows of table head were removed
	outlining    bool             // outlines wait to be written, see outlines.go
	outlineTidy  bool             // what is outdated of them was removed
	outlineBytes int64            // what they take
	full         bool             // it is above its cap, nothing may go, and the user was told

	held  []*job        // what could not be written, in order; see stall.go
	doubt *doubt        // the first of these may be in the database
	pause time.Duration // before the next try
	lost  error         // why some of it never was written; set before ended is closed

	interrupted []saidRow // turns that were found running at Open
}

// group is one transaction under construction.
type group struct {
	w     *writer
	chain Hash
	op    int64
	edit  EditID
	heads map[headKey]headRow // what its edits leave
	steps []stepRow           // of its edits, those that are not written yet
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
		if len(w.held) > 0 {
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
		if !open && len(w.held) == 0 {
			w.hide()
			w.keepOutlines(outlineAtClose)
			return
		}
	}
}

// collect waits for work and gathers a group of it. It returns false once the
// store is closing and nothing is left.
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
			case w.more, w.outlining:
				idle.Reset(idleAfter / 10)
			case w.wipe: // a reader was in the way
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

// drain adds what is queued right now, up to the size of a group.
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

// process commits a batch; jobs that want to be alone come after the others,
// whose IDs are already given out.
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

// quiet commits what is queued until nothing is, or nothing can be, and returns
// with s.mu held.
func (w *writer) quiet() {
	for {
		w.store.mu.Lock()
		if len(w.held) > 0 {
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

// commit writes the group. One that cannot be written is held, together with
// everything queued behind it, because later edits build on earlier ones.
func (w *writer) commit(batch []*job) {
	err := w.write(batch)
	if err == nil {
		return
	}
	err = w.explain(err)
	rest := batch
	if w.doubt == nil {
		if rest = w.drop(batch, err); len(rest) < len(batch) && (len(rest) == 0 || w.write(rest) == nil) {
			return // what is left can be written
		}
	}
	w.hold(rest, err)
}

// write commits a group and resolves its promises, trying again where that can
// help. After an error the group is not there, or doubt says that nobody knows.
func (w *writer) write(batch []*job) error {
	g, err := w.attempt(batch)
	for try := 0; err != nil && try < 3; try++ {
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
			w.doubt = &doubt{g, len(batch)}
			return errors.Join(err, e)
		} else if !landed {
			return err
		}
	}
	w.landed(batch, g)
	return nil
}

// landed takes down that a group is in the database.
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
		return g, errors.New("the database is not open")
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

// rollback ends a transaction that failed. Where even that fails nothing is lost:
// whoever sees the failure opens the connection anew, see reread.
func (w *writer) rollback() { _, _ = w.conn.ExecContext(context.Background(), "ROLLBACK") }

// reread finds out what a failed attempt left behind. After a failed COMMIT or
// fsync nobody knows: the connection is opened anew and the newest operation
// compared. If the group is there, its pages may still be only in the cache of
// the operating system, which after a failed fsync believes them clean; a
// checkpoint writes them once more, into the database, and syncs that.
func (w *writer) reread(g *group) (landed bool, err error) {
	before, edit, chain := w.op, w.edit, w.chain
	defer func() {
		if err != nil { // it is compared again
			w.op, w.edit, w.chain = before, edit, chain
		}
	}()
	if err := w.open(); err != nil {
		return false, err
	}
	switch {
	case w.op == before:
		return false, nil // also a group without operations: its jobs can be repeated
	case w.op != g.op || w.chain != g.chain:
		return false, fmt.Errorf("the history changed behind our back: operation %d after %d", w.op, before)
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

// open (re)opens the connection and reads where the chain stands.
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

// readState reads where the chain stands. What cannot be read leaves the writer with
// what it knew, so that the next one who opens compares with that.
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
		edit = max(edit, w.tail.last.edit) // IDs that were lost are not used again
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
		_ = s.Close() // it goes with its connection
	}
	_ = w.conn.Close() // gives it back to db, which closes it
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

// chores is what can wait until nothing else is to be done.
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
		// Without it the log is longer for a while, and as safe.
		_, _ = w.conn.ExecContext(context.Background(), "PRAGMA wal_checkpoint(PASSIVE)")
	}
	if w.edit > 0 {
		_ = makeBallast(w.store.files.ballast) // mostly it is there; for the rest the next pause tries again
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
