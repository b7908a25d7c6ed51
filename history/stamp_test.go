package history

import (
	"context"
	"fmt"
	"path/filepath"
	"runtime"
	"testing"

	"waferpair/workspace/text"
)

// cachedAnswers returns the answers that a store keeps as long as its stamp allows it.
func cachedAnswers(t *testing.T, s *Store) string {
	t.Helper()
	ctx := t.Context()
	c, open := must[Columns](t)(s.Columns(ctx)), must[[]Edit](t)(s.Unreviewed(ctx))
	out := fmt.Sprintln("columns", c.IDs, c.Flags, c.Undone, "\nwaiting for review")
	for _, e := range open {
		out += fmt.Sprintln(e.ID, e.Path)
	}
	for _, path := range []string{"a", "b"} {
		runs, err := s.Blame(ctx, path, text.OfString("B\nv5\n"))
		out += fmt.Sprintln("blame", path, runs, err)
	}
	return out
}

// TestStampChangesWithTheHistory: whatever is recorded, reviewed, forked and purged, each
// store has another stamp, and answers like one that was just opened. So has a store that
// only reads what another one writes.
func TestStampChangesWithTheHistory(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "store")
	s, ctx := openStore(t, dir), t.Context()
	baseline(t, s, map[string]string{"a": "v0\n", "b": "b\n"})
	for i := range 5 {
		do(t, s, Model, versionEdit(i))
	}
	first := do(t, s, Model, replace(t, s, "b", "b", "B"))
	reader := openStore(t, dir)
	accept := func(yes bool, ids ...EditID) func() {
		return func() {
			if err := s.SetReviewed(ctx, ids, yes); err != nil {
				t.Fatal(err)
			}
		}
	}
	enter := func(branch string) {
		if err := s.SetBranch(ctx, branch); err != nil {
			t.Fatal(err)
		}
	}
	for _, x := range []struct {
		what string
		do   func()
		read bool // it matters to the store that only reads, which stays on its branch
	}{
		{"an edit", func() { do(t, s, User, versionEdit(5)) }, true},
		{"accepted", accept(true, 1, 4), true},
		{"others with the same sum", func() { accept(false, 1, 4)(); accept(true, 2, 3)() }, true},
		{"not accepted", accept(false, 2), true},
		{"a purge", func() { must[PurgeReport](t)(s.Purge(ctx, PurgeRequest{Path: "b"})) }, true},
		{"a fork", func() { must[Branch](t)(s.Fork(ctx, "other", first)); enter("other") }, false},
		{"an edit of the fork", func() { do(t, s, Model, replace(t, s, "a", "v5", "v6")) }, false},
		{"back", func() { enter("main") }, false},
	} {
		cachedAnswers(t, s)
		cachedAnswers(t, reader)
		was, wasRead := must[Stamp](t)(s.Stamp(ctx)), must[Stamp](t)(reader.Stamp(ctx))
		x.do()
		if must[Stamp](t)(s.Stamp(ctx)) == was || x.read && must[Stamp](t)(reader.Stamp(ctx)) == wasRead {
			t.Errorf("%s: the stamp stays", x.what)
		}
		fresh := openStore(t, dir)
		if got, want := cachedAnswers(t, s), cachedAnswers(t, fresh); got != want {
			t.Errorf("%s:\n%s\na new store:\n%s", x.what, got, want)
		}
		if got, want := cachedAnswers(t, reader), cachedAnswers(t, fresh); x.read && got != want {
			t.Errorf("%s, read only:\n%s\na new store:\n%s", x.what, got, want)
		}
		if err := fresh.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// TestStampChangesAfterAStall: answers from during a stall lack the edits that were held.
func TestStampChangesAfterAStall(t *testing.T) {
	s, notified := stallStore(t)
	ctx := t.Context()
	do(t, s, Model, versionEdit(0))
	mend := broken(t, s)
	held := must[Receipt](t)(s.Append(ctx, Op{Author: Model, Edits: []NewEdit{versionEdit(1)}}))
	if err := <-notified; err == nil {
		t.Fatal("it was written")
	}
	during := cachedAnswers(t, s)
	mend()
	if err := <-notified; err != nil {
		t.Fatal(err)
	}
	if err := held.Wait(ctx); err != nil {
		t.Fatal(err)
	}
	if got, want := cachedAnswers(t, s), cachedAnswers(t, openStore(t, s.opts.Dir)); got != want || got == during {
		t.Errorf("%s\na new store:\n%s", got, want)
	}
}

// TestStampChangesWhenNobodyWaitsForTheReview: what was queued is written.
func TestStampChangesWhenNobodyWaitsForTheReview(t *testing.T) {
	s := newStore(t)
	baseline(t, s, map[string]string{"a": "v0\n"})
	id := do(t, s, Model, versionEdit(0))
	cachedAnswers(t, s)
	busy, free := make(chan struct{}), make(chan struct{})
	go s.solo(context.Background(), func(*writer) error {
		close(busy)
		<-free
		return nil
	})
	<-busy
	ctx, cancel := context.WithCancel(t.Context())
	reviewed := make(chan error)
	go func() { reviewed <- s.SetReviewed(ctx, []EditID{id}, true) }()
	for len(s.w.queue) == 0 {
		runtime.Gosched()
	}
	cancel()
	if err := <-reviewed; err == nil {
		t.Error("it was not canceled")
	}
	close(free)
	if err := s.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got, want := cachedAnswers(t, s), cachedAnswers(t, openStore(t, s.opts.Dir)); got != want {
		t.Errorf("%s\na new store:\n%s", got, want)
	}
}
