package history

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// largeItem returns a body that is stored as a blob and contains a word.
func largeItem(word string) json.RawMessage {
	b, _ := json.Marshal(map[string]string{"type": "function_call_output",
		"output": strings.Repeat(word+"\n", largeBody/len(word)+1)})
	return b
}

func aTurn(t testing.TB, s *Store) TurnID {
	t.Helper()
	ctx := context.Background()
	ses := must[SessionID](t)(s.StartSession(ctx, "x"))
	return must[TurnID](t)(s.StartTurn(ctx, Turn{Session: ses, Request: "do it"}))
}

func itemsString(t testing.TB, s *Store, turn TurnID) (out string) {
	t.Helper()
	for _, it := range must[Turn](t)(s.Turn(context.Background(), turn)).Items {
		out += fmt.Sprintf("%d|%d|%s|%d|%.12s\n", it.ID, it.Round, it.Status, it.Tokens, it.Body)
	}
	return out
}

// TestItems: items come back in the order in which they began, as they were put last; an
// item that a crash left in progress is incomplete; no ID is used twice.
func TestItems(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "store")
	s := openStore(t, dir)
	ctx := context.Background()
	first, second := aTurn(t, s), aTurn(t, s)
	put := func(turn TurnID, items ...Item) []ItemID {
		t.Helper()
		return must[[]ItemID](t)(s.PutItems(ctx, turn, items...))
	}
	a := put(first, Item{Status: ItemCompleted, Body: []byte(`{"a":1}`)}, Item{Round: 1, Status: ItemInProgress, Tokens: 2,
		Body: []byte(`{"b":1}`)})
	put(second, Item{Status: ItemCompleted, Body: []byte(`{}`)})
	put(first, Item{ID: a[1], Round: 1, Status: ItemCompleted, Tokens: 5, Body: largeItem("b")},
		Item{Round: 2, Status: ItemInProgress, Body: largeItem("c")})
	begun := must[Turn](t)(s.Turn(ctx, first)).Items[1].Time
	want(t, itemsString(t, s, first), `1|0|completed|0|{"a":1}
2|1|completed|5|{"output":"b
4|2|in_progress|0|{"output":"c
`)
	if got := must[Turn](t)(s.Turn(ctx, first)).Items[1]; !bytes.Equal(got.Body, largeItem("b")) ||
		!got.Time.Equal(begun) {
		t.Error("the large item came back as another one")
	}
	if _, err := s.PutItems(ctx, first, Item{Status: ItemCompleted, Body: []byte("{")}); err == nil {
		t.Error("half an item was taken")
	}
	s.Close()
	s = openStore(t, dir)
	if got := itemsString(t, s, first); !strings.Contains(got, "\n4|2|incomplete|0|") {
		t.Error(got)
	}
	noDamage(t, s, 2+2+4)
	raw := must[*sql.DB](t)(openWriter(filepath.Join(dir, "history.db")))
	defer raw.Close()
	if _, err := raw.Exec("DELETE FROM item WHERE id = 4"); err != nil {
		t.Fatal(err)
	}
	s.Close()
	s = openStore(t, dir)
	if id := put(second, Item{Status: ItemCompleted, Body: []byte(`{}`)})[0]; id != 5 {
		t.Errorf("an item that was lost and a new one are both number %d", id)
	}
	if r := check(t, s); !names(r, "item", 4) || len(r.Damage) != 1 {
		t.Errorf("%+v", r.Damage)
	}
}

// TestAnItemNeverChangesAfterItsEnd, whether it was put as completed or incomplete, or its
// turn ended, or the program that put it.
func TestAnItemNeverChangesAfterItsEnd(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "store")
	s := openStore(t, dir)
	ctx := context.Background()
	turn, other := aTurn(t, s), aTurn(t, s)
	put := func(status ItemStatus) ItemID {
		t.Helper()
		ids := must[[]ItemID](t)(s.PutItems(ctx, turn, Item{Status: ItemInProgress, Body: []byte(`{"a":1}`)}))
		must[[]ItemID](t)(s.PutItems(ctx, turn, Item{ID: ids[0], Status: status, Body: []byte(`{"a":2}`)}))
		return ids[0]
	}
	unchanged := func(of TurnID, ids ...ItemID) {
		t.Helper()
		was := itemsString(t, s, turn) + itemsString(t, s, other)
		for _, id := range ids {
			for _, status := range []ItemStatus{ItemInProgress, ItemIncomplete, ItemCompleted} {
				again := []Item{{Status: ItemCompleted, Body: []byte(`{}`)}, {ID: id, Status: status, Body: []byte(`{"a":3}`)}}
				if _, err := s.PutItems(ctx, of, again...); err == nil {
					t.Errorf("item %d is put once more, as %s", id, status)
				}
			}
		}
		want(t, itemsString(t, s, turn)+itemsString(t, s, other), was)
	}
	completed, incomplete, growing := put(ItemCompleted), put(ItemIncomplete), put(ItemInProgress)
	unchanged(turn, completed, incomplete, 99)
	unchanged(other, growing)
	if err := s.EndTurn(ctx, turn, "done", "", nil); err != nil {
		t.Fatal(err)
	}
	unchanged(turn, growing)
	late := must[[]ItemID](t)(s.PutItems(ctx, other, Item{Status: ItemInProgress, Body: []byte(`{}`)}))
	s.Close()
	s = openStore(t, dir)
	unchanged(other, late...)
}

// TestItemsOfATurnThatEndedDuringAStall: even if its end could not be recorded, they are over.
func TestItemsOfATurnThatEndedDuringAStall(t *testing.T) {
	s, notified := stallStore(t)
	s.w.first = time.Hour // Retry alone tries again
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	turn := aTurn(t, s)
	items := must[[]ItemID](t)(s.PutItems(ctx, turn, Item{Status: ItemInProgress, Body: []byte(`{}`)}))
	mend := broken(t, s)
	must[Receipt](t)(s.Append(ctx, Op{Author: User, Edits: []NewEdit{versionEdit(0)}}))
	<-notified
	if err := s.EndTurn(ctx, turn, "done", "", nil); err == nil {
		t.Fatal("the end was recorded")
	}
	mend()
	if err := s.Retry(ctx); err != nil {
		t.Fatal(err)
	}
	_, err := s.PutItems(ctx, turn, Item{ID: items[0], Status: ItemCompleted, Body: []byte(`{"late":1}`)})
	if err == nil || !strings.Contains(err.Error(), "cannot change") {
		t.Errorf("a late change: %v", err)
	}
}

// TestALargeItemThatIsNotWhatItWas: it is not shown, and Check names it.
func TestALargeItemThatIsNotWhatItWas(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "store")
	s := openStore(t, dir)
	turn := aTurn(t, s)
	must[[]ItemID](t)(s.PutItems(context.Background(), turn, Item{Status: ItemCompleted, Body: largeItem("one")},
		Item{Status: ItemCompleted, Body: largeItem("two")}))
	noDamage(t, s, 4)
	raw := must[*sql.DB](t)(openWriter(filepath.Join(dir, "history.db")))
	defer raw.Close()
	if _, err := raw.Exec(
		"UPDATE blob SET data = (SELECT data FROM blob WHERE id = 2), hash = hash || 'x' WHERE id = 1"); err != nil {
		t.Fatal(err)
	}
	if r := check(t, s); !names(r, "item", 1) || len(r.Damage) != 1 {
		t.Errorf("%+v", r.Damage)
	}
	if x, err := s.Turn(context.Background(), turn); err == nil {
		t.Errorf("%.80s", x.Items[0].Body)
	}
}

// TestAnExportHasTheItems checks the items of an export.
func TestAnExportHasTheItems(t *testing.T) {
	s := newStore(t)
	turn := aTurn(t, s)
	must[[]ItemID](t)(s.PutItems(context.Background(), turn, Item{Status: ItemCompleted, Tokens: 3,
		Body: []byte(`{"type":"message","role":"user","content":[{"text":"hello"}]}`)},
		Item{Round: 1, Status: ItemInProgress, Body: largeItem("<a>")}))
	var out bytes.Buffer
	if err := s.Export(context.Background(), &out); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(out.String()) {
		var x struct {
			Type  string
			Items []struct {
				ID, Round, Tokens int
				Status            string
				Item              json.RawMessage
			}
		}
		if err := json.Unmarshal([]byte(line), &x); err != nil {
			t.Fatal(err)
		}
		if x.Type == "turn" {
			want(t, fmt.Sprintln(x.Items[0].ID, x.Items[0].Status, x.Items[0].Tokens, string(x.Items[0].Item)),
				`1 completed 3 {"type":"message","role":"user","content":[{"text":"hello"}]}`+"\n")
			if !strings.Contains(line, `"messages":[{"role":"user","text":"hello","time":`) {
				t.Errorf("%.300s", line)
			}
			if it := x.Items[1]; it.Round != 1 || it.Status != "in_progress" || !bytes.Equal(it.Item, largeItem("<a>")) {
				t.Errorf("%+.200v", it)
			}
			return
		}
	}
	t.Error("no turn")
}
