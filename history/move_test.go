package history

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/pressly/goose/v3"

	schema "waferpair/history/sql"
)

// quoting makes one item of everything recorded about a turn.
func quoting(o OldTurn) []Item {
	words := string(o.Parts)
	for _, m := range o.Messages {
		words += "|" + m.Role + ": " + m.Text
	}
	body, _ := json.Marshal(map[string]string{"was": words})
	return []Item{{Status: ItemCompleted, Time: o.Started, Body: body}}
}

func openQuoting(t testing.TB, dir string) *Store {
	t.Helper()
	return must[*Store](t)(Open(context.Background(), Options{Dir: dir, Items: quoting}))
}

// oldDatabase creates n turns as schema 5 stored them, which the chain does not cover yet.
func oldDatabase(t testing.TB, dir string, n int) {
	t.Helper()
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	db := must[*sql.DB](t)(openWriter(filepath.Join(dir, "history.db")))
	defer db.Close()
	p := must[*goose.Provider](t)(goose.NewProvider(goose.DialectSQLite3, db, schema.Files))
	if _, err := p.UpTo(context.Background(), 5); err != nil {
		t.Fatal(err)
	}
	for _, q := range []string{
		"INSERT INTO meta VALUES ('store', '000102030405060708090a0b0c0d0e0f'), ('root', '/p'), ('branch', 1)",
		"INSERT INTO session VALUES (1, 'old', 5)",
		fmt.Sprintf("CREATE TEMP TABLE n AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < %d) SELECT i FROM n", n),
		`INSERT INTO turn (id, session, request, model, status, started, first_op, branch, parts) SELECT i, 1, 'do ' || i, 'spark', 'completed', 5 + i, 1, 1,
			CASE WHEN i % 3 > 0 THEN '{"parts":[' || i || ']}' END FROM n`,
		"INSERT INTO message (turn, role, text, at) SELECT i, 'user', 'do ' || i, 6 FROM n WHERE i % 5 > 0",
		"INSERT INTO message (turn, role, text, at) SELECT i, 'assistant', 'done ' || i, 7 FROM n WHERE i % 5 > 1",
	} {
		if _, err := db.Exec(q); err != nil {
			t.Fatal(q, err)
		}
	}
}

// moved checks that every turn has its content, once, and that nothing is left behind.
func moved(t testing.TB, s *Store, n int) {
	t.Helper()
	items := 0
	for _, x := range must[Session](t)(s.Session(context.Background(), 1)).Turns {
		i, was := int(x.ID), ""
		if i%3 > 0 {
			was = fmt.Sprintf(`{"parts":[%d]}`, i)
		}
		if i%5 > 0 {
			was += fmt.Sprintf("|user: do %d", i)
		}
		if i%5 > 1 {
			was += fmt.Sprintf("|assistant: done %d", i)
		}
		if was == "" {
			if len(x.Items) > 0 {
				t.Fatalf("turn %d has %+v", i, x.Items)
			}
			continue
		}
		var got struct{ Was string }
		if len(x.Items) != 1 || json.Unmarshal(x.Items[0].Body, &got) != nil || got.Was != was ||
			!x.Items[0].Time.Equal(x.Started) {
			t.Fatalf("turn %d has %+v, want %s", i, x.Items, was)
		}
		items++
	}
	noDamage(t, s, 1+n+items)
	var left int
	err := s.read.QueryRow("SELECT (SELECT count(*) FROM message) + (SELECT count(*) FROM turn WHERE parts IS NOT NULL)").
		Scan(&left)
	if err != nil || left > 0 {
		t.Fatalf("%d are left, %v", left, err)
	}
}

// TestOldConversationsBecomeItems: even if the program is killed again and again.
func TestOldConversationsBecomeItems(t *testing.T) {
	const turns = 1000
	dir := filepath.Join(t.TempDir(), "store")
	oldDatabase(t, dir, turns)
	whole := 0
	for pause := 10 * time.Millisecond; whole == 0 && pause < 10*time.Second; pause += pause / 3 {
		c := child("move", dir)
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		over := time.AfterFunc(pause, func() { c.Process.Kill() })
		if c.Wait() == nil {
			whole++
		}
		over.Stop()
	}
	s := openQuoting(t, dir)
	moved(t, s, turns)
	s.Close()
	s = openQuoting(t, dir) // once is enough
	moved(t, s, turns)
}

// moveChild opens the store, which moves the old conversations.
func moveChild(dir string) {
	s, err := Open(context.Background(), Options{Dir: dir, Items: quoting})
	if err != nil {
		panic(err)
	}
	s.Close()
}

// TestWhatCouldNotBeMovedIsThereAllTheSame: it is read as if it had been moved.
func TestWhatCouldNotBeMovedIsThereAllTheSame(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "store")
	oldDatabase(t, dir, 20)
	openStore(t, dir).Close() // covered, and not moved
	db := must[*sql.DB](t)(openWriter(filepath.Join(dir, "history.db")))
	defer db.Close()
	if _, err := db.Exec("CREATE TRIGGER broken BEFORE INSERT ON item BEGIN SELECT RAISE(FAIL, 'broken'); END"); err !=
		nil {
		t.Fatal(err)
	}
	s := openQuoting(t, dir)
	if n := s.Notices(); len(n) != 1 || !strings.Contains(n[0], "make items of the conversations of before") {
		t.Errorf("%q", n)
	}
	if got := itemsString(t, s, 4); got != "0|0|completed|0|{\"was\":\"{\\\"p\n" {
		t.Error(got)
	}
	s.Close()
	if _, err := db.Exec("DROP TRIGGER broken"); err != nil {
		t.Fatal(err)
	}
	moved(t, openQuoting(t, dir), 20)
}

// TestWhatWasAlteredBeforeStaysKnown: becoming an item does not hide the alteration.
func TestWhatWasAlteredBeforeStaysKnown(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "store")
	oldDatabase(t, dir, 20)
	openStore(t, dir).Close()
	db := must[*sql.DB](t)(openWriter(filepath.Join(dir, "history.db")))
	defer db.Close()
	for _, q := range []string{"UPDATE message SET text = 'do that' WHERE turn = 2 AND role = 'user'",
		"UPDATE turn SET parts = '{}' WHERE id = 4",
		"INSERT INTO message (turn, role, text, at) VALUES (7, 'user', 'never said', 0)",
		"DELETE FROM message WHERE turn = 9 AND role = 'user'"} {
		if _, err := db.Exec(q); err != nil {
			t.Fatal(q, err)
		}
	}
	s := openQuoting(t, dir)
	r := check(t, s)
	for _, turn := range []TurnID{2, 4, 7} {
		if id := must[Turn](t)(s.Turn(context.Background(), turn)).Items[0].ID; !names(r, "item", int64(id)) {
			t.Errorf("item %d of turn %d: %+v", id, turn, r.Damage)
		}
	}
	if len(r.Damage) != 4 || !strings.Contains(fmt.Sprint(r.Damage), "it was recorded and is missing") {
		t.Errorf("%+v", r.Damage)
	}
}
