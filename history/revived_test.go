package history

import (
	"context"
	"errors"
	"io/fs"
	"strings"
	"testing"
)

// TestRevertOfWhatCameBack: a file that was deleted and brought back is the same file,
// whoever deleted it: the edits that created and changed it can be reverted.
func TestRevertOfWhatCameBack(t *testing.T) {
	deleted := func(s *Store, _ []EditID) []EditID {
		return []EditID{do(t, s, User, NewEdit{Path: "new", Kind: Delete})}
	}
	restored := func(s *Store, _ []EditID) []EditID { return carryOut(t, s, planRestore(t, s, 0)) }
	reverted := func(s *Store, ids []EditID) []EditID { return revert(t, s, ids...) }
	for _, c := range []struct {
		name       string
		gone, back func(s *Store, ids []EditID) []EditID
	}{
		{"a restore that is taken back", restored, reverted},
		{"the user's, taken back", deleted, reverted},
		{"a revert that is taken back", reverted, reverted},
		{"a restore and one to the moment before", restored, func(s *Store, ids []EditID) []EditID {
			return carryOut(t, s, planRestore(t, s, ids[0]-1))
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newStore(t)
			made := do(t, s, Model, NewEdit{Path: "new", Kind: Create, Content: []byte("1\n2\n3\n4\n"), Mode: 0o755})
			changed := do(t, s, Model, replace(t, s, "new", "2", "two"))
			for range 2 { // the second time with an edit that was made since and reverted
				c.back(s, c.gone(s, []EditID{made, changed}))
				want(t, at(t, s, Newest, "new"), "1\ntwo\n3\n4\n")
				since := do(t, s, User, replace(t, s, "new", "4", "four"))
				without := revert(t, s, changed)
				want(t, at(t, s, Newest, "new"), "1\n2\n3\nfour\n")
				revert(t, s, append(without, since)...)
			}
			revert(t, s, made, changed)
			want(t, at(t, s, Newest, "new"), "(gone)")
		})
	}
}

// TestRevertOfWhatCameBackOtherwise: a file that came back with other content is treated as
// if edits had changed it.
func TestRevertOfWhatCameBackOtherwise(t *testing.T) {
	s := newStore(t)
	made := do(t, s, Model, NewEdit{Path: "new", Kind: Create, Content: []byte("1\n2\n3\n4\n5\n"), Mode: 0o755})
	first := do(t, s, Model, replace(t, s, "new", "1", "one"))
	mode := do(t, s, User, NewEdit{Path: "new", Kind: Mode, Mode: 0o644})
	moved := do(t, s, User, NewEdit{Path: "new", Kind: Rename, To: "newer"})
	last := do(t, s, Model, replace(t, s, "newer", "5", "five"))
	gone := do(t, s, User, NewEdit{Path: "newer", Kind: Delete})
	revert(t, s, gone, last, moved, mode)
	want(t, at(t, s, Newest, "new"), "one\n2\n3\n4\n5\n")
	refuse(t, s, "changed since", made)
	revert(t, s, first)
	want(t, at(t, s, Newest, "new"), "1\n2\n3\n4\n5\n")
	revert(t, s, made)
	want(t, at(t, s, Newest, "new"), "(gone)")
}

// TestRevertOfALinkThatCameBack: links come and go as files do, and one that came back in
// the place of a file is a change of it.
func TestRevertOfALinkThatCameBack(t *testing.T) {
	s := newStore(t)
	baseline(t, s, map[string]string{"a": "1\n"})
	link := do(t, s, Model, NewEdit{Path: "link", Kind: Symlink, Content: []byte("a"), Mode: fs.ModeSymlink | 0o777})
	revert(t, s, do(t, s, User, NewEdit{Path: "link", Kind: Delete}))
	revert(t, s, link)
	want(t, at(t, s, Newest, "link"), "(gone)")
	changed := do(t, s, Model, replace(t, s, "a", "1", "one"))
	linked := do(t, s, User, NewEdit{Path: "a", Kind: Symlink, Content: []byte("b"), Mode: fs.ModeSymlink | 0o777})
	gone := do(t, s, User, NewEdit{Path: "a", Kind: Delete})
	revert(t, s, linked, gone)
	want(t, at(t, s, Newest, "a"), "one\n")
	revert(t, s, changed)
	want(t, at(t, s, Newest, "a"), "1\n")
}

// TestRevertOfWhatCameBackPurged: if the content of the deleted file is purged, the file
// that came back counts as one with its own content.
func TestRevertOfWhatCameBackPurged(t *testing.T) {
	s := newStore(t)
	ctx := context.Background()
	ses := must[SessionID](t)(s.StartSession(ctx, "s"))
	turn := must[TurnID](t)(s.StartTurn(ctx, Turn{Session: ses, Request: "x", Model: "m"}))
	made := do(t, s, User, NewEdit{Path: "new", Kind: Create, Content: []byte("1\n2\n3\n4\n")})
	first := do(t, s, User, replace(t, s, "new", "1", "one"))
	purged := must[Receipt](t)(s.Append(ctx,
		Op{Author: Model, Turn: turn, Edits: []NewEdit{replace(t, s, "new", "4", "four")}})).IDs()[0]
	revert(t, s, do(t, s, User, NewEdit{Path: "new", Kind: Delete}))
	must[PurgeReport](t)(s.Purge(ctx, PurgeRequest{Session: ses}))
	want(t, at(t, s, Newest, "new"), "one\n2\n3\nfour\n")
	refuse(t, s, "changed since", made)
	if _, err := s.PlanRevert(ctx, []EditID{purged}); !errors.Is(err, ErrPurged) {
		t.Fatal(err)
	}
	revert(t, s, first)
	want(t, at(t, s, Newest, "new"), "1\n2\n3\nfour\n")
}

// TestRevertOfWhatIsAnotherFile: a file that somebody created again is not the deleted one,
// even with the same content.
func TestRevertOfWhatIsAnotherFile(t *testing.T) {
	s := newStore(t)
	content := NewEdit{Path: "new", Kind: Create, Content: []byte("1\n")}
	made := do(t, s, Model, content)
	gone := do(t, s, User, NewEdit{Path: "new", Kind: Delete})
	do(t, s, User, content)
	refuse(t, s, "deleted already", made)
	refuse(t, s, "another one now", gone)
}

func revert(t testing.TB, s *Store, ids ...EditID) []EditID {
	t.Helper()
	return carryOut(t, s, must[Plan](t)(s.PlanRevert(context.Background(), ids)))
}

func planRestore(t testing.TB, s *Store, id EditID) Plan {
	t.Helper()
	return must[Plan](t)(s.PlanRestore(context.Background(), id))
}

// refuse checks that a revert ends in a conflict with words of its reason.
func refuse(t testing.TB, s *Store, reason string, ids ...EditID) {
	t.Helper()
	_, err := s.PlanRevert(context.Background(), ids)
	var c *Conflict
	if !errors.As(err, &c) || !strings.Contains(err.Error(), reason) {
		t.Fatalf("revert %v: %v, want a conflict: %s", ids, err, reason)
	}
}
