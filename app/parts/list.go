package parts

import (
	"encoding/json"
	"slices"
	"strings"

	"waferpair/engine"
)

// List collects the parts of a turn's events. Every hunk and every steer is one part, which later
// events change in place; apart from that only the prose at the end grows. The zero value is an
// empty, unbounded list.
type List struct {
	parts   []Part
	prose   strings.Builder // the text of the last part, if that is prose that may grow
	changes []int           // the parts that were added or replaced, in order
	odd     map[int]bool    // edits with changes beyond a HunkEnd

	bounded bool
	bytes   int  // the size of a bounded list
	full    bool // its last part says that there is more
}

// Bounds of the parts that are kept of one turn.
const (
	maxParts     = 500
	maxPartBytes = 256 << 10
	partsCut     = "More happened in this turn than is kept for the conversation. All of its edits are in the timeline."
)

// Bounded returns an empty list that drops parts once it is too large.
func Bounded() *List { return &List{bounded: true} }

// All returns the parts so far.
func (l *List) All() []Part {
	l.said()
	return slices.Clone(l.parts)
}

// Take adds an event; it returns false for an event that is not shown.
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
	case engine.HunkReturned:
		if at, p := last(l.parts, func(p HunkPart) bool { return p.Hunk == ev.Hunk }); at >= 0 {
			p.Returned = true
			l.markOdd(at)
			l.set(at, p)
		}
	case engine.FileCreated:
		l.add(FilePart{Kind: "file", What: Created, Path: ev.Path})
	case engine.FileDeleted:
		l.add(FilePart{Kind: "file", What: Deleted, Path: ev.Path})
	case engine.FileMoved:
		l.add(FilePart{Kind: "file", What: Moved, Path: ev.Path, To: ev.To})
	case engine.Steered:
		l.steer(SteerPart{Kind: "steer", State: ev.State, Hunk: ev.Hunk, Text: ev.Text, Steer: ev.Steer})
	case engine.Cited:
		l.add(CitationPart{Kind: "citation", Text: ev.Text, Path: ev.Path, Line: ev.Line, To: ev.To, OK: ev.OK, Why: ev.Why})
	case engine.Called:
		l.add(CallPart{Kind: "call", Tool: ev.Tool, About: ev.About, Failed: ev.Failed})
	case engine.Note:
		l.add(NotePart{Kind: "note", Text: ev.Text})
	default:
		return false
	}
	return true
}

// say adds prose, as far as there is room.
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

// said stores the prose in its part, once for all that came since the last time. It does not copy:
// existing bytes of the builder never change.
func (l *List) said() {
	if l.prose.Len() > 0 {
		l.parts[len(l.parts)-1] = ProsePart{Kind: "prose", Text: l.prose.String()}
	}
}

// ended closes the prose: the next text begins a new part.
func (l *List) ended() {
	l.said()
	l.prose.Reset()
}

// cut returns the part of a text for which there is room.
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

// add appends a part, if there is room.
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

// set replaces a part by a later state of it. It always does, but may cut the part's text.
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

// close ends the list with a note that there was more.
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

// size is the size of a part in a bounded list.
func (l *List) size(p Part) int {
	if !l.bounded {
		return 0
	}
	b, _ := json.Marshal(p) // only words and numbers: it cannot fail
	return len(b)
}

// hunk updates a hunk. A hunk that failed before its place was certain has no part yet.
func (l *List) hunk(p HunkPart) {
	at, old := last(l.parts, func(old HunkPart) bool { return old.Hunk == p.Hunk })
	if at < 0 {
		l.add(p)
		return
	}
	p.Line = old.Line
	if old.Path != p.Path || old.Reason+old.Message+p.Reason+p.Message != "" {
		l.markOdd(at)
	}
	p.Returned = old.Returned
	l.set(at, p)
}

func (l *List) markOdd(at int) {
	if l.odd == nil {
		l.odd = map[int]bool{}
	}
	l.odd[at] = true
}

// steer adds a receipt, which replaces the one before.
func (l *List) steer(p SteerPart) {
	at, _ := last(l.parts, func(old SteerPart) bool { return old.Steer == p.Steer })
	if at < 0 {
		l.add(p)
		return
	}
	l.set(at, p)
}

// last returns the last matching part of a kind; -1 when there is none.
func last[P Part](parts []Part, is func(P) bool) (at int, p P) {
	for i, part := range slices.Backward(parts) {
		if p, ok := part.(P); ok && is(p) {
			return i, p
		}
	}
	return -1, p
}
