package engine

import (
	"fmt"
	"strings"
)

// writtenAgain returns the ending; a turn that goes on with an answer is not complete before the edits
// are written again in which that one broke off.
func (r *runner) writtenAgain(end ending) ending {
	b := r.req.Broken
	if b == nil || end.status != Completed {
		return end
	}
	for _, lost := range b.Lost {
		if n := r.missing(lost); n > 0 {
			return ending{Failed, &Unfinished{fmt.Errorf("%s of %s in which the last answer broke off %s not written again: "+
				"not in the file", edits(n, lost.Hunks), lost.Path, plural(n, "was", "were"))}}
		}
	}
	if b.Begun && !r.tally.any() {
		return ending{Failed, &Unfinished{fmt.Errorf("the last answer broke off where an edit begins, " +
			"and that edit was not written")}}
	}
	return end
}

// missing returns how many of a file's edits that were taken back the turn did not write again. A model
// may write several as one: then their lines are in its answer.
func (r *runner) missing(lost Lost) int {
	tries := r.tally.tries(lost.Path)
	n := lost.Hunks - tries
	switch {
	case n <= 0, r.tally.waits(lost.Path), tries > 0 && len(lost.Lines) > 0 && r.wrote(lost.Lines):
		return 0
	}
	return n
}

// wrote reports whether the turn's texts have all of some lines, whatever stands before them: a patch has a
// mark there.
func (r *runner) wrote(lines []string) bool {
	said := string(r.partial)
	for _, l := range lines {
		if !strings.Contains(said, strings.TrimSpace(l)) {
			return false
		}
	}
	return true
}

// edits names n of some edits.
func edits(n, of int) string {
	switch {
	case of == 1:
		return "the edit"
	case n == of:
		return fmt.Sprintf("the %d edits", n)
	}
	return fmt.Sprintf("%d of the %d edits", n, of)
}
