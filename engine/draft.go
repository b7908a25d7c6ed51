package engine

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"waferpair/engine/editstream"
)

// The templates of some models begin the answer with <think>, which the server keeps: their answers begin with
// thought, and its end is the first that says so. Edits in a thought are drafts, and have been made by then.
//
//	draft, draft, </think>   each draft is reverted in the history, as the user would
//	the answer               is read anew, by the files as they were before
//
// The receipt says it, so that the driver can expect it of the model's next answer.

// draftWords is why edits are reverted that stood in a thought.
const draftWords = "a draft: the model wrote it while it was thinking, before </think>"

// takeBackDrafts reverts the edits of the open text so far.
func (r *runner) takeBackDrafts(ctx context.Context) {
	r.open.receipt.Thought = true
	drafts := r.drafts
	r.drafts, r.open.receipt.Hunks = nil, nil
	r.tally.forget(r.text.first, r.text.from)
	if len(drafts) > 0 {
		r.revertDrafts(ctx, drafts)
	}
	r.repeats = editstream.Repeats{}
	r.newPlacer()
}

func (r *runner) revertDrafts(ctx context.Context, drafts []exactEdit) {
	var made []Made
	var paths []string
	for _, d := range drafts {
		if made = append(made, d.Made); !slices.Contains(paths, d.Path) {
			paths = append(paths, d.Path)
		}
	}
	which := fmt.Sprintf("%d %s of %s", len(drafts), plural(len(drafts), "edit", "edits"), strings.Join(paths, ", "))
	if err := r.project.Revert(ctx, r.req.Turn, made, draftWords); err != nil {
		r.emit(
			Note{fmt.Sprintf("%s before </think> were drafts, and could not be taken back: %v; look at them in the review, "+
				"and revert them there", which, err)})
		return
	}
	for _, d := range drafts {
		r.tally.uncount(d.Path, d.Added, d.Removed)
		r.tally.uneditedBy(d)
		if d.hunk > 0 {
			r.emit(HunkFailed{Hunk: d.hunk, Path: d.Path, Reason: string(Reverted), Message: draftWords})
		}
	}
	r.emit(Note{"the model thinks before it answers, and its server does not say so: " + which + " from the thought " +
		plural(len(drafts), "was a draft and is", "were drafts and are") + " taken back"})
}
