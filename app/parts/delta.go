package parts

import (
	"slices"
	"unicode/utf8"
)

// PartDelta is a change of a list: a new part, more prose, or the end of an edit.
type PartDelta interface{ delta() }

type (
	// NewPart is inserted at its place, or replaces the part there.
	NewPart struct {
		At   int  `json:"at"`
		Part Part `json:"part"`
	}
	// MoreText is appended to the prose that is there.
	MoreText struct {
		At   int    `json:"at"`
		Text string `json:"text"`
	}
	// HunkEnd ends the edit that is there, and changes nothing else of it.
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

// Place tells how much of a list a reader has. The zero value is nothing.
type Place struct {
	changes int
	parts   int // the number of parts
	prose   int // the index of the prose that may grow, from 1; 0: there is none
	text    int // the number of its bytes
}

// Since returns what is new for a reader at a place, and the reader's new place. Its cost depends
// only on what is new: growing prose is sent once, and repeated changes are merged.
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

// whole drops an incomplete character at the end of a text.
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
