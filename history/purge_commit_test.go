package history

import (
	"context"
	"database/sql"
	"errors"
	"path/filepath"
	"slices"
	"testing"

	sqlite "github.com/mattn/go-sqlite3"
)

const purged = "hunter2-SECRET-0451"

// toPurge has a secret in file s and in edit 2, and an edit of another file.
func toPurge(t *testing.T, s *Store) {
	t.Helper()
	baseline(t, s, map[string]string{"ok": "fine\n", "s": noise(purged)})
	do(t, s, User, replace(t, s, "ok", "fine", "finer"))
	do(t, s, User, replace(t, s, "s", purged, purged+purged))
}

// mustBePurged is so at once and after another Open.
func mustBePurged(t *testing.T, s *Store) {
	t.Helper()
	for range 2 {
		checkTombstones(t, s, 2)
		if f := grepStore(t, s, purged); len(f) > 0 {
			t.Errorf("still in %v", f)
		}
		want(t, at(t, s, Newest, "ok"), "finer\n")
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		s = openStore(t, s.files.dir)
		if n := s.Notices(); len(n) > 0 {
			t.Error(n)
		}
	}
	do(t, s, User, replace(t, s, "ok", "finer", "finest"))
	checkTombstones(t, s, 2)
}

// commits purges file s. The first commit succeeds but reports a failure; then runs
// before the writer checks.
func commits(s *Store, then func() error) (*purger, error) {
	p := &purger{s: s, ctx: context.Background(), what: PurgeRequest{Path: "s"}}
	return p, s.alone(p.ctx, func(w *writer) (err error) {
		p.w = w
		if err = p.find(); err == nil {
			tried := false
			err = p.within(func(g *group) error {
				err := p.remove(g)
				if !tried && err == nil {
					tried = true
					err = errors.Join(p.exec("COMMIT"), then()) // the writer's own finds no transaction
				}
				return err
			})
		}
		if err == nil {
			err = p.scrub()
		}
		return err
	})
}

// TestPurgeThatLandedIsNoFailure: a purge whose commit reported a failure but is in the
// database runs to its end.
func TestPurgeThatLandedIsNoFailure(t *testing.T) {
	s := newStore(t)
	toPurge(t, s)
	p, err := commits(s, func() error { return nil })
	if err != nil {
		t.Fatal(err)
	}
	if len(p.report.Edits) != 1 || p.report.Edits[0] != 2 || !slices.Equal(p.report.Paths, []string{"s"}) {
		t.Errorf("%+v", p.report)
	}
	mustBePurged(t, s)
}

// TestPurgeThatDidNotLandIsTriedAgain: a purge whose first commit was rolled back runs
// again, and its report names each edit once.
func TestPurgeThatDidNotLandIsTriedAgain(t *testing.T) {
	s := newStore(t)
	toPurge(t, s)
	refused := 0
	if err := s.alone(t.Context(), func(w *writer) error {
		return w.conn.Raw(func(c any) error { // the writer then opens a new one
			c.(*sqlite.SQLiteConn).RegisterCommitHook(func() int { refused++; return 1 })
			return nil
		})
	}); err != nil {
		t.Fatal(err)
	}
	r, err := s.Purge(t.Context(), PurgeRequest{Path: "s"})
	if err != nil || refused != 1 {
		t.Fatal(err, refused)
	}
	if len(r.Edits) != 1 || len(r.Paths) != 1 {
		t.Errorf("%+v", r)
	}
	mustBePurged(t, s)
}

// TestPurgeThatFailsHasNotHappened: all versions stay readable, and the purge works later.
func TestPurgeThatFailsHasNotHappened(t *testing.T) {
	s := newStore(t)
	toPurge(t, s)
	was := storyOf(t, s)
	mend := broken(t, s)
	if _, err := s.Purge(t.Context(), PurgeRequest{Path: "s"}); err == nil {
		t.Fatal("it could be written")
	}
	if err := s.Stalled(); err != nil {
		t.Fatal("nothing is held, and yet:", err)
	}
	if is := storyOf(t, s); !slices.Equal(is, was) {
		t.Fatalf("it was %s\nand is %s", was, is)
	}
	checkTombstones(t, s, 0)
	mend()
	if _, err := s.Purge(t.Context(), PurgeRequest{Path: "s"}); err != nil {
		t.Fatal(err)
	}
	mustBePurged(t, s)
}

// TestPurgeThatNobodyKnowsOf: when the commit fails and the database cannot be read
// afterwards, the purge reports that, and the store records nothing until it knows.
func TestPurgeThatNobodyKnowsOf(t *testing.T) {
	notified := make(chan error, 16)
	s := must[*Store](t)(Open(t.Context(), Options{Dir: filepath.Join(t.TempDir(), "store"),
		Stalled: func(err error) { notified <- err }}))
	t.Cleanup(func() { s.Close() })
	toPurge(t, s)
	db := must[*sql.DB](t)(openWriter(s.files.db))
	defer db.Close()
	_, err := commits(s, func() error {
		_, err := db.Exec("ALTER TABLE op RENAME TO away")
		return err
	})
	if err == nil {
		t.Fatal("it is said to have happened")
	}
	why := <-notified
	if why == nil || s.Stalled() == nil {
		t.Fatal("edits would be recorded behind it")
	}
	if _, err := s.Purge(t.Context(), PurgeRequest{Path: "s"}); !errors.Is(err, why) {
		t.Error("another one meanwhile:", err)
	}
	if _, err := db.Exec("ALTER TABLE away RENAME TO op"); err != nil {
		t.Fatal(err)
	}
	if err := s.Retry(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := <-notified; err != nil {
		t.Fatal(err)
	}
	checkTombstones(t, s, 2) // the commit landed; another purge removes the bytes, as the error says
	if _, err := s.Purge(t.Context(), PurgeRequest{Path: "s"}); err != nil {
		t.Fatal(err)
	}
	mustBePurged(t, s)
}

// TestPurgeReopensTheDatabase: a purge reopens a database that an earlier job could not.
func TestPurgeReopensTheDatabase(t *testing.T) {
	s := newStore(t)
	toPurge(t, s)
	if err := s.alone(t.Context(), func(w *writer) error { return w.closeDB() }); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Purge(t.Context(), PurgeRequest{Path: "s"}); err != nil {
		t.Fatal(err)
	}
	mustBePurged(t, s)
}
