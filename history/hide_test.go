package history

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"waferpair/workspace/text"
)

// finish appends the last letter of a word, and asks to hide the letters already there.
func finish(t *testing.T, s *Store, path, word string) EditID {
	t.Helper()
	e := replace(t, s, path, word, mask(text.OfString(word+"."), []text.Range{{From: 0, To: text.Byte(len(word) + 1)}}).
		String())
	at := text.Byte(strings.Index(string(e.Before.Bytes()), word))
	e.Hide = &Hide{Ranges: []text.Range{{From: at, To: at + text.Byte(len(word))}}, Since: time.Now()}
	return do(t, s, User, e)
}

// settleHides waits until all hide tasks are done.
func settleHides(t *testing.T, s *Store) {
	t.Helper()
	for end := time.Now().Add(time.Minute); ; time.Sleep(5 * time.Millisecond) {
		var n int
		if err := s.read.QueryRow("SELECT count(*) FROM meta WHERE key GLOB 'hide.*'").Scan(&n); err != nil {
			t.Fatal(err)
		}
		if n == 0 {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("%d are left: %v", n, s.Notices())
		}
	}
}

// TestTheBeginningOfASecretIsMaskedInAllVersions: in a file that was created with it,
// through a rename, keyframes and edits elsewhere in the file.
func TestTheBeginningOfASecretIsMaskedInAllVersions(t *testing.T) {
	s := newStore(t)
	ctx := context.Background()
	baseline(t, s, map[string]string{"x": "1\n"})
	do(t, s, User, NewEdit{Path: "a", Kind: Create, Content: []byte("old text\nkey HUNTER1\nend 0\n")})
	for i := range 120 {
		do(t, s, User, replace(t, s, "a", "end "+strings.Repeat("i", i), "end "+strings.Repeat("i", i+1)))
		if i == 50 {
			do(t, s, User, NewEdit{Path: "a", Kind: Rename, To: "b"})
			do(t, s, User, NewEdit{Path: "b", Kind: Rename, To: "a"})
		}
	}
	do(t, s, User, replace(t, s, "a", "HUNTER1", "HUNTER1SECOND2"))
	do(t, s, User, replace(t, s, "a", "old", "older"))
	last := finish(t, s, "a", "HUNTER1SECOND2")
	after := do(t, s, User, replace(t, s, "a", "older", "oldest"))
	settleHides(t, s)
	for _, part := range []string{"HUNTER", "SECOND"} {
		// a reader may block the wipe of the log
		for end := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
			f := grepStore(t, s, part)
			if len(f) == 0 {
				break
			}
			if time.Now().After(end) {
				t.Fatalf("%s is still in %v", part, f)
			}
		}
	}
	want(t, at(t, s, 1, "a"), "old text\nkey <masked\nend 0\n")
	want(t, at(t, s, last, "a"), "older text\nkey <masked><masked\nend "+strings.Repeat("i", 120)+"0\n")
	want(t, at(t, s, after, "a"), "oldest text\nkey <masked><masked\nend "+strings.Repeat("i", 120)+"0\n")
	rep := must[Report](t)(s.Check(ctx, nil))
	if !rep.OK() || rep.Tombstones != 0 || rep.Good != rep.Edits+1 {
		t.Errorf("%+v", rep)
	}
	if n := s.Notices(); len(n) > 0 {
		t.Error(n)
	}
}

// TestWhatAnotherForkRestsOnIsNotMasked: the fork's versions would no longer match their
// hashes. The user gets a notice.
func TestWhatAnotherForkRestsOnIsNotMasked(t *testing.T) {
	s := newStore(t)
	ctx := context.Background()
	baseline(t, s, map[string]string{"a": "key x\n"})
	first := do(t, s, User, replace(t, s, "a", "x", "HUNTER1"))
	must[Branch](t)(s.Fork(ctx, "other", first))
	if err := s.SetBranch(ctx, "other"); err != nil {
		t.Fatal(err)
	}
	do(t, s, User, replace(t, s, "a", "key", "the key"))
	if err := s.SetBranch(ctx, "main"); err != nil {
		t.Fatal(err)
	}
	finish(t, s, "a", "HUNTER1")
	settleHides(t, s)
	if rep := must[Report](t)(s.Check(ctx, nil)); !rep.OK() {
		t.Errorf("%+v", rep)
	}
	if n := s.Notices(); len(n) != 1 || !strings.Contains(n[0], "another fork") {
		t.Error(n)
	}
}

// TestNobodyWaitsForABackupToBeHidden: a running backup may take long, and nothing can be
// recorded while secrets are masked.
func TestNobodyWaitsForABackupToBeHidden(t *testing.T) {
	s := newStore(t)
	baseline(t, s, map[string]string{"a": "key x\n"})
	do(t, s, User, replace(t, s, "a", "x", "HUNTER1"))
	s.backup.mu.Lock() // a backup is running
	made := sync.OnceFunc(s.backup.mu.Unlock)
	defer made()
	e := finish(t, s, "a", "HUNTER1")
	settleHides(t, s)
	recorded := make(chan error, 1)
	go func() {
		_, err := s.Append(t.Context(), Op{Author: User, Edits: []NewEdit{{Path: "b", Kind: Create}}})
		recorded <- err
	}()
	select {
	case err := <-recorded:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(time.Minute):
		t.Error("nothing can be recorded until the backup is made")
		made()
		<-recorded
	}
	made()
	want(t, at(t, s, e, "a"), "key <masked>\n")
}
