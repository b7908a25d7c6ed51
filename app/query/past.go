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

// Text is a file as it was at a moment. A file that did not exist then is not an
// error: Exists says so.
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

// Past is how a file is shown at every moment from one to another, both included:
// its text at the first one, and what leads from each version to the next, as
// pages count (text.ChangeSet.MarshalShown). So a slider that moves over these
// moments needs no further answer.
type Past struct {
	From   history.EditID `json:"from"`
	To     history.EditID `json:"to"`
	Exists bool           `json:"exists"`
	Text   string         `json:"text"` // "" for a binary file
	Steps  []PastStep     `json:"steps"`
}

// PastStep is an edit and how it changed the text that is shown.
type PastStep struct {
	Edit    history.EditID  `json:"edit"`
	Changes json.RawMessage `json:"changes"`
}

// Past is what a file was around a moment. The moments end where the file became
// another one, or is shown otherwise: in another encoding, or as binary.
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

// shownPast leaves those moments of a stretch that are shown alike.
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

// look is a text and how it is shown.
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

// past begins at a version.
func (l look) past(from history.EditID, exists bool) Past {
	out := Past{From: from, Exists: exists, Steps: []PastStep{}}
	if exists && !l.binary {
		out.Text = l.enc.Shown(l.text)
	}
	return out
}

// step is the next version, and what leads to it where it is shown alike. A plain
// text stays plain while plain text comes into it: not every version is read from
// end to end.
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

// plain reports whether plain text comes in, behind where a byte order mark would be.
func plain(cs text.ChangeSet) bool {
	for c := range cs.Changes {
		if c.From < maxMark || !utf8.ValidString(c.Insert) || strings.IndexByte(c.Insert, 0) >= 0 {
			return false
		}
	}
	return true
}

const maxMark = 3 // bytes of a byte order mark
