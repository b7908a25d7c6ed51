package history

import (
	"context"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// comparePages checks that the columns read in parts equal the columns.
func (m *machine) comparePages(t *rapid.T) {
	ctx := context.Background()
	all, err := m.s.Columns(ctx)
	if err != nil {
		t.Fatal(err)
	}
	size := rapid.IntRange(1, 8).Draw(t, "page")
	var got string
	var undone []EditID
	for before := EditID(0); ; {
		c, earlier, err := m.s.Page(ctx, Page{Before: before, Limit: size})
		if err != nil {
			t.Fatal(err)
		}
		got, undone = c.String()+got, append(undone, c.Undone...)
		if before = earlier + 1; earlier == 0 {
			break
		}
	}
	slices.Sort(undone)
	if want := all.String(); got != want || !slices.Equal(undone, all.Undone) {
		t.Fatalf("in parts of %d, undone %v:\n%swant, undone %v:\n%s", size, undone, got, all.Undone, want)
	}
	if n := len(all.IDs); n > 0 {
		at := rapid.IntRange(0, n-1).Draw(t, "after")
		c, earlier, err := m.s.Page(ctx, Page{After: all.IDs[at]})
		if err != nil || earlier != 0 || !strings.HasSuffix(got, c.String()) || len(c.IDs) != n-1-at {
			t.Fatalf("after %d: %v %d (%v)", all.IDs[at], c.IDs, earlier, err)
		}
	}
}

// TestAPageShowsWhatWasRevertedLongAfter: even if the revert is on no part of the page, or
// was itself reverted, or was made by a recovery.
func TestAPageShowsWhatWasRevertedLongAfter(t *testing.T) {
	s, ctx := newStore(t), context.Background()
	baseline(t, s, map[string]string{"a": "one\ntwo\n"})
	first := do(t, s, Model, replace(t, s, "a", "one", "1"))
	second := do(t, s, Model, replace(t, s, "a", "two", "2"))
	undone := func() []EditID {
		c, _, err := s.Page(ctx, Page{Before: second + 1, Limit: 2})
		if err != nil || len(c.IDs) != 2 {
			t.Fatal(c.IDs, err)
		}
		all := must[[]EditID](t)(s.Undone(ctx))
		if !slices.Equal(all, must[Columns](t)(s.Columns(ctx)).Undone) {
			t.Errorf("undone in all: %v", all)
		}
		return c.Undone
	}
	back := carryOut(t, s, must[Plan](t)(s.PlanRevert(ctx, []EditID{first})))
	if got := undone(); !slices.Equal(got, []EditID{first}) {
		t.Errorf("taken back: %v", got)
	}
	carryOut(t, s, must[Plan](t)(s.PlanRevert(ctx, back)))
	if got := undone(); len(got) != 0 {
		t.Errorf("not any more: %v", got)
	}
	r := must[Receipt](t)(s.Append(ctx, Op{Author: Revert,
		Edits: []NewEdit{func() NewEdit { e := replace(t, s, "a", "1", "one"); e.Reverts = []EditID{first}; return e }()}}))
	if got := undone(); !slices.Equal(got, []EditID{first}) || len(r.IDs()) != 1 {
		t.Errorf("once more: %v", got)
	}
	if _, err := s.Append(ctx, Op{Author: Recovery, Note: "taken back: the files could not be written",
		Edits: []NewEdit{replace(t, s, "a", "one", "1")}}); err != nil {
		t.Fatal(err)
	}
	if got := undone(); len(got) != 0 {
		t.Errorf("the file could not be written: %v", got)
	}
}

// TestEditsOfTurns: for arbitrary turns, including one that is running.
func TestEditsOfTurns(t *testing.T) {
	s, ctx := newStore(t), context.Background()
	baseline(t, s, map[string]string{"a": "0\n"})
	session := must[SessionID](t)(s.StartSession(ctx, "s"))
	var turns []TurnID
	made := map[TurnID][]EditID{}
	for i := range 9 {
		turn := must[TurnID](t)(s.StartTurn(ctx, Turn{Session: session, Request: "r", Model: "m"}))
		turns = append(turns, turn)
		for range i % 3 {
			now := at(t, s, Newest, "a")
			r := must[Receipt](t)(s.Append(ctx,
				Op{Author: Model, Turn: turn, Edits: []NewEdit{replace(t, s, "a", now, now+"x")}}))
			made[turn] = append(made[turn], r.IDs()...)
		}
		now := at(t, s, Newest, "a")
		do(t, s, User, replace(t, s, "a", now, now+"u"))
		if i < 8 {
			if err := s.EndTurn(ctx, turn, "completed", "", nil); err != nil {
				t.Fatal(err)
			}
		}
	}
	for from := range turns {
		for to := from; to < len(turns); to++ {
			c := must[Columns](t)(s.OfTurns(ctx, turns[from:to+1]))
			got := map[TurnID][]EditID{}
			for i, turn := range c.Turns {
				got[turn] = append(got[turn], c.IDs[i])
			}
			for _, turn := range turns[from : to+1] {
				if !slices.Equal(got[turn], made[turn]) {
					t.Errorf("turns %d to %d: turn %d has %v, want %v", from, to, turn, got[turn], made[turn])
				}
			}
		}
	}
	if c, err := s.OfTurns(ctx, nil); err != nil || len(c.IDs) != 0 {
		t.Errorf("of no turns: %v (%v)", c.IDs, err)
	}
}
