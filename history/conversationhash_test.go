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

	schema "waferpair/history/sql"

	"github.com/pressly/goose/v3"
)

// talk creates a conversation of n turns, the last of which a crash interrupts.
func talk(t testing.TB, s *Store, n int) SessionID {
	t.Helper()
	ctx := context.Background()
	ok := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	ses := must[SessionID](t)(s.StartSession(ctx, "about the server"))
	ok(s.RenameSession(ctx, ses, "about the client"))
	for i := range n {
		turn := must[TurnID](t)(s.StartTurn(ctx, Turn{Session: ses, Request: fmt.Sprintf("make it %d times faster", i+2),
			Model: "spark", Settings: json.RawMessage(`{"file":"a.go"}`)}))
		record := func(items ...Item) []ItemID { return must[[]ItemID](t)(s.PutItems(ctx, turn, items...)) }
		record(Item{Status: ItemCompleted, Body: json.RawMessage(fmt.Sprintf(`{"text":"make it %d times faster"}`, i+2))})
		id := record(Item{Status: ItemInProgress, Body: json.RawMessage(`{"text":"I will"}`)})[0]
		record(Item{ID: id, Status: ItemCompleted, Tokens: 7, Body: json.RawMessage(`{"text":"I will. Here it is."}`)},
			Item{Round: 1, Status: ItemIncomplete, Body: largeItem("call")})
		if i < n-1 {
			ok(s.EndTurn(ctx, turn, "completed", "1 file changed", json.RawMessage(`{"ms":12}`)))
		}
	}
	return ses
}

func check(t testing.TB, s *Store) Report {
	t.Helper()
	return must[Report](t)(s.Check(context.Background(), nil))
}

func noDamage(t testing.TB, s *Store, rows int) {
	t.Helper()
	if r := check(t, s); !r.OK() || r.Said != rows || r.Unsaid != 0 {
		t.Fatalf("%+v", r)
	}
}

// names reports whether a damage names a row.
func names(r Report, table string, id int64) bool {
	for _, d := range r.Damage {
		if strings.HasPrefix(d.String(), fmt.Sprintf("%s %d: ", table, id)) {
			return true
		}
	}
	return false
}

// TestCheckSeesWhatChangedInTheConversation flips bits of everything that is stored of it,
// as a program would that writes to the database.
func TestCheckSeesWhatChangedInTheConversation(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "store")
	s := openStore(t, dir)
	baseline(t, s, map[string]string{"a": "1\n"})
	talk(t, s, 3)
	s.Close()
	s = openStore(t, dir) // the last turn is interrupted now
	noDamage(t, s, 1+3+9)
	raw := must[*sql.DB](t)(openWriter(filepath.Join(dir, "history.db")))
	defer raw.Close()
	tried, seen := 0, 0
	for _, table := range conversationTables {
		for _, column := range strings.Split(table.columns, ", ")[1:] {
			flips, found := flipColumn(t, s, raw, table.name, column)
			tried, seen = tried+flips, seen+found
			if found < flips {
				t.Logf("%s.%s: %d of %d seen", table.name, column, found, flips)
			}
		}
	}
	if tried < 300 || seen < tried*99/100 {
		t.Errorf("%d of %d seen", seen, tried)
	}
	noDamage(t, s, 1+3+9)
}

// flipColumn flips bits of one column of every row, and counts those that Check finds.
func flipColumn(t *testing.T, s *Store, raw *sql.DB, table, column string) (tried, seen int) {
	t.Helper()
	type cell struct {
		id   int64
		kind string
		val  []byte
	}
	var cells []cell
	rows, err := raw.Query("SELECT id, typeof(" + column + "), CAST(" + column + " AS BLOB) FROM " + table)
	if err != nil {
		t.Fatal(err)
	}
	for rows.Next() {
		var c cell
		if err := rows.Scan(&c.id, &c.kind, &c.val); err != nil {
			t.Fatal(err)
		}
		cells = append(cells, c)
	}
	rows.Close()
	for _, c := range cells {
		for bit := len(column) % 7; bit < 8*len(c.val) && c.kind != "null"; bit += 17 {
			b := append([]byte(nil), c.val...)
			b[bit/8] ^= 1 << (bit % 8)
			if c.kind == "integer" {
				b = fmt.Append(nil, (bit+1)*3) // another number
				if string(b) == string(c.val) {
					continue
				}
			}
			set := func(v []byte) {
				t.Helper()
				if _, err := raw.Exec("UPDATE "+table+" SET "+column+" = CAST(? AS "+c.kind+") WHERE id = ?", v, c.id); err != nil {
					t.Fatal(err)
				}
			}
			set(b)
			tried++
			if names(check(t, s), table, c.id) {
				seen++
			}
			set(c.val)
		}
	}
	return tried, seen
}

// TestCheckSeesBitsFlippedInTheFile flips them in the bytes of the rows.
func TestCheckSeesBitsFlippedInTheFile(t *testing.T) {
	src := filepath.Join(t.TempDir(), "store")
	s := openStore(t, src)
	baseline(t, s, map[string]string{"a": "1\n"})
	talk(t, s, 2)
	s.Close()
	db := must[[]byte](t)(os.ReadFile(filepath.Join(src, "history.db")))
	tried, seen := 0, 0
	for _, word := range []string{"about the client", "make it 2 times faster", "I will. Here it is.", "1 file changed",
		"make it 3 times faster"} {
		at := strings.Index(string(db), word)
		if at < 0 {
			t.Fatalf("%q is not in the file", word)
		}
		for bit := 0; bit < 8*len(word); bit += long(13) / long(1) {
			copies := must[string](t)(os.MkdirTemp("", "history-bits-"))
			dir := filepath.Join(copies, "copy")
			copyStore(t, src, dir)
			b := append([]byte(nil), db...)
			b[at+bit/8] ^= 1 << (bit % 8)
			if err := os.WriteFile(filepath.Join(dir, "history.db"), b, 0o600); err != nil {
				t.Fatal(err)
			}
			tried++
			if c, err := Open(context.Background(), Options{Dir: dir}); err != nil {
				seen++
			} else {
				if len(c.Notices()) > 0 || !check(t, c).OK() {
					seen++
				}
				c.Close()
			}
			os.RemoveAll(copies) // 60 of them may not fit in memory
		}
	}
	if tried < 50 || seen < tried*99/100 {
		t.Errorf("%d of %d seen", seen, tried)
	}
}

func TestCheckSeesRowsOfTheConversationComeAndGo(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "store")
	s := openStore(t, dir)
	baseline(t, s, map[string]string{"a": "1\n"})
	talk(t, s, 3)
	noDamage(t, s, 1+3+9)
	raw := must[*sql.DB](t)(openWriter(filepath.Join(dir, "history.db")))
	defer raw.Close()
	for _, c := range []struct {
		do, undo []string
		table    string
		id       int64
	}{
		{[]string{"CREATE TEMP TABLE kept AS SELECT * FROM item WHERE id = 3", "DELETE FROM item WHERE id = 3"},
			[]string{"INSERT INTO item SELECT * FROM kept"}, "item", 3},
		{[]string{"CREATE TEMP TABLE turns AS SELECT * FROM turn WHERE id = 2", "DELETE FROM turn WHERE id = 2"},
			[]string{"INSERT INTO turn SELECT * FROM turns"}, "turn", 2},
		{[]string{"UPDATE item SET id = 99 WHERE id = 1", "UPDATE item SET id = 1 WHERE id = 2",
			"UPDATE item SET id = 2 WHERE id = 99"},
			[]string{"UPDATE item SET id = 99 WHERE id = 1", "UPDATE item SET id = 1 WHERE id = 2",
				"UPDATE item SET id = 2 WHERE id = 99"}, "item", 1},
		{[]string{"INSERT INTO item VALUES (50, 1, 0, 0, 0, 0, NULL, NULL, 'never said')"},
			[]string{"DELETE FROM item WHERE id = 50"}, "item", 50},
		{[]string{"INSERT INTO message VALUES (50, 1, 'user', 'never said', 0)"},
			[]string{"DELETE FROM message WHERE id = 50"}, "message", 50},
		{[]string{"INSERT INTO session VALUES (50, 'never held', 0)"},
			[]string{"DELETE FROM session WHERE id = 50"}, "session", 50},
	} {
		run := func(list []string) {
			t.Helper()
			for _, q := range list {
				if _, err := raw.Exec(q); err != nil {
					t.Fatal(q, err)
				}
			}
		}
		run(c.do)
		if r := check(t, s); !names(r, c.table, c.id) {
			t.Errorf("%s: %+v", c.do[len(c.do)-1], r.Damage)
		}
		run(c.undo)
		noDamage(t, s, 1+3+9)
	}
}

// TestConversationsFromBeforeTheChainAreCovered: in a database with the schema before.
func TestConversationsFromBeforeTheChainAreCovered(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "store")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	db := must[*sql.DB](t)(openWriter(filepath.Join(dir, "history.db")))
	p := must[*goose.Provider](t)(goose.NewProvider(goose.DialectSQLite3, db, schema.Files))
	if _, err := p.UpTo(context.Background(), 4); err != nil {
		t.Fatal(err)
	}
	for _, q := range []string{
		"INSERT INTO meta VALUES ('store', '000102030405060708090a0b0c0d0e0f'), ('root', '/p'), ('branch', 1)",
		"INSERT INTO session VALUES (1, 'old', 5)",
		"INSERT INTO turn (id, session, request, model, started, first_op) VALUES (1, 1, 'do it', 'spark', 6, 1), (2, 1, 'again', 'spark', 7, 1)",
		"INSERT INTO message VALUES (1, 1, 'user', 'do it', 6)",
	} {
		if _, err := db.Exec(q); err != nil {
			t.Fatal(q, err)
		}
	}
	db.Close()
	s := openStore(t, dir)
	noDamage(t, s, 4)
	talk(t, s, 1)
	s.Close()
	s = openStore(t, dir)
	noDamage(t, s, 4+1+1+3)
	raw := must[*sql.DB](t)(openWriter(filepath.Join(dir, "history.db")))
	defer raw.Close()
	if _, err := raw.Exec("UPDATE message SET text = 'do that' WHERE id = 1"); err != nil {
		t.Fatal(err)
	}
	if r := check(t, s); !names(r, "message", 1) || len(r.Damage) != 1 {
		t.Errorf("%+v", r)
	}
}

// TestAPurgedSessionIsInOrder: the chain declares what the purge removed.
func TestAPurgedSessionIsInOrder(t *testing.T) {
	s := newStore(t)
	baseline(t, s, map[string]string{"a": "1\n"})
	first := talk(t, s, 2)
	talk(t, s, 1)
	must[PurgeReport](t)(s.Purge(context.Background(), PurgeRequest{Session: first}))
	noDamage(t, s, 2+3+3)
}
