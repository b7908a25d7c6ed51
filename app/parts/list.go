package parts

import (
	"encoding/json"
	"slices"
	"strings"

	"waferpair/engine"
)

// List makes parts of a turn's events. Every hunk and every steer is one part,
// which later events change in place; nothing else changes but the prose at the
// end, which grows. The zero value is an empty list without bounds.
type List struct {
	parts   []Part
	prose   strings.Builder // what the last part says, when that is prose that may go on
	changes []int           // which part was added or replaced, in order
	odd     map[int]bool    // edits of which more changed than a HunkEnd tells

	bounded bool
	bytes   int  // of what is bounded
	full    bool // its last part says that there is more
}

// Bounds of what is kept of one turn.
const (
	maxParts     = 500
	maxPartBytes = 256 << 10
	partsCut     = "More happened in this turn than is kept for the conversation. All of its edits are in the timeline."
)

// Bounded is a list that leaves out what would make it too large to be kept.
func Bounded() *List { return &List{bounded: true} }

// All are the parts so far.
func (l *List) All() []Part {
	l.said()
	return slices.Clone(l.parts)
}

// Take adds an event; false when it is none that is shown.
func (l *List) Take(ev engine.Event) bool {
	switch ev := ev.(type) {
	case engine.Prose:
		l.say(ev.Text)
	case engine.HunkOpened:
		l.add(HunkPart{Kind: "hunk", State: Open, Hunk: ev.Hunk, Path: ev.Path, Line: ev.Line})
	case engine.HunkClosed:
		state := Done
		if ev.Partial {
			state = Partial
		}
		l.hunk(HunkPart{Kind: "hunk", State: state, Hunk: ev.Hunk, Path: ev.Path, Added: ev.Added, Removed: ev.Removed})
	case engine.HunkFailed:
		l.hunk(HunkPart{Kind: "hunk", State: Refused, Hunk: ev.Hunk, Path: ev.Path, Reason: ev.Reason, Message: ev.Message})
	case engine.FileCreated:
		l.add(FilePart{Kind: "file", What: Created, Path: ev.Path})
	case engine.FileDeleted:
		l.add(FilePart{Kind: "file", What: Deleted, Path: ev.Path})
	case engine.FileMoved:
		l.add(FilePart{Kind: "file", What: Moved, Path: ev.Path, To: ev.To})
	case engine.Steered:
		l.steer(SteerPart{Kind: "steer", State: ev.State, Hunk: ev.Hunk, Text: ev.Text, Steer: ev.Steer})
	case engine.Note:
		l.add(NotePart{Kind: "note", Text: ev.Text})
	default:
		return false
	}
	return true
}

// say adds to the prose, as much as there is room for.
func (l *List) say(text string) {
	if l.full || text == "" {
		return
	}
	some := l.cut(text)
	if some != "" && l.prose.Len() == 0 {
		l.append(ProsePart{})
	}
	if some != "" {
		l.bytes += len(some)
		l.prose.WriteString(some)
	}
	if len(some) < len(text) {
		l.close()
	}
}

// said puts the prose into its part, once for all that came since the last time. It
// is not copied: what is there does not change.
func (l *List) said() {
	if l.prose.Len() > 0 {
		l.parts[len(l.parts)-1] = ProsePart{Kind: "prose", Text: l.prose.String()}
	}
}

// ended is said of prose that nothing goes on with.
func (l *List) ended() {
	l.said()
	l.prose.Reset()
}

// cut is as much of a text as there is room for.
func (l *List) cut(text string) string {
	room := maxPartBytes - l.bytes
	switch {
	case !l.bounded || len(text) <= room && (l.prose.Len() > 0 || len(l.parts) < maxParts):
		return text
	case room <= 0 || l.prose.Len() == 0 && len(l.parts) >= maxParts:
		return ""
	}
	return strings.ToValidUTF8(text[:min(room, len(text))], "")
}

// add appends a part, if there is room for it.
func (l *List) add(p Part) {
	if l.full {
		return
	}
	l.ended()
	n := l.size(p)
	if l.bounded && (len(l.parts) >= maxParts || l.bytes+n > maxPartBytes) {
		l.close()
		return
	}
	l.bytes += n
	l.append(p)
}

// set puts a part in the place of one that is less. That is never left out, but
// what is said in it may be.
func (l *List) set(at int, p Part) {
	old := l.size(l.parts[at])
	more := l.bounded && l.bytes+l.size(p)-old > maxPartBytes
	if more {
		p = p.MapWords(func(string) string { return "" })
	}
	l.bytes += l.size(p) - old
	l.parts[at] = p
	l.changes = append(l.changes, at)
	if more {
		l.close()
	}
}

// close ends the list with a note that more happened.
func (l *List) close() {
	if l.full {
		return
	}
	l.full = true
	l.ended()
	l.append(NotePart{Kind: "note", Text: partsCut})
}

func (l *List) append(p Part) {
	l.parts = append(l.parts, p)
	l.changes = append(l.changes, len(l.parts)-1)
}

// size is what a part takes of a list that is bounded.
func (l *List) size(p Part) int {
	if !l.bounded {
		return 0
	}
	b, _ := json.Marshal(p) // words and numbers
	return len(b)
}

// hunk says what became of a hunk. One that failed before its place was certain
// has no part yet.
func (l *List) hunk(p HunkPart) {
	at, old := last(l.parts, func(old HunkPart) bool { return old.Hunk == p.Hunk })
	if at < 0 {
		l.add(p)
		return
	}
	p.Line = old.Line
	if old.Path != p.Path || old.Reason+old.Message+p.Reason+p.Message != "" {
		if l.odd == nil {
			l.odd = map[int]bool{}
		}
		l.odd[at] = true
	}
	l.set(at, p)
}

// steer takes a receipt in, which replaces the one before.
func (l *List) steer(p SteerPart) {
	at, _ := last(l.parts, func(old SteerPart) bool { return old.Steer == p.Steer })
	if at < 0 {
		l.add(p)
		return
	}
	l.set(at, p)
}

// last is the last part of a kind that is meant; -1 when there is none.
func last[P Part](parts []Part, is func(P) bool) (at int, p P) {
	for i, part := range slices.Backward(parts) {
		if p, ok := part.(P); ok && is(p) {
			return i, p
		}
	}
	return -1, p
}
