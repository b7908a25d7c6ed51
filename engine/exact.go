package engine

import (
	"context"
	"slices"
	"strings"

	"waferpair/engine/model"
	"waferpair/workspace/text"
)

// takeEdits makes exact edits: all of them or none. The driver passes its error on to the
// model.
func (r *runner) takeEdits(ctx context.Context, of []model.FileEdit) (out Receipt, err error) {
	paths := make([]string, len(of))
	for i, e := range of {
		paths[i] = e.Path
	}
	if held := r.outOfScope(paths); held != nil {
		return out, held
	}
	if r.req.Does != "" && Effect(of) != r.req.Does {
		return out, &ChangedError{}
	}
	made, err := r.project.Apply(ctx, r.req.Turn, of)
	if err != nil {
		return out, err
	}
	r.exact = nil
	for _, m := range made {
		hunk := r.made(m)
		out.Hunks, r.exact = append(out.Hunks, hunk), append(r.exact, exactEdit{m, hunk.Hunk})
	}
	return out, nil
}

// exactEdit is an exact edit with its number; 0 for a change of a whole file.
type exactEdit struct {
	Made
	hunk int
}

// revert reverts the last exact edits of the turn. Their events become those of edits that failed.
func (r *runner) revert(ctx context.Context, why string) error {
	made := make([]Made, len(r.exact))
	for i, e := range r.exact {
		made[i] = e.Made
	}
	if err := r.project.Revert(ctx, r.req.Turn, made, why); err != nil {
		return err
	}
	for _, e := range r.exact {
		r.tally.uncount(e.Path, e.Added, e.Removed)
		r.emit(HunkFailed{Hunk: e.hunk, Path: e.Path, Reason: string(Reverted), Message: why})
	}
	r.exact = nil
	return nil
}

// outOfScope holds all edits when some of them are outside the scope: half a rename would
// be worse than none.
func (r *runner) outOfScope(paths []string) *HeldError {
	fence := r.req.Prompt.Fence
	var out []string
	for _, path := range paths {
		if !fence.Allows(path) {
			out = append(out, path)
		}
	}
	if len(out) == 0 {
		return nil
	}
	held := outOfFence(fence, out...)
	held.Whole = true
	return held
}

// made emits the events of one exact edit, which are those of a streamed one.
func (r *runner) made(m Made) HunkReceipt {
	if m.Ack != nil {
		r.acks.add(m.Ack, m.Path)
	}
	r.tally.count(m.Path, m.Added, m.Removed)
	r.tally.edited(m.Path)
	if m.Deleted {
		r.emit(FileDeleted{m.Path})
		return HunkReceipt{Path: m.Path, What: "deleted"}
	}
	if m.To != "" {
		r.emit(FileMoved{m.Path, m.To})
		return HunkReceipt{Path: m.Path, What: "moved", To: m.To}
	}
	if m.Created {
		r.emit(FileCreated{m.Path})
	}
	r.numbered++
	r.hunk = r.numbered
	r.emit(HunkOpened{r.hunk, m.Path, m.Line})
	for _, p := range m.Pieces {
		r.emit(HunkChanged{r.hunk, m.Path, p.Line, p.Removed, p.Inserted})
	}
	r.emit(HunkClosed{r.hunk, m.Path, m.Added, m.Removed, false})
	return HunkReceipt{Hunk: r.hunk, Path: m.Path, From: m.Line, Until: m.Line + max(m.Added, 1) - 1, Added: m.Added,
		Removed: m.Removed}
}

// hunkGap is the maximum number of unchanged lines between two changes of one place. It is
// the gap that a patch with three lines of context on each side spans.
const hunkGap = 6

// Place is one place in which a file changes, with the whole lines that it loses and gains.
// Line counts from 1 in the text that the places before it left.
type Place struct {
	Changes        text.ChangeSet // of the text that the places before it left
	Line           int
	Pieces         []Piece // in the file's bytes, or decoded for a file in UTF-16
	Added, Removed int     // lines
}

// Places splits a change of a file into its places, from first to last. The history stores
// each place as an edit, which the user can revert by itself.
func Places(before text.Text, cs text.ChangeSet) ([]Place, error) {
	after, err := cs.Apply(before)
	if err != nil {
		return nil, err
	}
	plain, plainly, _ := text.PlainChange(before, cs, after)
	changes, shown := slices.Collect(cs.Changes), slices.Collect(plainly.Changes)
	if len(shown) != len(changes) { // the changes split characters
		plain, shown = before, changes
	}
	var out []Place
	length, shift, lines := before.Len(), text.Byte(0), 0
	for len(changes) > 0 {
		n := inOnePlace(plain, shown)
		at := Place{Line: plain.LineAt(shown[0].From) + 1 + lines}
		grown, run := text.Byte(0), make([]text.Change, n)
		for i, c := range changes[:n] {
			run[i] = text.Change{From: c.From + shift, To: c.To + shift, Insert: c.Insert}
			grown += text.Byte(len(c.Insert)) - (c.To - c.From)
		}
		if at.Changes, err = text.NewChangeSet(length, run...); err != nil {
			return nil, err
		}
		lines = at.addLines(plain, shown[:n], lines)
		out = append(out, at)
		length, shift = length+grown, shift+grown
		changes, shown = changes[n:], shown[n:]
	}
	return out, nil
}

// inOnePlace returns how many of the changes belong to the same place as the first.
func inOnePlace(t text.Text, changes []text.Change) int {
	n := 1
	for n < len(changes) && t.LineAt(changes[n].From)-t.LineAt(changes[n-1].To) <= hunkGap {
		n++
	}
	return n
}

// addLines adds the lines that the changes remove and insert. It groups changes of the same
// lines and drops unchanged lines at both ends. It returns how many lines the text has
// gained so far.
func (p *Place) addLines(t text.Text, changes []text.Change, gained int) int {
	for len(changes) > 0 {
		from, to := t.LineStart(t.LineAt(changes[0].From)), text.Byte(0)
		at, now, n := from, "", 0
		for ; n < len(changes) && (n == 0 || changes[n].From < to); n++ {
			c := changes[n]
			now += t.Slice(at, c.From).String() + c.Insert
			at, to = c.To, t.LineStart(t.LineAt(c.To)+1)
		}
		line := t.LineAt(from) + 1 + gained
		old, new := splitLines(t.Slice(from, to).String()), splitLines(now+t.Slice(at, to).String())
		for len(old) > 0 && len(new) > 0 && old[0] == new[0] {
			old, new, line = old[1:], new[1:], line+1
		}
		for len(old) > 0 && len(new) > 0 && old[len(old)-1] == new[len(new)-1] {
			old, new = old[:len(old)-1], new[:len(new)-1]
		}
		p.Pieces = append(p.Pieces, Piece{line, strings.Join(old, ""), strings.Join(new, "")})
		p.Added, p.Removed, gained = p.Added+len(new), p.Removed+len(old), gained+len(new)-len(old)
		changes = changes[n:]
	}
	return gained
}

// splitLines returns the lines of s with their line breaks.
func splitLines(s string) []string {
	lines := strings.SplitAfter(s, "\n")
	if n := len(lines) - 1; lines[n] == "" {
		lines = lines[:n]
	}
	return lines
}
