package history

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	schema "waferpair/history/sql"
)

// Backups are whole copies made by VACUUM INTO, which reads one snapshot without blocking
// the writer. The three newest are kept. The store makes them in the background when the
// writer is idle, at most once a day, and at Close.

const (
	backups     = 3
	backupEvery = 24 * time.Hour
	// Close makes no backup after fewer new edits than this.
	backupEdits = 200
)

type backupState struct {
	mu      sync.Mutex // locked while a backup is made
	last    time.Time
	edits   EditID // the newest edit at Open
	running sync.WaitGroup
}

// load finds out when the newest backup was made. A new store counts as backed up: its
// first backup is due after a day, or after many edits.
func (b *backupState) load(f files, newest EditID) {
	b.edits = newest
	if fi, err := os.Stat(f.backup(1)); err == nil {
		b.last = fi.ModTime()
		if time.Until(b.last) > 0 { // made while the clock was ahead: its age is unknown
			b.last = time.Time{}
		}
	} else if fi, err := os.Stat(f.lock); err == nil && newest == 0 {
		b.last = fi.ModTime()
	}
}

// Backup makes a backup now.
func (s *Store) Backup(ctx context.Context) error {
	if s.ReadOnly() {
		return s.readOnlyError()
	}
	if err := s.settled(ctx); err != nil {
		return err
	}
	s.backup.mu.Lock()
	defer s.backup.mu.Unlock()
	if err := backupTo(ctx, s.files); err != nil {
		return fmt.Errorf("back up the history to %s: %w", s.files.dir, err)
	}
	s.backup.last = time.Now()
	return nil
}

// maybeBackup starts a backup in the background if one is due. The writer calls it when
// idle; it does not block.
func (s *Store) maybeBackup() {
	if s.w.edit == 0 || !s.backup.mu.TryLock() {
		return
	}
	if time.Since(s.backup.last) < backupEvery {
		s.backup.mu.Unlock()
		return
	}
	s.backup.last = time.Now()
	s.backup.running.Go(func() {
		defer s.backup.mu.Unlock()
		if err := backupTo(context.Background(), s.files); err != nil {
			s.notice("back up the history: %v", err)
		}
	})
}

// finish waits for a running backup and makes the one that is due at Close: after many
// edits, or when a day of short runs never left the writer idle.
func (b *backupState) finish(s *Store) {
	b.running.Wait()
	b.mu.Lock()
	defer b.mu.Unlock()
	age := time.Since(b.last)
	many := s.w.edit >= b.edits+backupEdits && age > time.Hour
	daily := s.w.edit > b.edits && age > backupEvery
	if !many && !daily {
		return
	}
	if err := backupTo(context.Background(), s.files); err != nil {
		s.notice("back up the history: %v", err)
	}
}

// backupTo makes a backup, as number 1. Interrupted at any moment, it costs no complete one
// but the oldest, which it replaces.
func backupTo(ctx context.Context, f files) error {
	if err := copyDatabase(ctx, f); err != nil {
		return err
	}
	for _, n := range rotation(f) {
		if err := os.Rename(f.backup(n), f.backup(n+1)); err != nil {
			return err
		}
	}
	return syncFile(f.dir)
}

// copyDatabase writes a copy beside the backups, as number 0.
func copyDatabase(ctx context.Context, f files) error {
	// readers cannot write anything, not even another file
	db, err := sql.Open("sqlite3", dsn(f.db, "mode=rw&_busy_timeout=5000"))
	if err != nil {
		return err
	}
	defer db.Close()
	tmp := f.backup(0)
	_ = os.Remove(tmp) // left by an interrupted backup; if it cannot be removed, VACUUM INTO fails
	if err := makeFile(tmp); err != nil {
		return err
	}
	if _, err = db.ExecContext(ctx, "VACUUM INTO ?", tmp); err == nil {
		err = syncFile(tmp)
	}
	if err != nil {
		_ = os.Remove(tmp) // the next backup removes it
	}
	return err
}

// rotation returns the backups to rename to the next number, in order: those below the first
// free number; without one, all, so that the oldest is replaced. A backup that was
// interrupted between two renames left a free number, which the next one then fills.
func rotation(f files) (list []int) {
	free := 1
	for ; free < backups; free++ {
		if _, err := os.Lstat(f.backup(free)); errors.Is(err, os.ErrNotExist) {
			break
		}
	}
	for n := free - 1; n >= 0; n-- {
		list = append(list, n)
	}
	return list
}

// syncFile makes a closed file or a folder durable. It must not be used on the live
// database.
func syncFile(path string) error {
	d, err := os.Open(path)
	if err != nil {
		return err
	}
	err = d.Sync()
	if e := d.Close(); err == nil {
		err = e
	}
	return err
}

// restoreBackup replaces the database by the newest backup that is sound. The database must
// have been moved out of the way.
func (s *Store) restoreBackup(ctx context.Context) {
	for n := 1; n <= backups; n++ {
		path := s.files.backup(n)
		if _, err := os.Stat(path); err != nil {
			continue
		}
		err := sound(ctx, path)
		if err == nil {
			err = copyFile(path, s.files.db)
		}
		if err == nil {
			s.notice("the history was restored from the backup %s", path)
			return
		}
		s.notice("the backup %s cannot be used: %v", path, err)
	}
	s.notice("there is no backup of the history: a new one begins with the files as they are now")
}

// sound checks a database that nobody has open.
func sound(ctx context.Context, path string) error {
	db, err := openReader(path)
	if err != nil {
		return err
	}
	defer db.Close()
	have, err := userVersion(ctx, db)
	if err != nil {
		return err
	}
	if have == 0 || have > schema.Version {
		return fmt.Errorf("it has schema %d", have)
	}
	var verdict string
	if err := db.QueryRowContext(ctx, "PRAGMA quick_check(1)").Scan(&verdict); err != nil {
		return err
	}
	if verdict != "ok" {
		return errors.New(verdict)
	}
	return nil
}

func copyFile(from, to string) error {
	src, err := os.Open(from)
	if err != nil {
		return err
	}
	defer src.Close()
	tmp := to + ".new"
	dst, err := os.OpenFile(tmp, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(dst, src)
	if err == nil {
		err = dst.Sync()
	}
	if e := dst.Close(); err == nil {
		err = e
	}
	if err == nil {
		err = os.Rename(tmp, to)
	}
	if err != nil {
		_ = os.Remove(tmp) // the error that is returned says more
	}
	return err
}
