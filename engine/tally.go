package engine

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"waferpair/engine/editstream"
	"waferpair/engine/model"
)

// tally is the running result of a turn.
type tally struct {
	files   []FileCount
	failed  []failedHunk
	held    []*HeldError   // edits that need approval
	busy    []*Busy        // one for each file with hunks that were held because of another turn
	unmade  []Unmade       // those hunks
	inPlace int            // hunks that were in place already
	made    map[string]int // edits of each file
	broken  error          // an error of this program or of the system
}

func (t *tally) count(path string, added, removed int) {
	i := slices.IndexFunc(t.files, func(f FileCount) bool { return f.Path == path })
	if i < 0 {
		t.files = append(t.files, FileCount{Path: path})
		i = len(t.files) - 1
	}
	t.files[i].Added += added
	t.files[i].Removed += removed
}

// uncount takes lines of a reverted edit out of the count.
func (t *tally) uncount(path string, added, removed int) {
	t.count(path, -added, -removed)
	t.files = slices.DeleteFunc(t.files, func(f FileCount) bool { return f == FileCount{Path: path} })
}

// fail records a failure. Only the first counts.
func (t *tally) fail(err error) {
	if t.broken == nil {
		t.broken = err
	}
}

// any reports whether the turn made an edit, or could not.
func (t *tally) any() bool {
	return len(t.files)+len(t.failed)+len(t.held)+len(t.busy)+t.inPlace > 0 || t.broken != nil
}

func (t *tally) hold(path string, h *HeldError) {
	if !t.isHeld(path) {
		t.held = append(t.held, &HeldError{Paths: []string{path}, Reason: h.Reason, Next: h.Next, Scope: h.Scope})
	}
}

func (t *tally) isHeld(path string) bool { return t.heldAt(path) != nil }

// heldAt returns why edits of a file are held, or nil.
func (t *tally) heldAt(path string) *HeldError {
	i := slices.IndexFunc(t.held, func(h *HeldError) bool { return h.Paths[0] == path })
	if i < 0 {
		return nil
	}
	return t.held[i]
}

// barred reports whether the user can approve nothing of what was held.
func (t *tally) barred() bool {
	return len(t.busy) == 0 && !slices.ContainsFunc(t.held, func(h *HeldError) bool { return !h.barred() })
}

// wait records a hunk that was held because another turn is editing its file.
func (t *tally) wait(b *Busy, s span, hunk int) {
	if !slices.ContainsFunc(t.busy, func(o *Busy) bool { return o.Path == b.Path }) {
		t.busy = append(t.busy, b)
	}
	if n := len(t.unmade) - 1; n < 0 || t.unmade[n].From != s.from {
		t.unmade = append(t.unmade, Unmade{From: s.from})
	}
	last := &t.unmade[len(t.unmade)-1]
	if !slices.Contains(last.Hunks, hunk) {
		last.Hunks = append(last.Hunks, hunk)
	}
}

// ended sets the end of a stretch of the model's text and reports whether it has held
// hunks. A hunk that was cut does not count, because it cannot be made later.
func (t *tally) ended(s span, to int, cut bool) bool {
	n := len(t.unmade) - 1
	if n < 0 || t.unmade[n].From != s.from {
		return false
	}
	last := &t.unmade[n]
	if last.To = to; cut && last.Hunks[len(last.Hunks)-1] == s.hunk {
		last.Hunks = last.Hunks[:len(last.Hunks)-1]
	}
	if len(last.Hunks) == 0 {
		t.unmade = t.unmade[:n]
	}
	return true
}

// touch lists a file as changed that has not gained or lost any lines.
func (t *tally) touch(path string) { t.count(path, 0, 0) }

// edited counts an edit of a file.
func (t *tally) edited(path string) {
	if t.made == nil {
		t.made = map[string]int{}
	}
	t.made[path]++
}

// uneditedBy takes a draft out of the count.
func (t *tally) uneditedBy(d exactEdit) {
	if d.hunk > 0 {
		t.made[d.Path]--
	}
}

// forget removes what was not made of a text: hunks after the first, and those that wait from an offset on.
func (t *tally) forget(first, from int) {
	t.failed = slices.DeleteFunc(t.failed, func(f failedHunk) bool { return f.Hunk > first || f.Hunk == 0 && !f.returned })
	t.unmade = slices.DeleteFunc(t.unmade, func(u Unmade) bool { return u.From == from })
}

// tries returns how many edits of a file the turn made, or tried to make.
func (t *tally) tries(path string) int {
	n := t.made[path]
	for _, f := range t.failed {
		if f.Path == path {
			n++
		}
	}
	return n
}

// waits reports whether edits of a file wait for somebody's approval, or for another turn.
func (t *tally) waits(path string) bool {
	return t.isHeld(path) || slices.ContainsFunc(t.busy, func(b *Busy) bool { return b.Path == path })
}

// outcome returns the result of the turn. A failure takes precedence over a conflict, a
// conflict over a hold, and a hold over the ending of the model's text.
func (t *tally) outcome(end ending, name string, edits []int64, timing Timing) Outcome {
	o := Outcome{Status: end.status, Model: name, Files: t.files, Edits: edits, Timing: timing, Unmade: t.unmade}
	var refusal *model.Refusal
	var held *HeldError
	var busy *Busy
	var coded interface{ Code() model.Code }
	switch {
	case errors.As(end.err, new(*Unfinished)):
		o.Code = ContinueCode
	case errors.As(end.err, &coded):
		o.Code = coded.Code()
	}
	switch {
	case t.broken != nil:
		o.Status, o.Message = Failed, t.broken.Error()
	case end.status == Failed:
		o.Message = end.err.Error()
	case end.status == Stopped:
		o.Message = "stopped; the edits made until then are kept and can be reverted"
	case len(t.failed) > 0:
		o.Status, o.Message = t.failedStatus(), t.failures()
	case len(t.held)+len(t.busy) > 0:
		if len(t.held) == 0 {
			o.Code = BusyCode
		}
		o.Status, o.Message = Held, t.holds()
		if t.barred() {
			o.Status = Declined
		}
		o.Outside = outside(t.held...)
	case errors.As(end.err, &refusal):
		o.Refusal, o.Code, o.Message = offered(refusal), refusal.Code, refusal.Error()
	case errors.As(end.err, &busy):
		o.Message, o.Code = busy.Error(), BusyCode
	case errors.As(end.err, &held):
		o.Message, o.Outside = held.Error(), outside(held)
	case end.err != nil:
		o.Message = end.err.Error()
	default:
		o.Message = Summary(t.files)
	}
	return o
}

// failedStatus returns Conflict when every failed hunk lacked a certain place, and Failed
// when one was refused or malformed.
func (t *tally) failedStatus() Status {
	for _, f := range t.failed {
		if !IsConflict(editstream.Reason(f.Reason)) {
			return Failed
		}
	}
	return Conflict
}

// Reasons for which the engine does not apply a hunk that has a place.
const (
	Overlap  editstream.Reason = "overlap"  // it met somebody else's change
	BusyFile editstream.Reason = "busy"     // another turn is editing the file: the hunk is held
	Reverted editstream.Reason = "reverted" // it was made, and what it led to was wrong
)

// IsConflict reports whether the content of a file kept a hunk from being applied.
func IsConflict(r editstream.Reason) bool {
	return r == Overlap || r == editstream.Missing || r == editstream.Ambiguous || r == editstream.Contradicted
}

func (t *tally) holds() string {
	var all []string
	out := HeldError{Scope: true} // one line for all files outside the scope, which is the same for the whole turn
	for _, h := range t.held {
		if h.Scope {
			out.Paths, out.Reason = append(out.Paths, h.Paths...), h.Reason
			continue
		}
		all = append(all, h.Error())
	}
	if len(out.Paths) > 0 {
		all = append(all, out.Error())
	}
	for _, b := range t.busy {
		all = append(all, b.Error())
	}
	return strings.Join(all, "\n")
}

// outside returns the paths that a wider scope would allow.
func outside(held ...*HeldError) []string {
	var out []string
	for _, h := range held {
		if h.Scope {
			out = append(out, h.Paths...)
		}
	}
	return out
}

func (t *tally) failures() string {
	msg := t.failed[0].Message
	if !strings.Contains(msg, t.failed[0].Path) {
		msg = t.failed[0].Path + ": " + msg
	}
	if n := len(t.failed) - 1; n > 0 {
		msg += fmt.Sprintf(" (and %d more)", n)
	}
	return msg
}

// Summary returns a sentence about how much changed.
func Summary(files []FileCount) string {
	if len(files) == 0 {
		return "no changes"
	}
	added, removed := 0, 0
	for _, f := range files {
		added += f.Added
		removed += f.Removed
	}
	return fmt.Sprintf("%d %s changed, %d added, %d removed", len(files),
		plural(len(files), "file", "files"), added, removed)
}

func plural(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}
