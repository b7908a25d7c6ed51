package history

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"waferpair/history/version"
)

// grepStore searches every file of the store, and every stored content and delta after
// decompression.
func grepStore(t testing.TB, s *Store, needle string) (found []string) {
	t.Helper()
	entries := must[[]os.DirEntry](t)(os.ReadDir(s.files.dir))
	for _, e := range entries {
		if e.Name() == "ballast" {
			continue
		}
		b := must[[]byte](t)(copyOf(filepath.Join(s.files.dir, e.Name())))
		if bytes.Contains(b, []byte(needle)) {
			found = append(found, e.Name())
		}
	}
	for _, q := range []string{"SELECT delta FROM edit WHERE delta IS NOT NULL",
		"SELECT delta FROM step WHERE delta IS NOT NULL", "SELECT delta FROM draft",
		"SELECT data FROM blob WHERE data IS NOT NULL", "SELECT data FROM chunk"} {
		rows, err := s.read.Query(q)
		if err != nil {
			t.Fatal(err)
		}
		for rows.Next() {
			var b []byte
			if err := rows.Scan(&b); err != nil {
				t.Fatal(err)
			}
			plain, err := version.Unpack(nil, b)
			if strings.Contains(q, "delta") { // behind the byte that tells whether it is compressed
				plain, err = version.Unpack(nil, b[1:])
			}
			if err == nil && bytes.Contains(plain, []byte(needle)) {
				found = append(found, q)
			}
		}
		rows.Close()
	}
	return found
}

// copyOf reads a file in a process of its own: closing a descriptor of the live database
// here would drop SQLite's locks.
func copyOf(path string) ([]byte, error) { return exec.Command("cat", path).Output() }

// noise returns text long enough to be compressed, with a secret in it.
func noise(secret string) string {
	var b strings.Builder
	for i := range 40 {
		b.WriteString(strings.Repeat(string(rune('a'+i%26)), i))
		if i == 20 {
			b.WriteString(secret)
		}
		b.WriteString("\n")
	}
	return b.String()
}

func TestPurgePathLeavesNoBytes(t *testing.T) {
	const secret = "hunter2-SECRET-0451"
	dir := filepath.Join(t.TempDir(), "store")
	s := openStore(t, dir)
	ctx := context.Background()
	baseline(t, s, map[string]string{"ok": "fine\n", "s": "x\n" + noise(secret)})
	ok := do(t, s, User, replace(t, s, "ok", "fine", "finer"))
	do(t, s, User, replace(t, s, "s", secret, secret+secret))
	do(t, s, User, NewEdit{Path: "s", Kind: Rename, To: "s2"})
	gone := do(t, s, User, replace(t, s, "s2", secret, "short"))
	e := replace(t, s, "s2", "x\n", secret)
	if err := s.PutDraft(ctx, Draft{Path: "s2", Base: e.Before, Changes: e.Changes}); err != nil {
		t.Fatal(err)
	}
	if err := s.Backup(ctx); err != nil {
		t.Fatal(err)
	}
	if len(grepStore(t, s, secret)) < 2 {
		t.Fatal("the test does not find the secret where it is")
	}
	r := must[PurgeReport](t)(s.Purge(ctx, PurgeRequest{Path: "s2"}))
	if len(r.Edits) != 3 || len(r.Paths) != 2 {
		t.Fatalf("%+v", r)
	}
	if f := grepStore(t, s, secret); len(f) > 0 {
		t.Fatalf("still in %v", f)
	}
	if _, err := s.At(ctx, gone, "s2"); !errors.Is(err, ErrPurged) {
		t.Fatal(err)
	}
	want(t, at(t, s, ok, "ok"), "finer\n")
	checkTombstones(t, s, 4)
	baseline(t, s, map[string]string{"s2": "clean\n"})
	do(t, s, User, replace(t, s, "s2", "clean", "cleaner"))
	want(t, at(t, s, Newest, "s2"), "cleaner\n")
	s.Close()
	s = openStore(t, dir)
	if n := s.Notices(); len(n) > 0 {
		t.Fatal(n)
	}
	want(t, at(t, s, Newest, "s2"), "cleaner\n")
	checkTombstones(t, s, 4)
}

func checkTombstones(t *testing.T, s *Store, n int) {
	t.Helper()
	rep := must[Report](t)(s.Check(context.Background(), nil))
	if !rep.OK() || rep.Tombstones != n {
		t.Fatalf("%+v", rep)
	}
}

func TestPurgeSession(t *testing.T) {
	const secret = "hunter2-SECRET-0451"
	s := newStore(t)
	ctx := context.Background()
	baseline(t, s, map[string]string{"a": "1\n2\n3\n", "b": "1\n"})
	ses := must[SessionID](t)(s.StartSession(ctx, secret))
	turn := must[TurnID](t)(s.StartTurn(ctx, Turn{Session: ses, Request: secret}))
	body := json.RawMessage(`{"type":"message","role":"user","content":[{"type":"input_text","text":"and ` +
		secret + `, too"}]}`)
	must[[]ItemID](t)(s.PutItems(ctx, turn, Item{Status: ItemCompleted, Body: body},
		Item{Status: ItemCompleted, Body: largeItem(secret)}))
	ui := func() string { return must[string](t)(s.Mark(ctx, "ui")) }
	quoted := `{"draft":"and ` + secret + ` again","history":["other","` + secret + `","and ` + secret +
		`, too"],"tabs":[{"path":"a","top":1.50}]}`
	if err := s.SetMark(ctx, "ui", quoted); err != nil || ui() != quoted {
		t.Fatal(err, ui())
	}
	inTurn := func(e NewEdit) {
		r := must[Receipt](t)(s.Append(ctx, Op{Author: Model, Turn: turn, Edits: []NewEdit{e}}))
		if err := r.Wait(ctx); err != nil {
			t.Fatal(err)
		}
	}
	inTurn(replace(t, s, "a", "2", secret))
	inTurn(replace(t, s, "b", "1", "one"))
	after := do(t, s, User, replace(t, s, "a", secret, "two"))
	last := do(t, s, User, replace(t, s, "a", "3", "three"))
	if len(grepStore(t, s, secret)) == 0 {
		t.Fatal("the test does not find the secret where it is")
	}
	r := must[PurgeReport](t)(s.Purge(ctx, PurgeRequest{Session: ses}))
	if f := grepStore(t, s, secret); len(f) > 0 {
		t.Fatalf("still in %v", f)
	}
	if got := ui(); got != `{"draft":"","history":["other"],"tabs":[{"path":"a","top":1.50}]}` {
		t.Errorf("the page keeps %s", got)
	}
	if len(r.Edits) != 2 || len(r.Kept) != 1 || r.Kept[0] != "b" {
		t.Fatalf("%+v", r)
	}
	want(t, at(t, s, after, "a"), "1\ntwo\n3\n")
	want(t, at(t, s, last, "a"), "1\ntwo\nthree\n")
	want(t, at(t, s, Newest, "b"), "one\n")
	do(t, s, User, replace(t, s, "b", "one", "uno"))
	rep := must[Report](t)(s.Check(ctx, nil))
	if !rep.OK() || rep.Tombstones != 3 { // two of the session, and the user's edit that quoted it
		t.Fatalf("%+v", rep)
	}
}
