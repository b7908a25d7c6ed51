package history

import (
	"context"
	"testing"

	"waferpair/workspace/text"
)

// TestDraftsFollowTheEdit: an operation replaces the drafts that it names, in its own
// commit; a draft without changes is removed, others stay.
func TestDraftsFollowTheEdit(t *testing.T) {
	ctx := context.Background()
	s := openStore(t, t.TempDir())
	baseline(t, s, map[string]string{"a": "1\n"})
	before := text.OfString("1\n")
	insert := func(at text.Byte, now text.Text, word string) text.ChangeSet {
		return must[text.ChangeSet](t)(text.NewChangeSet(now.Len(), text.Change{From: at, To: at, Insert: word}))
	}
	cs := insert(2, before, "2\n")
	after := must[text.Text](t)(cs.Apply(before))
	typed := Draft{Path: "a", Author: User, Base: before, Changes: insert(0, before, "x")}
	other := Draft{Path: "b", Author: User, Base: before, Changes: insert(0, before, "y")}
	if err := s.PutDraft(ctx, typed, other); err != nil {
		t.Fatal(err)
	}
	typed.Base, typed.Changes = after, insert(0, after, "xx")
	op := Op{Author: Model, Edits: []NewEdit{{Path: "a", Kind: Text, Before: before, Changes: cs}}, Drafts: []Draft{typed}}
	if _, err := s.Append(ctx, op); err != nil {
		t.Fatal(err)
	}
	drafts := must[[]Draft](t)(s.Drafts(ctx))
	if len(drafts) != 2 || drafts[0].Path != "a" && drafts[1].Path != "a" {
		t.Fatalf("%+v", drafts)
	}
	for _, d := range drafts {
		if d.Path == "a" && d.Before != HashText(after) {
			t.Errorf("the draft is about %v", d.Before)
		}
	}
	if err := s.PutDraft(ctx, Draft{Path: "a", Author: User}); err != nil {
		t.Fatal(err)
	}
	if d := must[[]Draft](t)(s.Drafts(ctx)); len(d) != 1 || d[0].Path != "b" {
		t.Errorf("%+v", d)
	}
}
