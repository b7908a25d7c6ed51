package history

import (
	"bufio"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/pressly/goose/v3"
	"golang.org/x/sys/unix"

	schema "waferpair/history/sql"
)

// oldStore is a store that an earlier version left, and what it contains.
type oldStore struct {
	dir     string
	schemas map[int]string // the tables of each schema, by its number
	edits   []Edit
	report  Report // every version is what its hash says
	bytes   int64  // of its database
	marked  bool   // it has a tail marker
}

// oldStores returns a store of the oldest schema, and one of schema 9 with more edits.
func oldStores(t *testing.T) map[string]*oldStore {
	t.Helper()
	dir := t.TempDir()
	unpack(t, "testdata/schema1.db.gz", filesOf(dir+"/1").db)
	s := openStore(t, dir+"/9")
	baseline(t, s, map[string]string{"a": "one\n", "b": "", "c": "three\n"})
	randomEdits(t, s, rand.New(rand.NewPCG(9, 10)), 60)
	do(t, s, User, NewEdit{Path: "long", Kind: Create, Content: []byte("v0\n")})
	for n := range 150 {
		e := versionEdit(n)
		e.Path = "long"
		must[Receipt](t)(s.Append(t.Context(), Op{Author: Model, Edits: []NewEdit{e}}))
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if err := withoutSteps(filesOf(dir + "/9").db); err != nil {
		t.Fatal(err)
	}
	return map[string]*oldStore{"schema 1": lookAt(t, dir+"/1", false), "schema 9": lookAt(t, dir+"/9", true)}
}

// lookAt migrates a copy of a store step by step and takes down each schema, then opens
// it and takes down its edits.
func lookAt(t *testing.T, dir string, marked bool) *oldStore {
	t.Helper()
	o := &oldStore{dir: dir, schemas: map[int]string{}, marked: marked}
	copied := filepath.Join(t.TempDir(), "copy")
	copyStore(t, dir, copied)
	o.bytes = must[os.FileInfo](t)(os.Stat(filesOf(dir).db)).Size()
	db := must[*sql.DB](t)(openWriter(filesOf(copied).db))
	defer db.Close()
	version, tables := schemaOf(t, db)
	o.schemas[version] = tables
	all := must[[]*goose.Migration](t)(migrations())
	p := must[*goose.Provider](t)(goose.NewProvider(goose.DialectSQLite3, db, nil, goose.WithGoMigrations(all...),
		goose.WithDisableGlobalRegistry(true)))
	for _, m := range all {
		if m.Version > int64(version) {
			must[[]*goose.MigrationResult](t)(p.UpTo(t.Context(), m.Version))
			is, tables := schemaOf(t, db)
			o.schemas[is] = tables
		}
	}
	if o.schemas[schema.Version] == "" || len(o.schemas) < 2 {
		t.Fatalf("of %s there are the schemas %v", dir, o.schemas)
	}
	db.Close()
	s := openStore(t, copied)
	mustBeWhole(t, s)
	o.edits, o.report = must[[]Edit](t)(s.List(t.Context(), Filter{Branches: true})), check(t, s)
	return o
}

// schemaOf returns the number of a database's schema and its tables and indexes.
func schemaOf(t *testing.T, db *sql.DB) (version int, tables string) {
	t.Helper()
	var verdict string
	if err := errors.Join(db.QueryRow("PRAGMA user_version").Scan(&version),
		db.QueryRow(`SELECT group_concat(type || ' ' || name || ': ' || coalesce(sql, ''), x'0a')
			FROM (SELECT * FROM sqlite_master ORDER BY type, name)`).Scan(&tables),
		db.QueryRow("PRAGMA integrity_check").Scan(&verdict)); err != nil || verdict != "ok" {
		t.Fatal(err, verdict)
	}
	return version, tables
}

// mustBeWholeIn checks a store that an interrupted migration left: it has exactly the
// tables of one schema, and after another Open it has all its edits.
func (o *oldStore) mustBeWholeIn(t *testing.T, left string) (version int) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "left")
	copyStore(t, left, dir)
	db := must[*sql.DB](t)(openWriter(filesOf(dir).db))
	version, tables := schemaOf(t, db)
	db.Close()
	if o.schemas[version] != tables {
		t.Fatalf("of schema %d there is\n%s\nand not\n%s", version, tables, o.schemas[version])
	}
	s := openStore(t, dir)
	defer s.Close()
	notices := slices.DeleteFunc(s.Notices(), func(n string) bool {
		return !o.marked && strings.HasPrefix(n, "the history's tail marker was missing")
	})
	if len(notices) > 0 {
		t.Error(notices)
	}
	r := check(t, s)
	if !r.OK() || r.Edits != o.report.Edits || r.Files != o.report.Files || r.Good != o.report.Good ||
		r.Said != o.report.Said {
		t.Fatalf("from schema %d came %+v\nand not %+v", version, r, o.report)
	}
	edits := must[[]Edit](t)(s.List(t.Context(), Filter{Branches: true}))
	if d := cmp.Diff(o.edits, edits); d != "" {
		t.Fatalf("from schema %d came other edits: %s", version, d)
	}
	do(t, s, User, NewEdit{Path: "of now", Kind: Create, Content: []byte("x\n")})
	mustBeWhole(t, s)
	return version
}

// migrateChild opens the store, which migrates it.
func migrateChild(dir string) {
	fmt.Println("begins")
	s, err := Open(context.Background(), Options{Dir: dir})
	fmt.Println("ended", err)
	if err == nil {
		err = s.Close()
	}
	if err != nil {
		os.Exit(1)
	}
	os.Exit(0)
}

// TestKillWhileMigrating kills the process that migrates a history, at random moments.
// The history then has the old schema, the new one or one between them, each whole;
// nothing is missing, and the next Open continues, even if it is killed too.
func TestKillWhileMigrating(t *testing.T) {
	for name, o := range oldStores(t) {
		r := rand.New(rand.NewPCG(11, 12))
		work := filepath.Join(t.TempDir(), "work")
		copyStore(t, o.dir, work)
		var start time.Time
		runMigration(t, work, func(*exec.Cmd) { start = time.Now() })
		whole := time.Since(start)
		is, ends := o.mustBeWholeIn(t, work), map[int]int{}
		for i := range long(6) {
			if is == schema.Version { // else it continues where the last process was killed
				if err := os.RemoveAll(work); err != nil {
					t.Fatal(err)
				}
				copyStore(t, o.dir, work)
			}
			early := r.Float64() * r.Float64() // Open migrates first
			after, log := time.Duration(early*float64(whole)), int64(r.IntN(32<<10))
			runMigration(t, work, func(c *exec.Cmd) {
				if i%2 == 0 {
					time.Sleep(after)
				} else {
					waitForLog(c, work, log)
				}
				c.Process.Kill()
			})
			is = o.mustBeWholeIn(t, work)
			ends[is]++
		}
		t.Logf("%s: killed while it was migrated, it had %v (schema: times)", name, ends)
	}
}

// runMigration migrates a store in a process of its own, and calls kill as it begins.
func runMigration(t *testing.T, dir string, kill func(*exec.Cmd)) {
	t.Helper()
	c := child("migrate", dir)
	out := must[io.ReadCloser](t)(c.StdoutPipe())
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	if !lines.Scan() || lines.Text() != "begins" {
		c.Process.Kill()
		t.Fatal(lines.Text(), lines.Err())
	}
	kill(c)
	for lines.Scan() {
		if lines.Text() != "ended <nil>" {
			t.Error(lines.Text())
		}
	}
	_ = c.Wait() // it may have been killed
}

// waitForLog waits until the store's log has so many bytes or the process has ended.
func waitForLog(c *exec.Cmd, dir string, bytes int64) {
	for {
		if fi, err := os.Stat(filesOf(dir).db + "-wal"); err == nil && fi.Size() >= bytes {
			return
		}
		if over(c.Process.Pid) {
			return
		}
		time.Sleep(100 * time.Microsecond)
	}
}

// over reports whether a child that nobody has waited for has ended.
func over(pid int) bool {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	_, state, found := strings.Cut(string(b), ") ")
	return err != nil || !found || strings.HasPrefix(state, "Z")
}

// fullMigrateChild opens the store under a limit on file size, which looks like a full
// disk to SQLite.
func fullMigrateChild(dir string) {
	signal.Ignore(unix.SIGXFSZ)
	limit, _ := strconv.ParseUint(os.Getenv("HISTORY_LIMIT"), 10, 64)
	var was unix.Rlimit
	unix.Getrlimit(unix.RLIMIT_FSIZE, &was)
	unix.Setrlimit(unix.RLIMIT_FSIZE, &unix.Rlimit{Cur: limit, Max: was.Max})
	s, err := Open(context.Background(), Options{Dir: dir})
	unix.Setrlimit(unix.RLIMIT_FSIZE, &was)
	if err == nil {
		err = s.ReadOnlyReason() // there was space for the migration only
		s.Close()
	}
	fmt.Println(err)
	os.Exit(0)
}

// TestFullDiskWhileMigrating: wherever the space ends, the error says so and what to do.
// Once there is space, the history is migrated and nothing is missing.
func TestFullDiskWhileMigrating(t *testing.T) {
	for name, o := range oldStores(t) {
		failed := 0
		for limit := int64(4 << 10); limit < 2*o.bytes+indexPart; limit += max(16<<10, o.bytes/3) {
			dir := filepath.Join(t.TempDir(), "store")
			copyStore(t, o.dir, dir)
			c := child("migrate full", dir)
			c.Env = append(c.Env, fmt.Sprint("HISTORY_LIMIT=", limit))
			out, err := c.Output()
			if err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			if printed := strings.TrimSpace(string(out)); printed != "<nil>" {
				failed++
				if !strings.Contains(printed, "the disk is full: free some space and try again") {
					t.Errorf("%s with %d bytes: %s", name, limit, printed)
				}
			}
			o.mustBeWholeIn(t, dir)
		}
		if failed == 0 {
			t.Errorf("%s: the disk was never full", name)
		}
	}
}
