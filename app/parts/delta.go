package parts

import (
	"slices"
	"unicode/utf8"
)

// PartDelta is what is new of a list: a part, what prose goes on with, or how an edit
// that is there ended.
type PartDelta interface{ delta() }

type (
	// NewPart is added at its place, or put in the place of the one before.
	NewPart struct {
		At   int  `json:"at"`
		Part Part `json:"part"`
	}
	// MoreText goes on behind the prose that is there.
	MoreText struct {
		At   int    `json:"at"`
		Text string `json:"text"`
	}
	// HunkEnd ends the edit that is there: everything else of it stays.
	HunkEnd struct {
		At      int       `json:"at"`
		State   HunkState `json:"state"`
		Added   int       `json:"added"` // lines
		Removed int       `json:"removed"`
	}
)

func (NewPart) delta()  {}
func (MoreText) delta() {}
func (HunkEnd) delta()  {}

// Place is how much of a list somebody has. The zero value is nothing of it.
type Place struct {
	changes int
	parts   int // how many parts
	prose   int // where the prose is that may go on, from 1; 0: there is none
	text    int // how many bytes of it
}

// Since is what is new of a list for somebody who has it up to a place, and the
// place up to which he has it then. It costs what is new, however long the list is:
// prose that goes on is not told again, and what changed many times is told once.
func (l *List) Since(p Place) (deltas []PartDelta, now Place) {
	l.said()
	if p.prose > 0 {
		if more := whole(l.parts[p.prose-1].(ProsePart).Text[p.text:]); more != "" {
			p.text += len(more)
			deltas = append(deltas, MoreText{p.prose - 1, more})
		}
	}
	changed := slices.Clone(l.changes[p.changes:])
	slices.Sort(changed)
	for _, at := range slices.Compact(changed) {
		part := l.parts[at]
		if hunk, ok := part.(HunkPart); ok && at < p.parts && !l.odd[at] {
			deltas = append(deltas, HunkEnd{at, hunk.State, hunk.Added, hunk.Removed})
			continue
		}
		if prose, ok := part.(ProsePart); ok {
			prose.Text = whole(prose.Text)
			p.prose, p.text, part = at+1, len(prose.Text), prose
		}
		deltas = append(deltas, NewPart{at, part})
	}
	p.changes, p.parts = len(l.changes), len(l.parts)
	return deltas, p
}

// whole is a text without the beginning of a letter that it may end with.
func whole(text string) string {
	for i := len(text) - 1; i >= max(0, len(text)-utf8.UTFMax); i-- {
		if utf8.RuneStart(text[i]) {
			if !utf8.FullRuneInString(text[i:]) {
				return text[:i]
			}
			break
		}
	}
	return text
}
