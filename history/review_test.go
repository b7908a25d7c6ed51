package history

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"waferpair/workspace/text"
)

func drawHunks(t *rapid.T, length text.Byte) (text.ChangeSet, []hunk) {
	var changes []text.Change
	at := text.Byte(0)
	for range rapid.IntRange(0, 4).Draw(t, "changes") {
		if at > length {
			break
		}
		from := text.Byte(rapid.IntRange(int(at), int(length)).Draw(t, "from"))
		to := text.Byte(rapid.IntRange(int(from), int(min(length, from+5))).Draw(t, "to"))
		ins := strings.Repeat("x", rapid.IntRange(0, 4).Draw(t, "insert"))
		if from == to && ins == "" {
			continue
		}
		changes = append(changes, text.Change{From: from, To: to, Insert: ins})
		at = to + 1
	}
	cs, err := text.NewChangeSet(length, changes...)
	if err != nil {
		t.Fatal(err)
	}
	return cs, changesOf(cs)
}

func TestSpotsMoveAsMappingOneByOne(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		length := text.Byte(rapid.IntRange(0, 30).Draw(t, "length"))
		var s spots
		var from, to []text.Byte
		for range rapid.IntRange(1, 6).Draw(t, "steps") {
			for range rapid.IntRange(0, 3).Draw(t, "ranges") {
				a := text.Byte(rapid.IntRange(0, int(length)).Draw(t, "a"))
				b := text.Byte(rapid.IntRange(int(a), int(length)).Draw(t, "b"))
				s.add(a, b)
				from, to = append(from, a), append(to, b)
			}
			cs, hunks := drawHunks(t, length)
			s.through(hunks)
			for i := range from {
				from[i], to[i] = cs.MapPos(from[i], 1), cs.MapPos(to[i], -1)
			}
			length = cs.NewLen()
		}
		gotFrom, gotTo := s.now()
		for i := range from {
			if gotFrom[i] != from[i] || gotTo[i] != max(from[i], to[i]) {
				t.Fatalf("range %d is at %d-%d, want %d-%d", i, gotFrom[i], gotTo[i], from[i], to[i])
			}
		}
	})
}

// reviewString shows the hunks as edit:text(removed).
func reviewString(t testing.TB, s *Store, path, now string) string {
	t.Helper()
	var b strings.Builder
	for _, h := range must[[]ReviewHunk](t)(s.Review(context.Background(), path, text.OfString(now))) {
		fmt.Fprintf(&b, "%d:%q", h.Edit, now[h.From:h.To])
		if h.Removed != "" {
			fmt.Fprintf(&b, "-%q", h.Removed)
		}
		if h.Gone {
			b.WriteString(" gone")
		}
		b.WriteString("; ")
	}
	return strings.TrimSuffix(b.String(), "; ")
}

func accept(t testing.TB, s *Store, yes bool, ids ...EditID) {
	t.Helper()
	if err := s.SetReviewed(context.Background(), ids, yes); err != nil {
		t.Fatal(err)
	}
}

func TestReviewIsAboutWhatTheModelDidAndNobodyLookedAt(t *testing.T) {
	s := newStore(t)
	baseline(t, s, map[string]string{"a": "one\ntwo\nthree\nfour\n"})
	e1 := do(t, s, Model, replace(t, s, "a", "two", "TWO"))
	e2 := do(t, s, Model, replace(t, s, "a", "four\n", ""))
	do(t, s, User, replace(t, s, "a", "one\n", "zero\none\n"))
	now := "zero\none\nTWO\nthree\n"
	want(t, reviewString(t, s, "a", now), `1:"TWO"-"two"; 2:""-"four\n"`)
	want(t, reviewString(t, s, "a", "typed "+now), `1:"TWO"-"two"; 2:""-"four\n"`)
	do(t, s, User, replace(t, s, "a", "TWO\n", ""))
	now = "zero\none\nthree\n"
	want(t, reviewString(t, s, "a", now), `1:""-"two" gone; 2:""-"four\n"`)
	accept(t, s, true, e1)
	want(t, reviewString(t, s, "a", now), `2:""-"four\n"`)
	accept(t, s, false, e1)
	want(t, reviewString(t, s, "a", now), `1:""-"two" gone; 2:""-"four\n"`)
	back := carryOut(t, s, must[Plan](t)(s.PlanRevert(context.Background(), []EditID{e2})))
	now += "four\n"
	want(t, reviewString(t, s, "a", now), `1:""-"two" gone`)
	carryOut(t, s, must[Plan](t)(s.PlanRevert(context.Background(), back)))
	now = "zero\none\nthree\n"
	want(t, reviewString(t, s, "a", now), `1:""-"two" gone; 2:""-"four\n"`)
}

func TestReviewKnowsFilesThatWereMadeMovedAndDeleted(t *testing.T) {
	s := newStore(t)
	ctx := context.Background()
	baseline(t, s, map[string]string{"old": "old\n"})
	do(t, s, Model, NewEdit{Path: "new", Kind: Create, Content: []byte("made\n")})
	do(t, s, Model, NewEdit{Path: "new", Kind: Rename, To: "moved"})
	do(t, s, User, replace(t, s, "moved", "made", "MADE"))
	do(t, s, Model, NewEdit{Path: "old", Kind: Delete})
	want(t, reviewString(t, s, "moved", "MADE\n"), `1:"MADE\n"; 2:""`)
	want(t, reviewString(t, s, "old", ""), `4:""-"old\n"`)
	want(t, reviewString(t, s, "new", ""), "")
	var all []string
	for _, h := range must[[]ReviewHunk](t)(s.ReviewAll(ctx)) {
		all = append(all, fmt.Sprintf("%d %s %s %s", h.Edit, h.Kind, h.Path, h.Was))
	}
	want(t, strings.Join(all, ", "), "1 create moved new, 2 rename moved new, 4 delete old ")
}

func TestReviewOfABranchIsItsOwn(t *testing.T) {
	s := newStore(t)
	ctx := context.Background()
	baseline(t, s, map[string]string{"a": "one\ntwo\n"})
	e1 := do(t, s, Model, replace(t, s, "a", "one", "1"))
	do(t, s, Model, replace(t, s, "a", "two", "2"))
	want(t, reviewString(t, s, "a", "1\n2\n"), `1:"1"-"one"; 2:"2"-"two"`)
	must[Branch](t)(s.Fork(ctx, "side", e1))
	if err := s.SetBranch(ctx, "side"); err != nil {
		t.Fatal(err)
	}
	want(t, reviewString(t, s, "a", "1\ntwo\n"), `1:"1"-"one"`)
	do(t, s, Model, replace(t, s, "a", "two", "zwei"))
	want(t, reviewString(t, s, "a", "1\nzwei\n"), `1:"1"-"one"; 3:"zwei"-"two"`)
}

// TestUnreviewedIsWhatAFreshLookFinds compares the index in memory with a look
// through the whole history, after random edits, reverts and answers.
func TestUnreviewedIsWhatAFreshLookFinds(t *testing.T) {
	s := newStore(t)
	ctx := context.Background()
	baseline(t, s, map[string]string{"a": "0\n"})
	body := "0\n"
	var ids []EditID
	step := func(t *rapid.T) {
		switch rapid.IntRange(0, 5).Draw(t, "what") {
		case 0, 1:
			author := rapid.SampledFrom([]Author{Model, User, Outside}).Draw(t, "author")
			next := fmt.Sprintf("%s%d\n", body, len(ids))
			cs, err := text.NewChangeSet(text.Byte(len(body)), text.Change{From: text.Byte(len(body)), To: text.Byte(len(body)), Insert: next[len(body):]})
			if err != nil {
				t.Fatal(err)
			}
			r, err := s.Append(ctx, Op{Author: author, Edits: []NewEdit{{Path: "a", Kind: Text, Before: text.OfString(body), Changes: cs}}})
			if err != nil {
				t.Fatal(err)
			}
			ids, body = append(ids, r.IDs()...), next
		case 2, 3:
			if len(ids) > 0 {
				id := rapid.SampledFrom(ids).Draw(t, "edit")
				if err := s.SetReviewed(ctx, []EditID{id}, rapid.Bool().Draw(t, "accepted")); err != nil {
					t.Fatal(err)
				}
			}
		case 4:
			if len(ids) > 0 {
				plan, err := s.PlanRevert(ctx, []EditID{rapid.SampledFrom(ids).Draw(t, "edit")})
				if err != nil || len(plan.Files) != 1 {
					return // reverted already
				}
				r, err := s.Append(ctx, Op{Author: Revert, Edits: plan.Edits()})
				if err != nil {
					t.Fatal(err)
				}
				after, err := plan.Files[0].Changes.Apply(text.OfString(body))
				if err != nil {
					t.Fatal(err)
				}
				ids, body = append(ids, r.IDs()...), after.String()
			}
		case 5:
			s.review.mu.Lock()
			s.review.loaded = false
			s.review.mu.Unlock()
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		for range 4 {
			step(t)
		}
		var got, fresh []EditID
		open, err := s.Unreviewed(ctx)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range open {
			got = append(got, e.ID)
		}
		all, err := s.List(ctx, Filter{Author: Model})
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range all {
			var n int
			if err := s.read.QueryRow("SELECT count(*) FROM reviewed WHERE edit = ?", int64(e.ID)).Scan(&n); err != nil {
				t.Fatal(err)
			}
			if n == 0 && e.RevertedBy == 0 {
				fresh = append(fresh, e.ID)
			}
		}
		if !slices.Equal(got, fresh) {
			t.Fatalf("got %v, want %v", got, fresh)
		}
	})
}
