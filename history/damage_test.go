package history

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	schema "waferpair/history/sql"
	"waferpair/history/version"

	"github.com/pressly/goose/v3"
)

// long multiplies the counts of the tests that search at random.
func long(n int) int {
	if os.Getenv("WAFERPAIR_LONG") != "" {
		return 20 * n
	}
	return n
}

// copyStore copies a store's files as they are on disk right now, as a power cut or a crash
// would leave them. A process of its own does it, because closing a descriptor here would
// drop SQLite's locks.
func copyStore(t testing.TB, from, to string) {
	t.Helper()
	if out, err := exec.Command("cp", "-r", from, to).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	os.Remove(filepath.Join(to, "lock"))
}

// oneFile makes a store whose edit n turns line "v(n-1)" into "vn".
func oneFile(t testing.TB, s *Store, n int) {
	baseline(t, s, map[string]string{"a": "v0\n"})
	for i := 1; i <= n; i++ {
		do(t, s, User, replace(t, s, "a", "v"+strconv.Itoa(i-1), "v"+strconv.Itoa(i)))
	}
}

// verify opens a damaged copy: every version that it returns must be right, and every
// missing one must have been reported.
func verify(t *testing.T, dir string, acked int) {
	t.Helper()
	s, err := Open(context.Background(), Options{Dir: dir})
	if err != nil {
		t.Fatalf("open: %v", err)
	}
	defer s.Close()
	report, err := s.Check(context.Background(), nil)
	if err != nil {
		t.Fatalf("check: %v", err)
	}
	good := 0
	for i := 1; i <= acked; i++ {
		v, err := s.At(context.Background(), EditID(i), "a")
		if err == nil && string(v.Bytes) != "v"+strconv.Itoa(i)+"\n" {
			t.Fatalf("edit %d gives %q", i, v.Bytes)
		}
		if err == nil {
			good++
		}
	}
	if good < acked && len(s.Notices()) == 0 && report.OK() {
		t.Fatalf("%d of %d edits are gone and nothing says so", acked-good, acked)
	}
}

func TestDamagedLogLosesNothingSilently(t *testing.T) {
	src := filepath.Join(t.TempDir(), "store")
	s := openStore(t, src)
	const acked = 30
	oneFile(t, s, acked)
	r := rand.New(rand.NewPCG(7, 7))
	for range long(20) {
		dir := filepath.Join(t.TempDir(), "copy")
		copyStore(t, src, dir)
		damage(t, r, filepath.Join(dir, "history.db-wal"))
		verify(t, dir, acked)
	}
}

// TestCheckBesideEdits: what is recorded while the history is checked is not missing.
func TestCheckBesideEdits(t *testing.T) {
	s := newStore(t)
	baseline(t, s, map[string]string{"a": "0\n"})
	ended := make(chan error, 1)
	go func() {
		for range long(300) {
			_, err := s.Append(context.Background(), Op{Author: User, Edits: []NewEdit{{Path: "a", Kind: Mode, Mode: 0o600}}})
			if err == nil {
				err = s.Flush(context.Background())
			}
			if err != nil {
				ended <- err
				return
			}
		}
		ended <- nil
	}()
	for {
		if r := must[Report](t)(s.Check(t.Context(), nil)); !r.OK() {
			t.Error(r.Damage)
		}
		select {
		case err := <-ended:
			if err != nil {
				t.Error(err)
			}
			return
		default:
		}
	}
}

func TestDamagedDatabaseLosesNothingSilently(t *testing.T) {
	src := filepath.Join(t.TempDir(), "store")
	s := openStore(t, src)
	const acked = 30
	oneFile(t, s, 20)
	if err := s.Backup(context.Background()); err != nil {
		t.Fatal(err)
	}
	for i := 21; i <= acked; i++ {
		do(t, s, User, replace(t, s, "a", "v"+strconv.Itoa(i-1), "v"+strconv.Itoa(i)))
	}
	s.Close()
	r := rand.New(rand.NewPCG(8, 8))
	for range long(30) {
		dir := filepath.Join(t.TempDir(), "copy")
		copyStore(t, src, dir)
		damage(t, r, filepath.Join(dir, "history.db"))
		verify(t, dir, acked)
	}
}

// damage truncates the file, flips a bit, or zeroes a block.
func damage(t *testing.T, r *rand.Rand, path string) {
	t.Helper()
	b := must[[]byte](t)(os.ReadFile(path))
	at := r.IntN(len(b))
	switch r.IntN(3) {
	case 0:
		b = b[:at]
	case 1:
		b[at] ^= 1 << r.IntN(8)
	case 2:
		clear(b[at:min(len(b), at+512)])
	}
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestGarbageInsteadOfTheDatabaseRestoresTheBackup(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "store")
	s := openStore(t, dir)
	oneFile(t, s, 5)
	if err := s.Backup(context.Background()); err != nil {
		t.Fatal(err)
	}
	s.Close()
	if err := os.WriteFile(filepath.Join(dir, "history.db"),
		[]byte(strings.Repeat("not a database ", 1000)), 0o600); err != nil {
		t.Fatal(err)
	}
	s = openStore(t, dir)
	want(t, at(t, s, 5, "a"), "v5\n")
	all := strings.Join(s.Notices(), "\n")
	if !strings.Contains(all, "damaged") || !strings.Contains(all, "restored from the backup") {
		t.Fatal(all)
	}
	if kept, _ := filepath.Glob(filepath.Join(dir, "*-corrupt-*")); len(kept) == 0 {
		t.Fatal("the old database is not kept")
	}
}

func TestDeletedDatabaseIsReported(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "store")
	s := openStore(t, dir)
	oneFile(t, s, 5)
	s.Close()
	os.Remove(filepath.Join(dir, "history.db"))
	s = openStore(t, dir)
	if all := strings.Join(s.Notices(), "\n"); !strings.Contains(all, "is gone") {
		t.Fatal(all)
	}
	baseline(t, s, map[string]string{"a": "v5\n"})
	if id := do(t, s, User, replace(t, s, "a", "v5", "v6")); id != 6 {
		t.Fatalf("the ID %d was used again", id)
	}
	s.Close()
	s = openStore(t, dir)
	if n := s.Notices(); len(n) > 0 {
		t.Fatal(n)
	}
}

func TestSecondInstanceReads(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "store")
	s := openStore(t, dir)
	oneFile(t, s, 3)
	second := openStore(t, dir)
	if !second.ReadOnly() {
		t.Fatal("it may write")
	}
	want(t, at(t, second, 2, "a"), "v2\n")
	do(t, s, User, replace(t, s, "a", "v3", "v4"))
	want(t, at(t, second, Newest, "a"), "v4\n")
	_, err := second.Append(context.Background(), Op{Author: User, Edits: []NewEdit{replace(t, s, "a", "v4", "v5")}})
	if !errors.Is(err, ErrReadOnly) || !strings.Contains(err.Error(), strconv.Itoa(os.Getpid())) {
		t.Fatal(err)
	}
	second.Close()
	do(t, s, User, replace(t, s, "a", "v4", "v5"))
}

// TestAnEarlierProcessIsNamed: while another process holds a database with an older schema,
// nothing is read from it, and the message is true whichever of the two programs is newer.
func TestAnEarlierProcessIsNamed(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "store")
	unpack(t, "testdata/schema1.db.gz", filesOf(dir).db)
	l, _, err := acquireLock(filesOf(dir).lock, "")
	if err != nil || l == nil {
		t.Fatal(l, err)
	}
	_, err = Open(t.Context(), Options{Dir: dir})
	if !errors.Is(err, ErrOlder) || errors.Is(err, ErrBeingMade) ||
		!strings.Contains(err.Error(), fmt.Sprintf("pid %d; its database has schema 1", os.Getpid())) {
		t.Fatal(err)
	}
	l.release()
	want(t, at(t, openStore(t, dir), Newest, "c.txt"), "b\n")
}

func TestNewerSchemaIsRefused(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "store")
	s := openStore(t, dir)
	oneFile(t, s, 1)
	s.Close()
	db := &writer{store: s}
	if err := db.open(); err != nil {
		t.Fatal(err)
	}
	if _, err := db.conn.ExecContext(context.Background(), "PRAGMA user_version = 999"); err != nil {
		t.Fatal(err)
	}
	db.closeDB()
	if _, err := Open(context.Background(), Options{Dir: dir}); !errors.Is(err, ErrNewer) {
		t.Fatal(err)
	}
}

// TestOpensTheOldestSchema builds a database with the first migration alone, as the first
// release would have left it.
func TestOpensTheOldestSchema(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "store")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	db, err := openWriter(filepath.Join(dir, "history.db"))
	if err != nil {
		t.Fatal(err)
	}
	p, err := goose.NewProvider(goose.DialectSQLite3, db, schema.Files)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.UpTo(context.Background(), 1); err != nil {
		t.Fatal(err)
	}
	old, new := HashBytes([]byte("old\n")), HashBytes([]byte("new\n"))
	for _, q := range []struct {
		sql  string
		args []any
	}{
		{"INSERT INTO meta VALUES ('store', '000102030405060708090a0b0c0d0e0f'), ('root', '/p'), ('branch', 1)", nil},
		{"INSERT INTO path (id, path) VALUES (1, 'a')", nil},
		{"INSERT INTO op VALUES (1, 1, 1, 0, 2, 0, NULL, zeroblob(32)), (2, 0, 1, 0, 0, 0, 'note', zeroblob(32))", nil},
		{"INSERT INTO blob (id, hash, size, data) VALUES (1, ?, 4, ?)",
			[]any{old[:], version.Pack(old, []byte("old\n")).Parts[0]}},
		{"INSERT INTO baseline VALUES (1, 1, 0, 420, ?, 1)", []any{old[:]}},
		{"INSERT INTO edit VALUES (1, 2, 1, 1, 0, 0, NULL, NULL, 1, 1, ?, NULL, ?)",
			[]any{new[:], []byte{0, 4, 0, 3, 3, 'o', 'l', 'd', 'n', 'e', 'w'}}},
	} {
		if _, err := db.Exec(q.sql, q.args...); err != nil {
			t.Fatal(q.sql, err)
		}
	}
	db.Close()
	s := openStore(t, dir)
	want(t, at(t, s, 0, "a"), "old\n")
	want(t, at(t, s, 1, "a"), "new\n")
	do(t, s, User, replace(t, s, "a", "new", "newer"))
}

func TestReadOnlyFolderIsAClearError(t *testing.T) {
	parent := t.TempDir()
	os.Chmod(parent, 0o555)
	defer os.Chmod(parent, 0o755)
	if os.Getuid() == 0 {
		runChild(t, "readonly", parent, &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}})
		return
	}
	checkReadOnly(t, parent)
}

func checkReadOnly(t *testing.T, parent string) {
	_, err := Open(context.Background(), Options{Dir: filepath.Join(parent, "store")})
	if err == nil || !strings.Contains(err.Error(), "XDG_DATA_HOME") {
		t.Fatalf("%v", err)
	}
}

// TestNoNumberIsUsedAgainAfterALoss checks that new edits do not get the IDs of edits that
// were acknowledged and are lost: whoever has noted such an ID must not find another edit there.
func TestNoNumberIsUsedAgainAfterALoss(t *testing.T) {
	src := filepath.Join(t.TempDir(), "store")
	s := openStore(t, src)
	oneFile(t, s, 5)
	if err := s.Backup(context.Background()); err != nil {
		t.Fatal(err)
	}
	for i := 6; i <= 30; i++ {
		do(t, s, User, replace(t, s, "a", "v"+strconv.Itoa(i-1), "v"+strconv.Itoa(i)))
	}
	ops := must[[]Edit](t)(s.List(context.Background(), Filter{}))
	dir := filepath.Join(t.TempDir(), "copy")
	copyStore(t, src, dir)
	log := filepath.Join(dir, "history.db-wal")
	size := must[os.FileInfo](t)(os.Stat(log)).Size()
	if err := os.Truncate(log, size/2); err != nil {
		t.Fatal(err)
	}
	lossy := openStore(t, dir)
	left := must[[]Edit](t)(lossy.List(context.Background(), Filter{}))
	if len(left) >= len(ops) || len(lossy.Notices()) == 0 {
		t.Fatalf("%d of %d edits are left, with the notices %q", len(left), len(ops), lossy.Notices())
	}
	if id := do(t, lossy, User, NewEdit{Path: "a", Kind: Mode, Mode: 0o600}); id <= ops[len(ops)-1].ID {
		t.Errorf("edit %d was acknowledged before, and is another one now", id)
	}
}
