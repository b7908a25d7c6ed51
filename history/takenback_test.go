package history

import (
	"context"
	"testing"

	"waferpair/workspace/text"
)

// TestTakenBack: older histories have edits that were recorded, could not be written to
// disk, and were reverted by edits that do not name them. They count as reverted all the
// same.
func TestTakenBack(t *testing.T) {
	s := openStore(t, t.TempDir())
	ctx := context.Background()
	note := "taken back: the files could not be written"
	step := func(op Op, from, to string) EditID {
		cs := text.Diff(text.OfString(from), text.OfString(to))
		op.Edits = []NewEdit{{Path: "a", Kind: Text, Before: text.OfString(from), Changes: cs}}
		r := must[Receipt](t)(s.Append(ctx, op))
		return r.IDs()[0]
	}
	must[Receipt](t)(s.Append(ctx,
		Op{Author: User, Edits: []NewEdit{{Path: "a", Kind: Create, Content: []byte("one\n")}}}))
	failed := step(Op{Author: Model}, "one\n", "two\n")
	step(Op{Author: Recovery, Note: note}, "two\n", "one\n")
	tracked := step(Op{Author: Model}, "one\n", "three\n")
	revert := step(Op{Author: Revert, Reverts: []EditID{tracked}}, "three\n", "one\n")
	step(Op{Author: Recovery, Note: note}, "one\n", "three\n")

	waits := must[[]Edit](t)(s.Unreviewed(ctx))
	if len(waits) != 1 || waits[0].ID != tracked {
		t.Errorf("%d failed and waits for review: %+v", failed, waits)
	}
	if plan, err := s.PlanRevert(ctx, []EditID{tracked}); err != nil || len(plan.Files) != 1 {
		t.Errorf("the revert %d was never written, and keeps edit %d from being reverted: %+v %v", revert, tracked, plan, err)
	}
	if e := must[[]Edit](t)(s.List(ctx, Filter{})); e[3].RevertedBy != 0 || e[4].RevertedBy == 0 {
		t.Errorf("%+v", e)
	}
}
