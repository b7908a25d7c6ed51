package history

import (
	"slices"

	"waferpair/workspace/text"
)

// spots are ranges of a text that follow its changes. There may be thousands of
// them and as many changes, so the two ends are kept sorted, each in a row of its
// own: one change then moves all of them in one pass, as text.ChangeSet.MapPos
// would one by one. A start stays with the byte after it and an end with the byte
// before, so that what others insert at the edge of a range is not part of it.
type spots struct {
	starts, ends edges
	inserted     []bool // the range was not empty when it was added
}

// edges are positions in order, and whose they are.
type edges struct {
	pos []text.Byte
	of  []int
}

// add appends a range; its number is how many there were.
func (s *spots) add(from, to text.Byte) {
	n := len(s.inserted)
	s.inserted = append(s.inserted, to > from)
	s.starts.add(from, n)
	s.ends.add(to, n)
}

func (e *edges) add(pos text.Byte, of int) {
	i, _ := slices.BinarySearch(e.pos, pos)
	e.pos, e.of = slices.Insert(e.pos, i, pos), slices.Insert(e.of, i, of)
}

// now is where the ranges are. One whose end was pushed before its start, by an
// insertion between the two, is empty.
func (s *spots) now() (from, to []text.Byte) {
	from, to = s.starts.byNumber(), s.ends.byNumber()
	for i := range to {
		to[i] = max(from[i], to[i])
	}
	return from, to
}

func (e *edges) byNumber() []text.Byte {
	out := make([]text.Byte, len(e.pos))
	for i, n := range e.of {
		out[n] = e.pos[i]
	}
	return out
}

// through moves all ranges through a change: hunks in order, with offsets in the
// text before it.
func (s *spots) through(hunks []hunk) {
	if len(hunks) == 0 || len(s.inserted) == 0 {
		return
	}
	s.starts.through(hunks, 1)
	s.ends.through(hunks, -1)
}

func (e *edges) through(hunks []hunk, assoc int) {
	i, shift := 0, text.Byte(0)
	for _, h := range hunks {
		for ; i < len(e.pos) && e.pos[i] < h.from; i++ {
			e.pos[i] += shift
		}
		ins := text.Byte(len(h.inserted))
		for ; i < len(e.pos) && inHunk(e.pos[i], h); i++ {
			stays := assoc < 0 || e.pos[i] == h.from && h.to > h.from
			e.pos[i] = h.from + shift
			if !stays {
				e.pos[i] += ins
			}
		}
		shift += ins - (h.to - h.from)
	}
	for ; i < len(e.pos); i++ {
		e.pos[i] += shift
	}
}

// inHunk reports whether a position is at the place of an insertion, or in a
// deletion: at its end it is behind it.
func inHunk(p text.Byte, h hunk) bool { return p < h.to || p == h.from }
