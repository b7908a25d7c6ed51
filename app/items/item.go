package items

import (
	"slices"
	"strings"
	"unicode/utf8"

	"waferpair/app/mask"
	"waferpair/engine/model"
	"waferpair/history"
)

// item is an item of a running turn: of the model's answer, or with our own body.
type item struct {
	answer *model.Output
	at     int             // its index there
	said   strings.Builder // the text of a message of the answer, or the input of a call
	found  int             // prose was found up to here

	body

	place    int // its index in the turn, from 1
	stored   history.Item
	dirty    bool
	whole    bool // it is complete
	recorded bool // of the user: also recorded as an item of the turn
	steer    int  // the number of a steer
}

// Batch is a snapshot of changed items.
type Batch []snapshot

type snapshot struct {
	of     *item
	stored history.Item
	answer *model.Item // nil: it has our own body
	body   body
	whole  bool
}

// now returns a snapshot of the item.
func (it *item) now() snapshot {
	s := snapshot{of: it, stored: it.stored, body: it.body, whole: it.whole}
	s.stored.Status = history.ItemInProgress
	switch {
	case it.answer != nil:
		m, tokens, _ := it.answer.Item(it.at)
		s.answer, s.stored.Tokens, s.stored.Status = &m, tokens, history.ItemStatus(m.Status)
	case it.whole:
		s.stored.Status = history.ItemCompleted
	}
	s.body.Content, s.body.Outcomes = slices.Clone(it.Content), slices.Clone(it.Outcomes)
	s.body.Candidates = slices.Clone(it.Candidates)
	return s
}

// Items returns the items of a batch, masked for the history.
func (b Batch) Items() ([]history.Item, error) {
	out := make([]history.Item, len(b))
	for i, s := range b {
		var err error
		if out[i], err = s.record(); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func (s snapshot) record() (out history.Item, err error) {
	out = s.stored
	if s.answer == nil {
		s.mask()
		out.Body, err = encode(s.body)
		return out, err
	}
	m := *s.answer
	for i := range m.Parts {
		m.Parts[i].Text = s.hide(sound(m.Parts[i].Text))
	}
	m.Input = s.hide(sound(m.Input))
	out.Body, err = encode(m)
	return out, err
}

// mask hides secrets in our own body.
func (s *snapshot) mask() {
	b := &s.body
	b.Failed = mask.Words(b.Failed)
	for i := range b.Content {
		b.Content[i].Text, b.Content[i].Refusal = s.hide(b.Content[i].Text), mask.Words(b.Content[i].Refusal)
	}
	for i := range b.Outcomes {
		o := &b.Outcomes[i]
		o.Text, o.Message = s.hide(o.Text), mask.Words(o.Message)
		if masked, err := mask.JSON(o.Event); err == nil { // it is JSON or empty
			o.Event = masked
		}
	}
	for i := range b.Candidates {
		c := &b.Candidates[i]
		masked := mask.Words(c.Request)
		c.Hidden = c.Hidden || masked != c.Request
		c.Request, c.Summary = masked, mask.Words(c.Summary)
	}
}

// hide masks secrets, including one that is still incomplete.
func (s snapshot) hide(words string) string {
	if s.whole {
		return mask.Words(words)
	}
	return mask.Growing(words)
}

// sound returns s with a letter in place of each byte that JSON cannot hold, so that offsets
// stay valid.
func sound(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	b := []byte(s)
	for i := 0; i < len(b); {
		r, n := utf8.DecodeRune(b[i:])
		if r == utf8.RuneError && n == 1 {
			b[i] = '?'
		}
		i += n
	}
	return string(b)
}
