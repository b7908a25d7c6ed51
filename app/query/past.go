package query

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"unicode/utf8"

	"waferpair/history"
	"waferpair/workspace/text"
)

// Text returns a file at a moment. A file that did not exist then is not an error: Exists is
// false.
func (c Core) Text(ctx context.Context, at history.EditID, path string) (history.Version, error) {
	path, err := c.Folder.Path(path)
	if err != nil {
		return history.Version{}, err
	}
	return c.History.At(ctx, at, path)
}

// FilesAt lists the files that existed at a moment.
func (c Core) FilesAt(ctx context.Context, at history.EditID) ([]string, error) {
	states, err := c.History.Paths(ctx, at)
	out := make([]string, len(states))
	for i, s := range states {
		out[i] = s.Path
	}
	return out, err
}

// Past is a file at every moment from one to another, both included: its text at the first
// moment, and the change from each version to the next in page units
// (text.ChangeSet.MarshalShown). A slider that moves over these moments needs no further
// request.
type Past struct {
	From   history.EditID `json:"from"`
	To     history.EditID `json:"to"`
	Exists bool           `json:"exists"`
	Text   string         `json:"text"` // "" for a binary file
	Steps  []PastStep     `json:"steps"`
}

// PastStep is an edit with its change of the shown text.
type PastStep struct {
	Edit    history.EditID  `json:"edit"`
	Changes json.RawMessage `json:"changes"`
}

// Past returns the versions of a file around a moment. The range ends where the file was
// replaced, or is shown differently: in another encoding, or as binary.
func (c Core) Past(ctx context.Context, at history.EditID, path string) (Past, error) {
	path, err := c.Folder.Path(path)
	if err != nil {
		return Past{}, err
	}
	st, err := c.History.Around(ctx, at, path)
	if err != nil {
		return Past{}, err
	}
	return shownPast(at, st), ctx.Err()
}

// shownPast keeps the moments of a stretch that are shown in the same way.
func shownPast(at history.EditID, st history.Stretch) Past {
	now := lookOf(text.Of(st.First.Bytes))
	out := now.past(st.From, st.First.Exists)
	for _, step := range st.Steps {
		next, changes, alike := now.step(step)
		switch {
		case alike:
			out.Steps = append(out.Steps, PastStep{step.Edit, changes})
		case step.Edit > at:
			out.To = step.Edit - 1
			return out
		default:
			out = next.past(step.Edit, true)
		}
		now = next
	}
	out.To = st.To
	return out
}

// look is a text, and how it is shown.
type look struct {
	text   text.Text
	enc    text.Encoding
	binary bool
	plain  bool // valid UTF-8 without a NUL
}

func lookOf(t text.Text) look {
	b := t.Bytes()
	enc := text.DetectEncoding(b)
	return look{t, enc, text.IsBinary(b), enc == text.UTF8 && utf8.Valid(b) && bytes.IndexByte(b, 0) < 0}
}

// past starts a range at a version.
func (l look) past(from history.EditID, exists bool) Past {
	out := Past{From: from, Exists: exists, Steps: []PastStep{}}
	if exists && !l.binary {
		out.Text = l.enc.Shown(l.text)
	}
	return out
}

// step returns the next version, and the change that leads to it if it is shown in the same
// way. Plain text stays plain while only plain text is inserted, so that not every version
// must be scanned.
func (l look) step(s history.Step) (next look, changes json.RawMessage, alike bool) {
	changes, err := s.Changes.MarshalShown(l.text, l.enc)
	if err == nil && l.plain && plain(s.Changes) {
		next = l
		next.text = s.After
		return next, changes, true
	}
	next = lookOf(s.After)
	return next, changes, err == nil && next.enc == l.enc && !l.binary && !next.binary
}

// plain reports whether a change inserts only plain text, and none at a byte order mark.
func plain(cs text.ChangeSet) bool {
	for c := range cs.Changes {
		if c.From < maxMark || !utf8.ValidString(c.Insert) || strings.IndexByte(c.Insert, 0) >= 0 {
			return false
		}
	}
	return true
}

const maxMark = 3 // bytes of a byte order mark
