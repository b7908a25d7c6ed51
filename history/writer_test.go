package history

import (
	"context"
	"errors"
	"testing"
)

// TestBrokenConnectionIsReopened: after an error nobody knows what was committed;
// the writer opens the database again and carries on.
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

// TestCommitThatLandedIsNotRepeated: a commit that reported failure but is in the
// database counts as done, once a checkpoint has made sure of it.
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

// TestFailedGroupTakesTheQueueWithIt: what was queued behind a group that cannot be
// written builds on it, and fails too; afterwards the head is what is on disk.
func TestFailedGroupTakesTheQueueWithIt(t *testing.T) {
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
	if err := r.Wait(ctx); err == nil { // it came after the failure: then it must be there
		want(t, at(t, s, Newest, "a"), "v2\n")
		return
	}
	want(t, at(t, s, Newest, "a"), "v1\n")
	if id := do(t, s, User, versionEdit(1)); id <= r.IDs()[0] {
		t.Fatalf("the ID %d was used again", id)
	}
	want(t, at(t, s, Newest, "a"), "v2\n")
}
