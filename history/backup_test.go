package history

import (
	"context"
	"database/sql"
	"errors"
	"os"
	"slices"
	"testing"
)

// inBackups returns the newest edit in each backup that is sound, newest backup first.
func inBackups(t *testing.T, s *Store) (newest []EditID) {
	t.Helper()
	for n := 1; n <= backups; n++ {
		path := s.files.backup(n)
		if _, err := os.Stat(path); errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err := sound(t.Context(), path); err != nil {
			t.Fatalf("backup %d: %v", n, err)
		}
		db := must[*sql.DB](t)(openReader(path))
		var id EditID
		if err := errors.Join(db.QueryRow("SELECT max(id) FROM edit").Scan(&id), db.Close()); err != nil {
			t.Fatal(err)
		}
		newest = append(newest, id)
	}
	return newest
}

// TestAnInterruptedBackupCostsNoOther: wherever backups are cut off, again and again, the
// complete ones stay, except for the oldest that a complete one replaces.
func TestAnInterruptedBackupCostsNoOther(t *testing.T) {
	s := newStore(t)
	baseline(t, s, map[string]string{"a": "v0\n"})
	made, version := []EditID(nil), 0 // the complete ones, newest first
	edit := func() EditID {
		version++
		return do(t, s, Model, versionEdit(version-1))
	}
	backup := func() {
		t.Helper()
		made = append([]EditID{edit()}, made...)
		if err := s.Backup(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	intact := func(what string, least int) {
		t.Helper()
		if got := inBackups(t, s); len(got) < least || !slices.Equal(got, made[:len(got)]) {
			t.Errorf("%s: the backups are of the edits %v, and complete were %v", what, got, made)
		}
	}
	for range backups {
		backup()
	}
	intact("without an interruption", backups)

	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	if err := backupTo(canceled, s.files); err == nil {
		t.Error("it was not interrupted")
	}
	intact("before anything was written", backups)
	if err := os.WriteFile(s.files.backup(0), []byte("SQLite format 3\x00 and no more"), 0o600); err != nil {
		t.Fatal(err)
	}
	intact("in the middle of the copy", backups)
	backup()
	intact("after that", backups)

	for _, renames := range []int{0, 1, 2, 1, 1, 1, 2, 2, 2, 3, 3, 3, 1, 3} {
		id := edit()
		if err := copyDatabase(t.Context(), s.files); err != nil {
			t.Fatal(err)
		}
		rest := rotation(s.files)
		for ; renames > 0 && len(rest) > 0; renames, rest = renames-1, rest[1:] {
			if err := os.Rename(s.files.backup(rest[0]), s.files.backup(rest[0]+1)); err != nil {
				t.Fatal(err)
			}
		}
		if len(rest) == 0 {
			made = append([]EditID{id}, made...)
		}
		intact("between renames", backups-1)
	}
}
