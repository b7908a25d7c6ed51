package history

import (
	"context"
	"crypto/rand"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"time"

	"golang.org/x/sync/semaphore"

	schema "waferpair/history/sql"
)

var (
	// ErrBeingMade means that another process is still creating the history.
	ErrBeingMade = errors.New("another waferpair is just creating it; try again")
	// ErrOlder means that another process has the history open with an older schema than
	// this version reads.
	ErrOlder = errors.New("another waferpair has it open, in the form of an earlier version: if that one is an earlier version, close it; if it is just bringing the history up to date, try again when it is done")
)

// Open opens the project's history and creates it if there is none. If another process has
// it open, the returned Store is read-only. Open sets a damaged database aside and restores
// the newest good backup; Notices reports that.
func Open(ctx context.Context, o Options) (*Store, error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.GroupWindow <= 0 {
		o.GroupWindow = 10 * time.Millisecond
	}
	s := &Store{opts: o, files: filesOf(o.Dir), heads: map[string]*head{}, turns: map[TurnID]SessionID{},
		growing: map[int64]TurnID{},
		budget:  semaphore.NewWeighted(budgetBytes)}
	if s.opts.Stalled == nil {
		s.opts.Stalled = func(error) {}
	}
	s.flow, s.halt = context.WithCancelCause(context.Background())
	if err := s.open(ctx); err != nil {
		return nil, fmt.Errorf("open the history in %s: %w", o.Dir, err)
	}
	return s, nil
}

func (s *Store) open(ctx context.Context) (err error) {
	if err := makeDir(s.files.dir, s.files.db); err != nil {
		return fmt.Errorf("%w; set XDG_DATA_HOME to a folder that can be written", err)
	}
	s.lock, s.owner, err = acquireLock(s.files.lock, s.opts.Reach)
	if err != nil {
		return fmt.Errorf("%w; the folder must be writable, or set XDG_DATA_HOME to one that is", err)
	}
	if s.ReadOnly() {
		return s.openReadOnly(ctx, readerParams)
	}
	if err = s.openWritable(ctx); err != nil {
		if s.w != nil {
			_ = s.w.closeDB() // the error that is returned says more
		}
		_ = s.index.Close() // as above; or the index is closed already
		s.lock.release()
		if errors.Is(err, ErrFull) && s.openFrozen(ctx) == nil {
			s.frozen = err
			return nil
		}
	}
	return err
}

// openFrozen opens a database on a full disk for reading. SQLite then needs no file beside
// it, provided that the last writer left an empty log.
func (s *Store) openFrozen(ctx context.Context) (err error) {
	if log, err := os.Stat(s.files.db + "-wal"); err == nil && log.Size() > 0 {
		return errors.New("edits are in the log")
	}
	s.lock, s.w = nil, nil
	return s.openReadOnly(ctx, readerParams+"&immutable=1")
}

func (s *Store) openReadOnly(ctx context.Context, params string) (err error) {
	if s.read, err = openReaderWith(s.files.db, params); err != nil {
		return err
	}
	have, err := userVersion(ctx, s.read)
	if err == nil && have > schema.Version {
		err = ErrNewer
	} else if err == nil && have < schema.Version {
		err = s.behind(have)
	}
	if err == nil {
		err = s.loadBranches(ctx, s.read)
	}
	if err != nil {
		_ = s.read.Close() // the error that is returned says more
	}
	return err
}

// behind returns the error for a database that another process has open with another schema
// than this version reads. Nothing in the database tells which of the two programs is
// newer.
func (s *Store) behind(have int) error {
	if have == 0 {
		return ErrBeingMade
	}
	return fmt.Errorf("%w (pid %s; its database has schema %d, this version reads %d)", ErrOlder, s.holder(),
		have, schema.Version)
}

func (s *Store) openWritable(ctx context.Context) error {
	m, marked := readTail(s.files.tail)
	if _, err := os.Stat(s.files.db); errors.Is(err, os.ErrNotExist) && marked {
		s.notice("the history database is gone from %s: %d operations up to edit %d were in it", s.files.dir, m.op, m.edit)
		s.setAside()
		s.restoreBackup(ctx)
	}
	err := s.openDB(ctx)
	if damaged(err) {
		s.notice("the history database is damaged: %v", err)
		s.setAside()
		s.restoreBackup(ctx)
		err = s.openDB(ctx)
	}
	if full(err) && dropBallast(s.files.ballast) {
		s.notice("the disk is full: the space that was held back for this case is in use now")
		err = s.openDB(ctx)
	}
	if full(err) {
		err = fmt.Errorf("%w (%v)", ErrFull, err)
	}
	if err != nil {
		return err
	}
	return s.startWriter(ctx, m, marked)
}

// openDB opens the database and loads all state that the store keeps in memory.
func (s *Store) openDB(ctx context.Context) (err error) {
	if err := makeFile(s.files.db); err != nil {
		return err
	}
	if s.index, err = makeIndex(s.files.db); err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = s.index.Close() // the error that is returned says more
		}
	}()
	s.w = &writer{store: s, queue: make(chan *job, queueJobs), now: make(chan struct{}, 1), sooner: make(chan struct{}, 1),
		quit: make(chan struct{}), ended: make(chan struct{})}
	db, err := openWriter(s.files.db)
	if err != nil {
		return err
	}
	defer db.Close() // only when others have the index open: the last connection to close removes it
	have, err := userVersion(ctx, db)
	indexTaken(s.index)
	if err == nil && have > 0 && have < schema.Version {
		err = backupTo(ctx, s.files)
	}
	if err == nil {
		err = migrate(ctx, db, have)
	}
	if err != nil {
		return err
	}
	if err = s.w.open(); err == nil {
		err = s.load(ctx)
	}
	if err != nil {
		_ = s.w.closeDB() // the error that is returned says more
		return err
	}
	if s.read, err = openReader(s.files.db); err == nil {
		if _, err = userVersion(ctx, s.read); err != nil { // from here on this connection has the index open, too
			_ = s.read.Close() // as above
		}
	}
	if err != nil {
		_ = s.w.closeDB() // as above
	}
	return err
}

// load reads the state that the append side keeps in memory. It thereby touches the end of
// every table, where most damage shows.
func (s *Store) load(ctx context.Context) error {
	c := s.w.conn
	var n ids
	row := c.QueryRowContext(ctx, `SELECT
		(SELECT coalesce(max(id), 0) FROM path), (SELECT coalesce(max(id), 0) FROM session),
		(SELECT coalesce(max(id), 0) FROM turn),
		(SELECT max(coalesce((SELECT max(id) FROM item), 0), coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'item'), 0))),
		(SELECT coalesce(max(id), 0) FROM intent)`)
	if err := row.Scan(&n.path, &n.session, &n.turn, &n.item, &n.job); err != nil {
		return err
	}
	n.baselineEmpty = n.path == 0
	n.path, n.session, n.turn, n.item, n.job = n.path+1, n.session+1, n.turn+1, n.item+1, n.job+1
	n.op, n.edit = s.w.op+1, s.w.edit+1
	s.next = n
	if err := s.identify(ctx, c); err != nil {
		return err
	}
	if err := s.loadBranches(ctx, c); err != nil {
		return err
	}
	return s.endInterrupted(ctx)
}

// identify reads the store's random ID, or gives it one.
func (s *Store) identify(ctx context.Context, c *sql.Conn) error {
	var id string
	err := c.QueryRowContext(ctx, "SELECT value FROM meta WHERE key = 'store'").Scan(&id)
	if err == nil || !errors.Is(err, sql.ErrNoRows) {
		return err
	}
	var b [16]byte
	rand.Read(b[:])
	_, err = c.ExecContext(ctx,
		"INSERT INTO meta (key, value) VALUES ('store', ?), ('root', ?), ('branch', 1), ('said', 1), ('items', 1)",
		hex.EncodeToString(b[:]), s.opts.Root)
	return err
}

func (s *Store) storeID(ctx context.Context) (id [16]byte) {
	var h string
	if s.w.conn.QueryRowContext(ctx, "SELECT value FROM meta WHERE key = 'store'").Scan(&h) == nil {
		// The ID is only compared: if it is not hexadecimal, the same bytes come out at
		// every Open.
		_, _ = hex.Decode(id[:], []byte(h))
	}
	return id
}

// startWriter compares the database with the tail marker and starts the writer.
func (s *Store) startWriter(ctx context.Context, m mark, marked bool) (err error) {
	id := s.storeID(ctx)
	lost, err := s.compareTail(ctx, id, m, marked)
	if err != nil {
		return err
	}
	last := mark{store: id, seq: m.seq, op: s.w.op, edit: max(s.w.edit, m.edit), chain: s.w.chain}
	if s.w.tail, err = openTail(s.files.tail, last); err != nil {
		return err
	}
	s.w.edit = last.edit
	s.next.edit = last.edit + 1
	s.next.op = max(s.w.op, m.op) + 1
	s.backup.load(s.files, s.w.edit)
	if tasks, err := s.w.hideTasks(); err != nil || len(tasks) > 0 {
		s.w.hiding, s.w.worked = true, true // a crash postponed the masking
	}
	s.startHelpers()
	go s.w.loop()
	if err := errors.Join(s.coverInterrupted(ctx), s.anchorConversation(ctx)); err != nil {
		s.notice("cover the conversations of before by the chain: %v; it is tried again at the next start", err)
	}
	if err := s.moveOld(ctx); err != nil {
		s.notice("make items of the conversations of before: %v; it is tried again at the next start", err)
	}
	if lost == "" {
		return nil
	}
	s.notice("%s", lost)
	if err := s.recordLoss(ctx, lost); err != nil { // the user gets the notice anyway
		s.notice("record the loss: %v", err)
	}
	return nil
}

// compareTail describes the acknowledged operations that the database lacks; "" if none.
func (s *Store) compareTail(ctx context.Context, id [16]byte, m mark, marked bool) (lost string, err error) {
	if !marked {
		if s.w.op > 0 {
			s.notice("the history's tail marker was missing: whether the newest edits were lost cannot be told")
		}
		return "", nil
	}
	if m.op > s.w.op {
		return fmt.Sprintf("the history lost its newest operations: %d of %d are left, edits %d to %d may be missing (their files on disk were not touched)",
			s.w.op, m.op, s.w.edit+1, m.edit), nil
	}
	var chain []byte
	err = s.w.conn.QueryRowContext(ctx, "SELECT chain FROM op WHERE id = ?", m.op).Scan(&chain)
	if errors.Is(err, sql.ErrNoRows) && m.op == 0 {
		return "", nil
	}
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return "", err
	}
	if string(chain) != string(m.chain[:]) || id != m.store {
		return fmt.Sprintf("the history was replaced or altered before operation %d; run `waferpair history check`", m.op),
			nil
	}
	return "", nil
}

func (s *Store) recordLoss(ctx context.Context, note string) error {
	p, err := s.appendPlain(ctx, opLoss, note, nil)
	if err != nil {
		return err
	}
	return p.wait(ctx)
}

// closeWriter commits what is queued, then closes everything in order.
func (s *Store) closeWriter() error {
	close(s.w.quit)
	<-s.w.ended
	close(s.digests)
	s.backup.finish(s)
	err := errors.Join(s.w.lost, s.w.tail.close())
	// The reader closes first, so that the writer's close can checkpoint and remove the
	// log. Nothing was written through it.
	_ = s.read.Close()
	if e := s.w.closeDB(); err == nil {
		err = e
	}
	_ = s.index.Close() // only its lock matters, and closing drops that
	return err
}

func (s *Store) now() int64 { return s.opts.Now().UnixMilli() }

// setAside renames the damaged database and its log together: SQLite would replay a log
// left behind over the backup.
func (s *Store) setAside() {
	to := fmt.Sprintf("%s-corrupt-%s", s.files.db, s.opts.Now().UTC().Format("20060102T150405.000"))
	kept := false
	for _, suffix := range []string{"", "-wal", "-shm"} {
		if os.Rename(s.files.db+suffix, to+suffix) == nil {
			kept = true
		}
	}
	if kept {
		s.notice("the old database is kept as %s", to)
	}
}
