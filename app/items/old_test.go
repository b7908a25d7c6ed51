package items

import (
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"pgregory.net/rapid"

	"waferpair/app/parts"
	"waferpair/history"
)

// TestAnOldTurnShowsWhatItShowed checks that the stored parts of a turn of an earlier
// version become items that show the same parts.
func TestAnOldTurnShowsWhatItShowed(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		t := &turn{T: r, live: parts.Bounded(), old: true}
		for range t.any("steps", 40) {
			t.step()
		}
		kept, err := json.Marshal(parts.Record{Parts: t.live.All(), Nearest: []string{"x"}})
		if err != nil {
			t.Fatal(err)
		}
		var was parts.Record // as an earlier version reads it
		if err := json.Unmarshal(kept, &was); err != nil {
			t.Fatal(err)
		}
		list := Old(history.OldTurn{Parts: kept, Messages: []history.Message{{Role: "user", Text: "do it"},
			{Role: "assistant", Text: t.said}}})
		got := Fold(list)
		if len(got.Parts)+len(was.Parts) > 0 && !reflect.DeepEqual(got.Parts, []parts.Part(was.Parts)) ||
			requestsOf(got.Nearest) != "[x]" {
			t.Fatalf("%+v, want %+v", got, was)
		}
		if a := Answer(list); a != sound(t.said) {
			t.Fatalf("%q was said, and it was %q", a, t.said)
		}
		for _, it := range list {
			if it.Status == history.ItemInProgress {
				t.Fatalf("%+v", it)
			}
		}
	})
}

// TestTheOldestDatabaseShowsItsConversation checks a database of the first schema.
func TestTheOldestDatabaseShowsItsConversation(t *testing.T) {
	ok := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	packed, err := os.Open("../../history/testdata/schema1.db.gz")
	ok(err)
	defer packed.Close()
	z, err := gzip.NewReader(packed)
	ok(err)
	db, err := io.ReadAll(z)
	ok(err)
	dir := t.TempDir()
	ok(os.WriteFile(filepath.Join(dir, "history.db"), db, 0o600))
	for range 2 {
		s, err := history.Open(t.Context(), history.Options{Dir: dir, Items: Old})
		ok(err)
		x, err := s.Session(t.Context(), 1)
		ok(err)
		shown := Fold(x.Turns[0].Items)
		if len(x.Turns) != 1 || len(shown.Said) != 1 || len(shown.Parts) > 0 || fmt.Sprint(shown.Said[0].Role,
			shown.Said[0].Text) != "userchange two" || shown.Said[0].Time.UnixMilli() != 1795184051573 {
			t.Errorf("%+v", shown)
		}
		report, err := s.Check(t.Context(), nil)
		ok(err)
		if !report.OK() || report.Said != 3 {
			t.Errorf("%+v, %q", report, s.Notices())
		}
		ok(s.Close())
	}
}

// TestATurnOfTheFirstVersions checks a turn that has only messages, each with its time.
func TestATurnOfTheFirstVersions(t *testing.T) {
	at := func(s int64) time.Time { return time.Unix(s, 0) }
	list := Old(history.OldTurn{Turn: history.Turn{Started: at(1)}, Messages: []history.Message{
		{Role: "user", Text: "do it", Time: at(2)}, {Role: "steer", Text: "shorter", Time: at(3)},
		{Role: "assistant", Text: "Done.\n", Time: at(4)}}})
	got := Fold(list)
	if got.Kept || len(got.Parts) > 0 || Answer(list) != "Done.\n" {
		t.Errorf("%+v", got)
	}
	said := ""
	for _, m := range got.Said {
		said += fmt.Sprint(m.Role, " ", m.Text, " ", m.Time.Unix(), "|")
	}
	for _, it := range list {
		if it.Time.Before(at(1)) {
			t.Errorf("%+v", it)
		}
	}
	if want := "user do it 2|steer shorter 3|assistant Done.\n 4|"; said != want {
		t.Errorf("%q", said)
	}
}
