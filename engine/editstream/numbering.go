package editstream

import "strings"

// Numbering assigns the events of one parser the same hunk numbers that a Placer does, so
// that hunks can be identified when a text is parsed again. Deleting or moving a file
// counts as a hunk.
type Numbering struct {
	last  int
	moves bool // the open section moves its file
	open  bool
}

// Next returns the number of the hunk that begins with an event, or 0.
func (n *Numbering) Next(ev Event) int {
	switch ev := ev.(type) {
	case FileBegin:
		n.open, n.moves = true, ev.MoveTo != ""
		if ev.Op != Delete {
			return 0
		}
	case HunkBegin:
	case FileEnd:
		moves := n.open && n.moves
		if n.open = false; !moves {
			return 0
		}
	default:
		return 0
	}
	n.last++
	return n.last
}

// Only parses a text and returns the events of some of its hunks, and the prose between
// them. It calls wants for each hunk with the section that the hunk is in.
func Only(parser Parser, answer []byte, wants func(section FileBegin, hunk int) bool) []Event {
	var out, inside []Event
	var n Numbering
	var sec FileBegin
	wanted, keep := false, false
	add := func(ev Event) {
		hunk := n.Next(ev)
		switch ev := ev.(type) {
		case FileBegin:
			sec, wanted, inside = ev, ev.Op == Delete && wants(ev, hunk), nil
			return
		case HunkBegin:
			keep = wants(sec, hunk)
			wanted = wanted || keep
		case FileEnd:
			if moves := hunk > 0 && wants(sec, hunk); moves {
				wanted = true
			} else {
				sec.MoveTo = ""
			}
			if wanted {
				out = append(append(append(out, sec), inside...), ev)
			}
			return
		case Prose:
			out = append(out, ev)
			return
		}
		if keep {
			inside = append(inside, ev)
		}
	}
	parser.Push(answer, add)
	parser.Close(add)
	return out
}

// Complete returns how many hunks of an unfinished text are complete.
func Complete(parser Parser, answer []byte) int {
	var n Numbering
	open := 0
	parser.Push(answer, func(ev Event) {
		n.Next(ev)
		switch ev.(type) {
		case HunkBegin:
			open = 1
		case HunkEnd, Bad:
			open = 0
		}
	})
	return n.last - open
}

// Replay is a parser of events that were read before.
type Replay []Event

// Push ignores its input.
func (Replay) Push([]byte, func(Event)) {}

// Close emits the events.
func (r Replay) Close(emit func(Event)) {
	for _, ev := range r {
		emit(ev)
	}
}

// Unended reports whether a patch so far ends within a line of a hunk. Its model has stopped in
// the middle, whatever it says: a whole patch ends with a marker.
func Unended(parser Parser) bool {
	var v *v4a
	line := ""
	switch p := parser.(type) {
	case *v4a:
		v, line = p, p.in.open()
	case *blocks:
		v, line = p.patch, p.in.open()
	}
	return v != nil && !v.strict && line != "" && (v.state == v4aHunk || v.state == v4aAdd) &&
		!strings.HasPrefix(strings.TrimSpace(line), "***")
}
