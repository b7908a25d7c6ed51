package history

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"waferpair/workspace/text"
)

// reviewString shows the hunks as edits:text-removed.
func reviewString(t testing.TB, s *Store, path, now string) string {
	t.Helper()
	var b strings.Builder
	for _, h := range must[[]ReviewHunk](t)(s.Review(context.Background(), path, text.OfString(now))) {
		fmt.Fprintf(&b, "%s:%q", strings.Trim(fmt.Sprint(h.Edits), "[]"), now[h.From:h.To])
		if h.Removed != "" {
			fmt.Fprintf(&b, "-%q", h.Removed)
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
	want(t, reviewString(t, s, "a", now), `1:""-"two"; 2:""-"four\n"`)
	accept(t, s, true, e1)
	want(t, reviewString(t, s, "a", now), `2:""-"four\n"`)
	accept(t, s, false, e1)
	want(t, reviewString(t, s, "a", now), `1:""-"two"; 2:""-"four\n"`)
	back := carryOut(t, s, must[Plan](t)(s.PlanRevert(context.Background(), []EditID{e2})))
	now += "four\n"
	want(t, reviewString(t, s, "a", now), `1:""-"two"`)
	carryOut(t, s, must[Plan](t)(s.PlanRevert(context.Background(), back)))
	now = "zero\none\nthree\n"
	want(t, reviewString(t, s, "a", now), `1:""-"two"; 2:""-"four\n"`)
}

func TestReviewKnowsFilesThatWereMadeMovedAndDeleted(t *testing.T) {
	s := newStore(t)
	ctx := context.Background()
	baseline(t, s, map[string]string{"old": "old\n"})
	do(t, s, Model, NewEdit{Path: "new", Kind: Create, Content: []byte("made\n")})
	do(t, s, Model, NewEdit{Path: "new", Kind: Rename, To: "moved"})
	do(t, s, User, replace(t, s, "moved", "made", "MADE"))
	do(t, s, Model, NewEdit{Path: "old", Kind: Delete})
	want(t, reviewString(t, s, "moved", "MADE\n"), `1 2:"\n"`)
	want(t, reviewString(t, s, "old", ""), `4:""-"old\n"`)
	want(t, reviewString(t, s, "new", ""), "")
	var all []string
	for _, h := range must[[]ReviewHunk](t)(s.ReviewAll(ctx)) {
		all = append(all, fmt.Sprintf("%v %s %s %s", h.Edits, h.Kind, h.Path, h.Was))
	}
	want(t, strings.Join(all, ", "), "[1 2] create moved , [4] delete old ")
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

// TestUnreviewedIsWhatAFreshLookFinds compares the index in memory with a scan of the whole
// history, after random edits, reverts and reviews.
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
			cs, err := text.NewChangeSet(text.Byte(len(body)), text.Change{From: text.Byte(len(body)), To: text.Byte(len(body)),
				Insert: next[len(body):]})
			if err != nil {
				t.Fatal(err)
			}
			r, err := s.Append(ctx,
				Op{Author: author, Edits: []NewEdit{{Path: "a", Kind: Text, Before: text.OfString(body), Changes: cs}}})
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
				r, err := s.Append(ctx, Op{Author: Revert, Edits: toAppend(plan)})
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

func restored(t testing.TB, s *Store, id EditID) {
	t.Helper()
	carryOut(t, s, must[Plan](t)(s.PlanRestore(context.Background(), id)))
}

func TestReviewIsTheNetChange(t *testing.T) {
	s := newStore(t)
	ctx := context.Background()
	baseline(t, s, map[string]string{"a": "one\ntwo\nthree\n"})
	do(t, s, Model, replace(t, s, "a", "two", "zwei"))
	e2 := do(t, s, Model, replace(t, s, "a", "zwei", "deux"))
	want(t, reviewString(t, s, "a", at(t, s, Newest, "a")), `1 2:"deux"-"two"`)
	do(t, s, Model, replace(t, s, "a", "deux", "two"))
	want(t, reviewString(t, s, "a", at(t, s, Newest, "a")), "")
	restored(t, s, e2)
	want(t, reviewString(t, s, "a", at(t, s, Newest, "a")), `1 2:"deux"-"two"`)
	do(t, s, User, replace(t, s, "a", "one", "ONE"))
	do(t, s, Model, replace(t, s, "a", "three", "3"))
	want(t, reviewString(t, s, "a", at(t, s, Newest, "a")), `1 2:"deux"-"two"; 6:"3"-"three"`)
	restored(t, s, 0)
	want(t, reviewString(t, s, "a", "one\ntwo\nthree\n"), "")
	if all := must[[]ReviewHunk](t)(s.ReviewAll(ctx)); len(all) != 0 {
		t.Fatalf("undone by a restore, and still to be reviewed: %+v", all)
	}
	restored(t, s, 6) // forward again
	want(t, reviewString(t, s, "a", at(t, s, Newest, "a")), `1 2:"deux"-"two"; 6:"3"-"three"`)
	want(t, string(must[Version](t)(s.AcceptedBase(ctx, "a")).Bytes), "ONE\ntwo\nthree\n")
	accept(t, s, true, 1)
	want(t, reviewString(t, s, "a", at(t, s, Newest, "a")), `2:"deux"-"zwei"; 6:"3"-"three"`)
	accept(t, s, false, 1)
	accept(t, s, true, 2)
	want(t, reviewString(t, s, "a", at(t, s, Newest, "a")), `1:"deux"-"two"; 6:"3"-"three"`)
}

func TestReviewDoesNotTakeTheUsersTypingForTheModels(t *testing.T) {
	s := newStore(t)
	baseline(t, s, map[string]string{"a": "x\n"})
	do(t, s, User, replace(t, s, "a", "x\n", "x\ny\n"))
	do(t, s, Model, replace(t, s, "a", "x\ny\n", "x\n")) // what the user typed is gone again
	want(t, reviewString(t, s, "a", "x\n"), `2:""-"y\n"`)
	do(t, s, Outside, replace(t, s, "a", "x\n", "x\nz\n"))
	want(t, reviewString(t, s, "a", "x\nz\n"), `2:""-"y\n"`)
	do(t, s, User, replace(t, s, "a", "x\nz\n", "x\ny\n"))
	want(t, reviewString(t, s, "a", "x\ny\n"), "")
}

func TestReviewOfWholeFilesIsTheNetChange(t *testing.T) {
	s := newStore(t)
	ctx := context.Background()
	baseline(t, s, map[string]string{"a": "one\n", "b": "b\n", "m": "m\n"})
	list := func() string {
		var out []string
		for _, h := range must[[]ReviewHunk](t)(s.ReviewAll(ctx)) {
			out = append(out, fmt.Sprintf("%v %s %s%s %q", h.Edits, h.Kind, h.Was, h.Path, h.Removed))
		}
		return strings.Join(out, ", ")
	}
	do(t, s, Model, NewEdit{Path: "n", Kind: Create, Content: []byte("new\n")})
	want(t, list(), `[1] create n ""`)
	do(t, s, Model, NewEdit{Path: "n", Kind: Delete})
	want(t, list(), "")
	do(t, s, Model, NewEdit{Path: "a", Kind: Rename, To: "c"})
	want(t, list(), `[3] rename ac ""`)
	do(t, s, Model, NewEdit{Path: "c", Kind: Rename, To: "a"})
	want(t, list(), "")
	do(t, s, Model, NewEdit{Path: "b", Kind: Delete})
	want(t, list(), `[5] delete b "b\n"`)
	do(t, s, Model, NewEdit{Path: "b", Kind: Create, Content: []byte("b\n")})
	want(t, list(), "")
	do(t, s, Model, NewEdit{Path: "m", Kind: Rename, To: "z"}, replace(t, s, "a", "one", "1"))
	want(t, list(), `[8] text a "one", [7] rename mz ""`)
	restored(t, s, 6)
	want(t, list(), "")
	do(t, s, Model, NewEdit{Path: "e", Kind: Create})
	want(t, list(), `[12] create e ""`)
	do(t, s, User, NewEdit{Path: "e", Kind: Delete})
	want(t, list(), "")
}

// TestReviewOfRandomEdits makes edits of all authors, reverts and restores, and checks what
// a reader would expect: without the user's edits the accepted base is the first content, a
// hunk matches the file at its place, reverting all edits of a hunk gives the accepted base
// there, and accepted edits no longer wait.
func TestReviewOfRandomEdits(t *testing.T) {
	ctx := context.Background()
	const first = "alpha\nbeta\ngamma\ndelta\nepsilon\n"
	s := newStore(t)
	newest := func() EditID { return must[Stamp](t)(s.Stamp(ctx)).edit - 1 }
	files, seen := 0, map[string]int{}
	rapid.Check(t, func(rt *rapid.T) {
		files++
		path, since := fmt.Sprintf("f%d", files), newest()
		defer func() { // the next edit is alone again
			for _, e := range must[[]Edit](t)(s.Unreviewed(ctx)) {
				accept(t, s, true, e.ID)
			}
		}()
		baseline(t, s, map[string]string{path: first})
		onlyModel := rapid.Bool().Draw(rt, "only the model")
		fresh := 0
		for range rapid.IntRange(1, 10).Draw(rt, "steps") {
			body := at(t, s, Newest, path)
			last := newest()
			switch what := rapid.IntRange(0, 9).Draw(rt, "what"); {
			case what == 0:
				restored(t, s, EditID(rapid.IntRange(int(since), int(last)).Draw(rt, "moment")))
			case what == 1 && last > since:
				plan, err := s.PlanRevert(ctx, []EditID{EditID(rapid.IntRange(int(since)+1, int(last)).Draw(rt, "edit"))})
				if err == nil && len(plan.Files) > 0 {
					carryOut(t, s, plan)
					onlyModel = false // it may have been merged
				}
			default:
				lines := strings.SplitAfter(body, "\n")
				lines = lines[:len(lines)-1]
				from := rapid.IntRange(0, len(lines)).Draw(rt, "from")
				to := rapid.IntRange(from, min(len(lines), from+2)).Draw(rt, "to")
				var ins string
				for range rapid.IntRange(0, 2).Draw(rt, "lines") {
					fresh++
					ins += rapid.SampledFrom([]string{fmt.Sprintf("new %d\n", fresh), "alpha\n", "gamma\n"}).Draw(rt, "line")
				}
				next := strings.Join(lines[:from], "") + ins + strings.Join(lines[to:], "")
				if next == body {
					continue
				}
				author := Model
				if !onlyModel {
					author = rapid.SampledFrom([]Author{Model, Model, User, Outside}).Draw(rt, "author")
				}
				do(t, s, author, replace(t, s, path, body, next))
			}
		}
		now := at(t, s, Newest, path)
		hunks := must[[]ReviewHunk](t)(s.Review(ctx, path, text.OfString(now)))
		all := slices.DeleteFunc(must[[]ReviewHunk](t)(s.ReviewAll(ctx)), func(h ReviewHunk) bool { return h.Path != path })
		if fmt.Sprint(all) != fmt.Sprint(hunks) {
			rt.Fatalf("%v in all files, %v in the only one", all, hunks)
		}
		base := string(must[Version](t)(s.AcceptedBase(ctx, path)).Bytes)
		built, end := "", text.Byte(0)
		for _, h := range hunks {
			if h.From < end || now[h.From:h.To] == h.Removed {
				rt.Fatalf("%+v: not in order, or no difference", hunks)
			}
			built, end = built+now[end:h.From]+h.Removed, h.To
		}
		if built += now[end:]; built != base {
			rt.Fatalf("the places lead to %q, the accepted base is %q", built, base)
		}
		if onlyModel && base != first {
			rt.Fatalf("only the model edited, and the accepted base is %q; now %q, %+v", base, now, hunks)
		}
		if len(hunks) == 0 {
			seen["none"]++
			return
		}
		h := rapid.SampledFrom(hunks).Draw(rt, "hunk")
		if plan, err := s.PlanRevert(ctx, h.Edits); err == nil && onlyModel {
			seen["taken back"]++
			after := now
			for i := len(hunks) - 1; i >= 0; i-- {
				if g := hunks[i]; slices.Equal(g.Edits, h.Edits) {
					after = after[:g.From] + g.Removed + after[g.To:]
				}
			}
			carryOut(t, s, plan)
			if got := at(t, s, Newest, path); got != after {
				rt.Fatalf("%v taken back: %q, want %q", h.Edits, got, after)
			}
		} else {
			seen["accepted"]++
			accept(t, s, true, h.Edits...)
		}
		for _, g := range must[[]ReviewHunk](t)(s.ReviewAll(ctx)) {
			for _, id := range g.Edits {
				if slices.Contains(h.Edits, id) {
					rt.Fatalf("edit %d is settled, and waits in %+v", id, g)
				}
			}
		}
	})
	t.Log(seen)
}

// TestReviewsMayBeReadAtOnce: by a page, by the tree and by a diff.
func TestReviewsMayBeReadAtOnce(t *testing.T) {
	s := newStore(t)
	ctx := context.Background()
	baseline(t, s, map[string]string{"a": "one\ntwo\nthree\nfour\n"})
	do(t, s, Model, replace(t, s, "a", "one", "ONE"))
	do(t, s, Model, replace(t, s, "a", "three", "THREE"))
	do(t, s, Model, replace(t, s, "a", "ONE\ntwo\nTHREE", "one two three")) // meets both
	do(t, s, Model, replace(t, s, "a", "one two three", "1 2 3"))
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			if hunks, err := s.ReviewAll(ctx); err != nil || len(hunks) != 1 {
				t.Error(hunks, err)
			}
			if v, err := s.AcceptedBase(ctx, "a"); err != nil || string(v.Bytes) != "one\ntwo\nthree\nfour\n" {
				t.Errorf("%q %v", v.Bytes, err)
			}
		})
	}
	all.Wait()
}
