package parts

import (
	"slices"
	"strings"

	"waferpair/engine"
)

// Part is one thing that the conversation shows of a turn, in the order in
// which it began. Which fields are set follows from Kind.
type Part struct {
	Kind    string `json:"kind"` // Prose, ...
	Text    string `json:"text,omitempty"`
	State   string `json:"state,omitempty"` // of a hunk: Open, ...; of a steer: its receipt
	Hunk    int    `json:"hunk,omitempty"`  // of a steer: the edit at which it was applied
	Path    string `json:"path,omitempty"`
	To      string `json:"to,omitempty"`   // of a file that was moved
	What    string `json:"what,omitempty"` // of a file: created, deleted, moved
	Line    int    `json:"line,omitempty"`
	Added   int    `json:"added,omitempty"` // lines
	Removed int    `json:"removed,omitempty"`
	Reason  string `json:"reason,omitempty"` // why a hunk was refused, in a word
	Message string `json:"message,omitempty"`
}

// The kinds of parts.
const (
	Prose = "prose"
	Hunk  = "hunk"
	File  = "file"
	Steer = "steer"
	Note  = "note"
)

// The states of hunks.
const (
	Open    = "open"
	Done    = "done"
	Partial = "partial" // cut off, and kept
	Refused = "refused"
)

// Record is what is kept of a turn for the conversation, as JSON.
type Record struct {
	Parts   []Part   `json:"parts"`
	Nearest []string `json:"nearest,omitempty"` // requests that the model would carry out
}

// Bounds of what is kept of one turn.
const (
	maxParts     = 500
	maxPartBytes = 256 << 10
	partsCut     = "More happened in this turn than is kept for the conversation. All of its edits are in the timeline."
)

// List makes parts of a turn's events. Every hunk and every steer is one
// part, which later events change in place; what is beyond the bounds is left out.
type List struct {
	parts []Part
	prose strings.Builder // that may go on
	bytes int
	cut   bool
}

// All are the parts so far.
func (l *List) All() []Part {
	out := slices.Clone(l.parts)
	if l.prose.Len() > 0 {
		out = append(out, Part{Kind: Prose, Text: l.prose.String()})
	}
	if l.cut {
		out = append(out, Part{Kind: Note, Text: partsCut})
	}
	return out
}

// Take adds an event; false when it is none that is kept.
func (l *List) Take(ev engine.Event) bool {
	switch ev := ev.(type) {
	case engine.Prose:
		l.say(ev.Text)
	case engine.HunkOpened:
		l.add(Part{Kind: Hunk, State: Open, Hunk: ev.Hunk, Path: ev.Path, Line: ev.Line})
	case engine.HunkClosed:
		state := Done
		if ev.Partial {
			state = Partial
		}
		l.hunk(Part{Kind: Hunk, State: state, Hunk: ev.Hunk, Path: ev.Path, Added: ev.Added, Removed: ev.Removed})
	case engine.HunkFailed:
		l.hunk(Part{Kind: Hunk, State: Refused, Hunk: ev.Hunk, Path: ev.Path, Reason: ev.Reason, Message: ev.Message})
	case engine.FileCreated:
		l.add(Part{Kind: File, What: "created", Path: ev.Path})
	case engine.FileDeleted:
		l.add(Part{Kind: File, What: "deleted", Path: ev.Path})
	case engine.FileMoved:
		l.add(Part{Kind: File, What: "moved", Path: ev.Path, To: ev.To})
	case engine.Steered:
		l.steer(Part{Kind: Steer, State: string(ev.State), Hunk: ev.Hunk, Text: ev.Text})
	case engine.Note:
		l.add(Part{Kind: Note, Text: ev.Text})
	default:
		return false
	}
	return true
}

// say adds to the prose, as much as there is room for.
func (l *List) say(text string) {
	room := maxPartBytes - l.bytes
	if len(l.parts) >= maxParts {
		room = 0
	}
	if len(text) > room {
		l.cut = true
		text = strings.ToValidUTF8(text[:max(0, room)], "")
	}
	l.bytes += len(text)
	l.prose.WriteString(text)
}

// add appends a part, if there is room for it.
func (l *List) add(p Part) {
	if l.prose.Len() > 0 {
		l.parts = append(l.parts, Part{Kind: Prose, Text: l.prose.String()})
		l.prose.Reset()
	}
	if len(l.parts) >= maxParts || !l.fits(p) {
		l.cut = true
		return
	}
	l.parts = append(l.parts, p)
}

func (l *List) fits(p Part) bool {
	n := len(p.Text) + len(p.Path) + len(p.To) + len(p.Message)
	if l.bytes+n > maxPartBytes {
		return false
	}
	l.bytes += n
	return true
}

// hunk says what became of a hunk. One that failed before its place was certain
// has no part yet.
func (l *List) hunk(p Part) {
	at := l.last(func(old Part) bool { return old.Kind == Hunk && old.Hunk == p.Hunk })
	if at < 0 {
		l.add(p)
		return
	}
	if p.Line = l.parts[at].Line; !l.fits(p) {
		p.Message, l.cut = "", true
	}
	l.parts[at] = p
}

// steer takes a receipt in, which replaces the one before.
func (l *List) steer(p Part) {
	at := l.last(func(old Part) bool {
		return old.Kind == Steer && old.Text == p.Text && old.State != string(engine.SteerApplied) && old.State != string(engine.SteerFailed)
	})
	if at < 0 || p.State == string(engine.SteerQueued) {
		l.add(p)
		return
	}
	l.parts[at] = p
}

func (l *List) last(is func(Part) bool) int {
	for i := len(l.parts) - 1; i >= 0; i-- {
		if is(l.parts[i]) {
			return i
		}
	}
	return -1
}
