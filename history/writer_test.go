package history

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	sqlite "github.com/mattn/go-sqlite3"
)

// TestBrokenConnectionIsReopened: after an error nobody knows what was committed; the
// writer reopens the database and continues.
func TestBrokenConnectionIsReopened(t *testing.T) {
	s := newStore(t)
	oneFile(t, s, 2)
	if err := s.alone(context.Background(), func(w *writer) error { return w.closeDB() }); err != nil {
		t.Fatal(err)
	}
	e := do(t, s, User, replace(t, s, "a", "v2", "v3"))
	want(t, at(t, s, e, "a"), "v3\n")
	if r := must[Report](t)(s.Check(context.Background(), nil)); !r.OK() {
		t.Fatalf("%+v", r)
	}
}

// TestReopenedAndNotReadable: when a failed commit makes the writer reopen the connection,
// and the state cannot be read there, the writer still knows the end of the chain.
func TestReopenedAndNotReadable(t *testing.T) {
	s := newStore(t)
	oneFile(t, s, 2)
	db := must[*sql.DB](t)(openWriter(s.files.db))
	defer db.Close()
	rename := func(from, to string) error {
		_, err := db.Exec("ALTER TABLE " + from + " RENAME TO " + to)
		return err
	}
	err := s.alone(context.Background(), func(w *writer) error {
		if err := rename("op", "away"); err != nil {
			return err
		}
		if w.open() == nil {
			return errors.New("a database without operations was opened")
		}
		return rename("away", "op")
	})
	if err != nil {
		t.Fatal(err)
	}
	e := do(t, s, User, replace(t, s, "a", "v2", "v3"))
	want(t, at(t, s, e, "a"), "v3\n")
	if r := must[Report](t)(s.Check(context.Background(), nil)); !r.OK() {
		t.Fatalf("%+v", r)
	}
}

// TestCommitThatLandedIsNotRepeated: a commit that reported failure but is in the database
// counts as done, once a checkpoint has made sure of it.
func TestCommitThatLandedIsNotRepeated(t *testing.T) {
	s := newStore(t)
	oneFile(t, s, 2)
	row := opRow{kind: opLoss, branch: 1, note: "x"}
	err := s.alone(context.Background(), func(w *writer) error {
		row.id = s.next.op
		s.next.op++
		batch := []*job{{run: func(g *group) error { return g.writeOp(row, nil, nil) }, done: newPromise()}}
		g, err := w.attempt(batch)
		if err != nil {
			return err
		}
		if landed, err := w.reread(g); err != nil || !landed {
			return errors.Join(err, errors.New("the writer does not see that it landed"))
		}
		return w.tail.write(w.op, w.edit, w.chain)
	})
	if err != nil {
		t.Fatal(err)
	}
	do(t, s, User, replace(t, s, "a", "v2", "v3"))
	if r := must[Report](t)(s.Check(context.Background(), nil)); !r.OK() || r.Ops != 5 {
		t.Fatalf("%+v", r)
	}
}

// TestJobThatFailsAloneStopsNothing: a job that its caller waits for and that cannot be
// written is given up; the jobs queued with it are written all the same.
func TestJobThatFailsAloneStopsNothing(t *testing.T) {
	s := newStore(t)
	oneFile(t, s, 1)
	ctx := context.Background()
	boom := errors.New("boom")
	p, err := s.submit(ctx, 0, func(*group) error { return boom })
	if err != nil {
		t.Fatal(err)
	}
	r := must[Receipt](t)(s.Append(ctx, Op{Author: User, Edits: []NewEdit{versionEdit(1)}}))
	if err := p.wait(ctx); !errors.Is(err, boom) {
		t.Fatal(err)
	}
	if err := r.Wait(ctx); err != nil {
		t.Fatal(err)
	}
	want(t, at(t, s, Newest, "a"), "v2\n")
	if err := s.Stalled(); err != nil {
		t.Fatal(err)
	}
}

// TestOnlyWhatMayPassIsTriedAgain: a job's own error comes back at once, and one of SQLite
// after some attempts.
func TestOnlyWhatMayPassIsTriedAgain(t *testing.T) {
	s := newStore(t)
	oneFile(t, s, 1)
	for _, c := range []struct {
		err   error
		tries int
	}{
		{errors.New("boom"), 1},
		{fmt.Errorf("read a version: %w", context.Canceled), 1},
		{fmt.Errorf("insert: %w", sqlite.Error{Code: sqlite.ErrBusy}), 4},
	} {
		tries := 0
		p, err := s.submit(t.Context(), 0, func(*group) error { tries++; return c.err })
		if err != nil {
			t.Fatal(err)
		}
		if err := p.wait(t.Context()); !errors.Is(err, c.err) || tries != c.tries {
			t.Errorf("%v: %d attempts, want %d; %v", c.err, tries, c.tries, err)
		}
	}
	do(t, s, User, replace(t, s, "a", "v1", "v2"))
	want(t, at(t, s, Newest, "a"), "v2\n")
}

// broken makes every operation fail with an input or output error, through a connection of
// its own, until mend is called.
func broken(t *testing.T, s *Store) (mend func()) {
	t.Helper()
	db := must[*sql.DB](t)(openWriter(s.files.db))
	t.Cleanup(func() { db.Close() })
	exec := func(query string) {
		t.Helper()
		if _, err := db.Exec(query); err != nil {
			t.Fatal(err)
		}
	}
	exec("CREATE TRIGGER broken BEFORE INSERT ON op BEGIN SELECT RAISE(ABORT, 'input/output error'); END")
	return func() { t.Helper(); exec("DROP TRIGGER broken") }
}

// stallStore returns a store and a channel that reports when it stalls and recovers.
func stallStore(t *testing.T) (*Store, <-chan error) {
	t.Helper()
	acked := make(chan error, 16)
	s := must[*Store](t)(Open(context.Background(), Options{Dir: filepath.Join(t.TempDir(), "store"),
		Stalled: func(err error) { acked <- err }}))
	t.Cleanup(func() { s.Close() })
	baseline(t, s, map[string]string{"a": "v0\n"})
	return s, acked
}

// TestWhatHasAReceiptIsKept: edits that build on one another and cannot be written are
// held, new ones are refused, and the held ones are written in order once that is possible.
func TestWhatHasAReceiptIsKept(t *testing.T) {
	s, acked := stallStore(t)
	ctx := context.Background()
	session := must[SessionID](t)(s.StartSession(ctx, "x"))
	turn := must[TurnID](t)(s.StartTurn(ctx, Turn{Session: session, Request: "x"}))
	mend := broken(t, s)
	var receipts []Receipt
	for n := range 3 { // the first of them fails while the others are being queued, or with them
		r, err := s.Append(ctx, Op{Author: User, Turn: turn, Edits: []NewEdit{versionEdit(n)}})
		if err != nil {
			break
		}
		receipts = append(receipts, r)
	}
	why := <-acked
	if why == nil || !errors.Is(s.Stalled(), why) {
		t.Fatal(why, s.Stalled())
	}
	if err := receipts[0].Wait(ctx); !errors.Is(err, why) {
		t.Fatal("a receipt of what is held:", err)
	}
	if _, err := s.Append(ctx, Op{Author: User, Edits: []NewEdit{versionEdit(len(receipts))}}); !errors.Is(err, why) {
		t.Fatal("an edit on top of what is held:", err)
	}
	if _, err := s.Intend(ctx, []IntentWrite{{Path: "a", Op: "update"}}); !errors.Is(err, why) {
		t.Fatal("an intent:", err)
	}
	want(t, at(t, s, Newest, "a"), "v0\n") // what is durable can be read
	if err := s.EndTurn(ctx, turn, "failed", "m", nil); !errors.Is(err, why) {
		t.Fatal(err)
	}
	mend()
	if err := <-acked; err != nil {
		t.Fatal(err)
	}
	if err := s.Flush(ctx); err != nil {
		t.Fatal(err)
	}
	for _, r := range receipts {
		if err := r.Wait(ctx); err != nil {
			t.Fatal(err)
		}
	}
	n := len(receipts)
	want(t, at(t, s, Newest, "a"), fmt.Sprintf("v%d\n", n))
	do(t, s, User, versionEdit(n))
	if x := must[Session](t)(s.Session(ctx, session)); x.Turns[0].Status != "failed" {
		t.Fatalf("the end of the turn is missing: %+v", x.Turns[0])
	}
	if r := must[Report](t)(s.Check(ctx, nil)); !r.OK() {
		t.Fatalf("%+v", r)
	}
}

// TestRetry: Retry tries at once, and returns the outcome. By itself the writer
// would retry only after an hour.
func TestRetry(t *testing.T) {
	s, acked := stallStore(t)
	s.w.first = time.Hour
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if err := s.Retry(ctx); err != nil {
		t.Fatal("nothing was held:", err)
	}
	mend := broken(t, s)
	r := must[Receipt](t)(s.Append(ctx, Op{Author: User, Edits: []NewEdit{versionEdit(0)}}))
	why := <-acked
	for range 5 {
		if err := s.Retry(ctx); !errors.Is(err, why) {
			t.Fatal(err)
		}
	}
	mend()
	if err := s.Retry(ctx); err != nil || s.Stalled() != nil {
		t.Fatal(err, s.Stalled())
	}
	if err := r.Wait(ctx); err != nil {
		t.Fatal(err)
	}
	want(t, at(t, s, Newest, "a"), "v1\n")
}

// TestWhatIsWaitedForHasNotHappened: an operation that its caller waits for is given up
// when it cannot be written, and the head is as before.
func TestWhatIsWaitedForHasNotHappened(t *testing.T) {
	s, _ := stallStore(t)
	ctx := context.Background()
	mend := broken(t, s)
	r := must[Receipt](t)(s.Append(ctx,
		Op{Author: User, OrNot: true, Edits: []NewEdit{versionEdit(0), {Path: "new", Kind: Create, Content: []byte("n")}}}))
	if err := r.Wait(ctx); err == nil {
		t.Fatal("it was written")
	}
	if err := s.Stalled(); err != nil {
		t.Fatal("nothing is held, and yet:", err)
	}
	mend()
	if id := do(t, s, User, versionEdit(0)); id <= r.IDs()[0] {
		t.Fatalf("the ID %d was used again", id)
	}
	do(t, s, User, NewEdit{Path: "new", Kind: Create, Content: []byte("n")})
	want(t, at(t, s, Newest, "a"), "v1\n")
}

// TestCloseGivesWhatIsHeldUp: a store that cannot write closes, and reports the lost
// operations.
func TestCloseGivesWhatIsHeldUp(t *testing.T) {
	s, acked := stallStore(t)
	mend := broken(t, s)
	r := must[Receipt](t)(s.Append(context.Background(), Op{Author: User, Edits: []NewEdit{versionEdit(0)}}))
	<-acked
	if err := s.Close(); err == nil {
		t.Fatal("it closed as if everything had been written")
	}
	if err := r.Wait(context.Background()); err == nil {
		t.Fatal("the receipt says that it was written")
	}
	mend()
}

// TestWhatIsWaitedForBehindADoubt: while nobody knows whether a group is in the database,
// jobs queued behind it that a caller waits for are given up, too, and are not written
// later.
func TestWhatIsWaitedForBehindADoubt(t *testing.T) {
	s, acked := stallStore(t)
	ctx := context.Background()
	why := errors.New("input/output error")
	var edit, alone *promise
	ran := false
	err := s.solo(ctx, func(w *writer) error {
		s.mu.Lock()
		row := opRow{id: s.next.op, kind: opLoss, branch: 1, note: "x"}
		s.next.op++
		s.mu.Unlock()
		batch := []*job{{run: func(g *group) error { return g.writeOp(row, nil, nil) }, done: newPromise()}}
		g, err := w.attempt(batch)
		if err != nil {
			return err
		}
		s.mu.Lock()
		edit = s.enqueueJob(&job{orNot: true, run: func(*group) error { ran = true; return nil }})
		alone = s.enqueueJob(&job{solo: func(*writer) error { ran = true; return nil }})
		s.mu.Unlock()
		w.doubt = &doubt{g, batch, why}
		w.stall(batch, why)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := <-acked; !errors.Is(err, why) {
		t.Fatal(err)
	}
	if err := <-acked; err != nil {
		t.Fatal(err)
	}
	for _, p := range []*promise{edit, alone} {
		if err := p.wait(ctx); !errors.Is(err, why) {
			t.Error("it is answered with:", err)
		}
	}
	if ran {
		t.Error("it happened after all")
	}
	if r := must[Report](t)(s.Check(ctx, nil)); !r.OK() {
		t.Fatalf("%+v", r)
	}
}

// TestFlushIsNotAboutWhatWasGivenUp: the callers of jobs that were given up got the error.
// Everything else is durable, even if nothing comes after it.
func TestFlushIsNotAboutWhatWasGivenUp(t *testing.T) {
	s, acked := stallStore(t)
	ctx := context.Background()
	mend := broken(t, s)
	r := must[Receipt](t)(s.Append(ctx, Op{Author: User, OrNot: true, Edits: []NewEdit{versionEdit(0)}}))
	if err := r.Wait(ctx); err == nil {
		t.Fatal("it was written")
	}
	if err := s.Flush(ctx); err != nil {
		t.Error("with nothing left to be written:", err)
	}
	held := must[Receipt](t)(s.Append(ctx, Op{Author: User, Edits: []NewEdit{versionEdit(0)}}))
	why := <-acked
	if err := s.Flush(ctx); !errors.Is(err, why) {
		t.Error("while an edit is held:", err)
	}
	mend()
	<-acked
	if err := errors.Join(s.Flush(ctx), held.Wait(ctx)); err != nil {
		t.Error(err)
	}
}
