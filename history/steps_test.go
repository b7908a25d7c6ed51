package history

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// withoutSteps converts a database to the schema before table step.
func withoutSteps(path string) error {
	db, err := openWriter(path)
	if err != nil {
		return err
	}
	defer db.Close()
	for _, q := range []string{
		"UPDATE edit AS e SET delta = " + deltaOf + " WHERE delta IS NULL", "DROP TABLE step",
		"CREATE INDEX edit_path ON edit (path, branch)", "DELETE FROM goose_db_version WHERE version_id > 9",
		"PRAGMA user_version = 9",
	} {
		if _, err := db.Exec(q); err != nil {
			return fmt.Errorf("%s: %w", q, err)
		}
	}
	return nil
}

// storyOf returns the version after every edit, or why it cannot be read.
func storyOf(t *testing.T, s *Store) (out []string) {
	t.Helper()
	for _, e := range must[[]Edit](t)(s.List(t.Context(), Filter{Branches: true})) {
		path := e.Path
		if e.To != "" {
			path = e.To
		}
		v, err := s.At(t.Context(), e.ID, path)
		if err != nil && !errors.Is(err, ErrPurged) {
			t.Fatal(err)
		}
		d, err2 := s.Get(t.Context(), e.ID)
		if err2 != nil && !errors.Is(err2, ErrPurged) {
			t.Fatal(err2)
		}
		out = append(out, fmt.Sprintf("%d %s %s %v %s %v %x %v %v", e.ID, e.Kind, path, v.Exists, v.Hash, v.Mode, v.Bytes,
			d.Changes, errors.Is(err, ErrPurged)))
	}
	return out
}

func mustBeWhole(t *testing.T, s *Store) {
	t.Helper()
	if rep := must[Report](t)(s.Check(t.Context(), nil)); !rep.OK() {
		t.Fatalf("%v", rep.Damage)
	}
}

// TestWhatWasRecordedBeforeThereWereSteps: random histories with forks and whole contents
// stay the same, and later work on them is right: edits of the same files, purges of a
// session and of a file, and a cap.
func TestWhatWasRecordedBeforeThereWereSteps(t *testing.T) {
	for seed := range uint64(3) {
		r := rand.New(rand.NewPCG(seed, 10))
		dir := t.TempDir() + "/store"
		s := openStore(t, dir)
		baseline(t, s, map[string]string{"a": "one\ntwo\n", "b": "", "long": "0\n"})
		for i := range 105 { // one of them is stored whole
			do(t, s, User, replace(t, s, "long", fmt.Sprint(i), fmt.Sprint(i+1)))
		}
		randomEdits(t, s, r, 60)
		was := storyOf(t, s)
		mustBeWhole(t, s)
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		if err := withoutSteps(dir + "/history.db"); err != nil {
			t.Fatal(err)
		}
		s = openStore(t, dir)
		if is := storyOf(t, s); !slices.Equal(is, was) {
			t.Fatalf("seed %d: it was\n%s\nand is\n%s", seed, strings.Join(was, "\n"), strings.Join(is, "\n"))
		}
		sameEdits(t, s, r)
		mustBeWhole(t, s)
		session := must[SessionID](t)(s.StartSession(t.Context(), "of now"))
		turn := must[TurnID](t)(s.StartTurn(t.Context(), Turn{Session: session, Request: "r", Model: "m"}))
		must[Receipt](t)(s.Append(t.Context(),
			Op{Author: Model, Turn: turn, Edits: []NewEdit{replace(t, s, "long", "105", "106")}}))
		if err := s.EndTurn(t.Context(), turn, "completed", "", nil); err != nil {
			t.Fatal(err)
		}
		randomEdits(t, s, r, 60)
		for _, what := range []PurgeRequest{{Session: session}, {Path: "b"}} {
			sameEdits(t, s, r)
			mustBeWhole(t, s)
			if _, err := s.Purge(t.Context(), what); err != nil && !errors.Is(err, ErrNotFound) {
				t.Fatal(err)
			}
		}
		if err := s.SetCap(t.Context(), 1); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Reclaim(t.Context()); err != nil {
			t.Fatal(err)
		}
		sameEdits(t, s, r)
		mustBeWhole(t, s)
	}
}

func randomEdits(t *testing.T, s *Store, r *rand.Rand, n int) {
	t.Helper()
	names := []string{"a", "b", "c", "d"}
	for i := range n {
		if r.IntN(30) == 0 {
			if _, err := s.Fork(t.Context(), fmt.Sprint("fork ", r.Int(), i), Newest); err != nil {
				t.Fatal(err)
			}
			continue
		}
		randomEdit(t, s, r, names[r.IntN(len(names))], names)
	}
}

// TestCheckSeesWhatIsWrongWithSteps: a missing row, one too many, a different delta, and
// one that is stored twice.
func TestCheckSeesWhatIsWrongWithSteps(t *testing.T) {
	for what, c := range map[string]struct{ sql, want string }{
		"missing":  {"DELETE FROM step WHERE edit = 3", "edit 3 of a: it is missing among the edits of its file"},
		"too many": {"INSERT INTO step VALUES (1, 1, 99, NULL)", "edits of the files: 1 that were never made"},
		"another":  {"UPDATE step SET delta = (SELECT delta FROM step WHERE edit = 2) WHERE edit = 3", "edit 3 of a: "},
		"twice": {"UPDATE edit SET delta = (SELECT delta FROM step WHERE edit = 3) WHERE id = 3",
			"edit 3 of a: what it changed is recorded twice"},
	} {
		dir := t.TempDir() + "/store"
		s := openStore(t, dir)
		oneFile(t, s, 5)
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		alter(t, dir+"/history.db", c.sql)
		rep := must[Report](t)(openStore(t, dir).Check(context.Background(), nil))
		if !slices.ContainsFunc(rep.Damage, func(d Damage) bool { return strings.HasPrefix(d.String(), c.want) }) {
			t.Errorf("%s: %v", what, rep.Damage)
		}
	}
}

// TestAMigrationThatCannotBeMadeChangesNothing: the next Open tries it again.
func TestAMigrationThatCannotBeMadeChangesNothing(t *testing.T) {
	dir := t.TempDir() + "/store"
	s := openStore(t, dir)
	oneFile(t, s, 5)
	was := storyOf(t, s)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if err := withoutSteps(dir + "/history.db"); err != nil {
		t.Fatal(err)
	}
	// The index is dropped last, so everything before that must be rolled back.
	alter(t, dir+"/history.db", "DROP INDEX edit_path", "CREATE TABLE edit_path (x)")
	if _, err := Open(t.Context(), Options{Dir: dir}); err == nil {
		t.Fatal("a database that could not be migrated was opened")
	}
	alter(t, dir+"/history.db", "DROP TABLE edit_path", "CREATE INDEX edit_path ON edit (path, branch)")
	s = openStore(t, dir)
	if is := storyOf(t, s); !slices.Equal(is, was) {
		t.Fatalf("it was\n%s\nand is\n%s", strings.Join(was, "\n"), strings.Join(is, "\n"))
	}
}

// alter changes a database that nobody has open.
func alter(t *testing.T, path string, queries ...string) {
	t.Helper()
	db, err := openWriter(path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for _, q := range queries {
		if _, err := db.Exec(q); err != nil {
			t.Fatal(q, err)
		}
	}
}
