package history

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// TestBackupFromTheFutureIsDue: a backup made while the clock was ahead must not postpone
// the next one until the clock gets there again.
func TestBackupFromTheFutureIsDue(t *testing.T) {
	s := newStore(t)
	oneFile(t, s, 2)
	if err := s.Backup(context.Background()); err != nil {
		t.Fatal(err)
	}
	ahead := time.Now().Add(365 * 24 * time.Hour)
	if err := os.Chtimes(s.files.backup(1), ahead, ahead); err != nil {
		t.Fatal(err)
	}
	var b backupState
	b.load(s.files, 2)
	if age := time.Since(b.last); age < backupEvery {
		t.Fatalf("the next backup waits for %v", backupEvery-age)
	}
}

// TestOrderIsByNumber: setting the clock back changes no order, no version and no receipt.
func TestOrderIsByNumber(t *testing.T) {
	now := time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC)
	jumps := []time.Duration{-24 * time.Hour, 48 * time.Hour, -time.Duration(now.UnixNano()), time.Hour, 24 * time.Hour}
	n := 0
	s := must[*Store](t)(Open(context.Background(), Options{Dir: filepath.Join(t.TempDir(), "store"),
		Now: func() time.Time {
			n++
			now = now.Add(jumps[n%len(jumps)])
			return now
		}}))
	defer s.Close()
	baseline(t, s, map[string]string{"a": "v0\n"})
	for i := range 30 {
		do(t, s, User, versionEdit(i))
	}
	edits := must[[]Edit](t)(s.List(context.Background(), Filter{}))
	for i, e := range edits {
		if i > 0 && e.ID <= edits[i-1].ID {
			t.Fatalf("edit %d after edit %d", e.ID, edits[i-1].ID)
		}
	}
	want(t, at(t, s, Newest, "a"), "v30\n")
	if r := must[Report](t)(s.Check(context.Background(), nil)); !r.OK() {
		t.Fatalf("%+v", r)
	}
}
