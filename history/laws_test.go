package history

import (
	"database/sql"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"testing"
)

// What doc.go and comments say of the store as a whole, and no other test is about.

// rowsOf returns every row of some tables, each with all its values.
func rowsOf(t *testing.T, s *Store, tables ...string) map[string]bool {
	t.Helper()
	if err := s.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	out := map[string]bool{}
	for _, table := range tables {
		rows := must[*sql.Rows](t)(s.read.Query("SELECT * FROM " + table))
		columns := must[[]string](t)(rows.Columns())
		values, to := make([]any, len(columns)), make([]any, len(columns))
		for i := range values {
			to[i] = &values[i]
		}
		for rows.Next() {
			if err := rows.Scan(to...); err != nil {
				t.Fatal(err)
			}
			out[fmt.Sprintf("%s %v", table, values)] = true
		}
		if err := rows.Close(); err != nil {
			t.Fatal(err)
		}
	}
	return out
}

// TestARecordNeverChanges: whatever is recorded later, forked, reviewed and planned, each
// row of an operation, an edit and a content stays what it was.
func TestARecordNeverChanges(t *testing.T) {
	r := rand.New(rand.NewPCG(21, 22))
	s := newStore(t)
	baseline(t, s, map[string]string{"a": "one\ntwo\n", "b": "", "long": "v0\n"})
	recorded := []string{"op", "edit", "step", "revert", "baseline", "blob", "chunk", "branch"}
	var was map[string]bool
	for range 6 {
		randomEdits(t, s, r, 25)
		edits := must[[]Edit](t)(s.List(t.Context(), Filter{}))
		if err := s.SetReviewed(t.Context(), []EditID{edits[r.IntN(len(edits))].ID}, true); err != nil {
			t.Fatal(err)
		}
		if err := s.Backup(t.Context()); err != nil {
			t.Fatal(err)
		}
		is := rowsOf(t, s, recorded...)
		for row := range was {
			if table := row[:6]; !is[row] && table != "branch" { // whose mark of heads changes
				t.Fatalf("it was recorded and is not there any more: %s", row)
			}
		}
		was = is
	}
	if len(was) < 300 {
		t.Fatalf("%d rows show nothing", len(was))
	}
}

// TestPlansWriteNothing: a plan, and what says why there is none, leaves every row as it
// was.
func TestPlansWriteNothing(t *testing.T) {
	r := rand.New(rand.NewPCG(23, 24))
	s := newStore(t)
	ctx := t.Context()
	baseline(t, s, map[string]string{"a": "one\ntwo\n", "b": ""})
	randomEdits(t, s, r, 60)
	names := must[[]string](t)(tablesOf(s))
	was := rowsOf(t, s, names...)
	planned := 0
	for _, e := range must[[]Edit](t)(s.List(ctx, Filter{})) {
		for _, plan := range []func() (Plan, error){
			func() (Plan, error) { return s.PlanRevert(ctx, []EditID{e.ID}) },
			func() (Plan, error) { return s.PlanRestore(ctx, e.ID) },
			func() (Plan, error) { return s.PlanSince(ctx, e.ID, nil) },
		} {
			if _, err := plan(); err == nil {
				planned++
			}
		}
		_, _ = s.Conflicts(ctx, []EditID{e.ID})    // only what it leaves counts
		_, _ = s.PlanFork(ctx, "never made", e.ID) // as above
	}
	if is := rowsOf(t, s, names...); len(is) != len(was) {
		t.Errorf("%d rows became %d", len(was), len(is))
	} else {
		for row := range was {
			if !is[row] {
				t.Errorf("it changed: %s", row)
			}
		}
	}
	if planned < 50 {
		t.Errorf("%d plans show nothing", planned)
	}
}

func tablesOf(s *Store) (names []string, err error) {
	rows, err := s.read.Query("SELECT name FROM sqlite_master WHERE type = 'table'")
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			return nil, err
		}
		names = append(names, name)
	}
	return names, rows.Err()
}

// TestATornTailLeavesTheMarkBefore: of the two slots, a write changes one.
func TestATornTailLeavesTheMarkBefore(t *testing.T) {
	path := t.TempDir() + "/tail"
	w := must[*tail](t)(openTail(path, mark{}))
	defer w.close()
	for op := range int64(9) {
		if err := w.write(op, EditID(op), Hash{byte(op)}); err != nil {
			t.Fatal(err)
		}
		if m, ok := readTail(path); !ok || m != w.last {
			t.Fatalf("%+v was written and %+v read", w.last, m)
		}
		if op == 0 {
			continue
		}
		b := must[[]byte](t)(os.ReadFile(path))
		at := int(w.last.seq%2) * slotSize
		for _, torn := range []int{0, 8, 40, 100} { // bytes of it that came to be written
			half := slices.Clone(b)
			clear(half[at+torn : at+slotSize])
			if err := os.WriteFile(path+"-torn", half, 0o600); err != nil {
				t.Fatal(err)
			}
			if m, ok := readTail(path + "-torn"); !ok || m.op != op-1 || m.seq != w.last.seq-1 {
				t.Errorf("%d bytes of mark %d leave %+v", torn, op, m)
			}
		}
	}
}

// TestEveryCommitIsSynced, also on a connection that was opened anew: what Receipt.Wait
// promises rests on it.
func TestEveryCommitIsSynced(t *testing.T) {
	s := newStore(t)
	for range 2 {
		var mode string
		var sync, deleted int
		if err := s.alone(t.Context(), func(w *writer) error {
			for pragma, to := range map[string]any{"journal_mode": &mode, "synchronous": &sync, "secure_delete": &deleted} {
				if err := w.conn.QueryRowContext(t.Context(), "PRAGMA "+pragma).Scan(to); err != nil {
					return err
				}
			}
			return w.open()
		}); err != nil {
			t.Fatal(err)
		}
		if mode != "wal" || sync != 2 || deleted != 1 {
			t.Errorf("journal_mode %s, synchronous %d, secure_delete %d", mode, sync, deleted)
		}
	}
}

// TestNumbersStandForTheSameWords: databases that exist have these numbers.
func TestNumbersStandForTheSameWords(t *testing.T) {
	want(t, fmt.Sprint(authors), "[model user outside revert recovery]")
	want(t, fmt.Sprint(kinds), "[text create delete rename mode symlink blob]")
	want(t, fmt.Sprint(itemStates), "[completed incomplete in_progress]")
	want(t, fmt.Sprint([]int{int(opEdits), int(opBaseline), int(opFork), int(opSwitch), int(opPurge), int(opLoss),
		int(opConversation)}), "[0 1 2 3 4 5 6]")
	want(t, fmt.Sprint(statePartial, stateNoDelta, statePurged, stateReclaimed), "1 2 4 8")
}
