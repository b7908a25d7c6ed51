package app

import (
	"slices"
	"strings"

	"waferpair/engine"
)

// TurnPart is one thing that the conversation shows of a turn, in the order in
// which it began. Which fields are set follows from Kind.
type TurnPart struct {
	Kind    string `json:"kind"` // PartProse, ...
	Text    string `json:"text,omitempty"`
	State   string `json:"state,omitempty"` // of a hunk: HunkOpen, ...; of a steer: its receipt
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
	PartProse = "prose"
	PartHunk  = "hunk"
	PartFile  = "file"
	PartSteer = "steer"
	PartNote  = "note"
)

// The states of hunks.
const (
	HunkOpen    = "open"
	HunkDone    = "done"
	HunkPartial = "partial" // cut off, and kept
	HunkRefused = "refused"
)

// Bounds of what is kept of one turn.
const (
	maxParts     = 500
	maxPartBytes = 256 << 10
	partsCut     = "More happened in this turn than is kept for the conversation. All of its edits are in the timeline."
)

// partList makes parts of a turn's events. Every hunk and every steer is one
// part, which later events change in place; what is beyond the bounds is left out.
type partList struct {
	parts []TurnPart
	prose strings.Builder // that may go on
	bytes int
	cut   bool
}

// all are the parts so far.
func (l *partList) all() []TurnPart {
	out := slices.Clone(l.parts)
	if l.prose.Len() > 0 {
		out = append(out, TurnPart{Kind: PartProse, Text: l.prose.String()})
	}
	if l.cut {
		out = append(out, TurnPart{Kind: PartNote, Text: partsCut})
	}
	return out
}

// take adds an event; false when it is none that is kept.
func (l *partList) take(ev engine.Event) bool {
	switch ev := ev.(type) {
	case engine.Prose:
		l.say(ev.Text)
	case engine.HunkOpened:
		l.add(TurnPart{Kind: PartHunk, State: HunkOpen, Hunk: ev.Hunk, Path: ev.Path, Line: ev.Line})
	case engine.HunkClosed:
		state := HunkDone
		if ev.Partial {
			state = HunkPartial
		}
		l.hunk(TurnPart{Kind: PartHunk, State: state, Hunk: ev.Hunk, Path: ev.Path, Added: ev.Added, Removed: ev.Removed})
	case engine.HunkFailed:
		l.hunk(TurnPart{Kind: PartHunk, State: HunkRefused, Hunk: ev.Hunk, Path: ev.Path, Reason: ev.Reason, Message: ev.Message})
	case engine.FileCreated:
		l.add(TurnPart{Kind: PartFile, What: "created", Path: ev.Path})
	case engine.FileDeleted:
		l.add(TurnPart{Kind: PartFile, What: "deleted", Path: ev.Path})
	case engine.FileMoved:
		l.add(TurnPart{Kind: PartFile, What: "moved", Path: ev.Path, To: ev.To})
	case engine.Steered:
		l.steer(TurnPart{Kind: PartSteer, State: string(ev.State), Hunk: ev.Hunk, Text: ev.Text})
	case engine.Note:
		l.add(TurnPart{Kind: PartNote, Text: ev.Text})
	default:
		return false
	}
	return true
}

// say adds to the prose, as much as there is room for.
func (l *partList) say(text string) {
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
func (l *partList) add(p TurnPart) {
	if l.prose.Len() > 0 {
		l.parts = append(l.parts, TurnPart{Kind: PartProse, Text: l.prose.String()})
		l.prose.Reset()
	}
	if len(l.parts) >= maxParts || !l.fits(p) {
		l.cut = true
		return
	}
	l.parts = append(l.parts, p)
}

func (l *partList) fits(p TurnPart) bool {
	n := len(p.Text) + len(p.Path) + len(p.To) + len(p.Message)
	if l.bytes+n > maxPartBytes {
		return false
	}
	l.bytes += n
	return true
}

// hunk says what became of a hunk. One that failed before its place was certain
// has no part yet.
func (l *partList) hunk(p TurnPart) {
	at := l.last(func(old TurnPart) bool { return old.Kind == PartHunk && old.Hunk == p.Hunk })
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
func (l *partList) steer(p TurnPart) {
	at := l.last(func(old TurnPart) bool {
		return old.Kind == PartSteer && old.Text == p.Text && old.State != string(engine.SteerApplied) && old.State != string(engine.SteerFailed)
	})
	if at < 0 || p.State == string(engine.SteerQueued) {
		l.add(p)
		return
	}
	l.parts[at] = p
}

func (l *partList) last(is func(TurnPart) bool) int {
	for i := len(l.parts) - 1; i >= 0; i-- {
		if is(l.parts[i]) {
			return i
		}
	}
	return -1
}
