package items

import (
	"bytes"
	"encoding/json"

	"waferpair/app/parts"
	"waferpair/engine"
	"waferpair/engine/model"
)

// The types of items that are not in the Responses API.
const (
	edits   model.Kind = "waferpair:edits"
	summary model.Kind = "waferpair:summary"
)

// RoleSteer is the role of a message by which the user steered the turn.
const RoleSteer = "steer"

// told is the receipt of a steer in old histories, which had no receipts.
const told engine.SteerState = "told"

// body is the JSON of an item, as far as this package reads it: the fields of the Responses
// API, then ours.
type body struct {
	Type      model.Kind `json:"type"`
	Role      string     `json:"role,omitempty"`
	Content   []content  `json:"content,omitempty"`
	Name      string     `json:"name,omitempty"`      // of the tool that is called
	Arguments string     `json:"arguments,omitempty"` // of a function call
	Input     string     `json:"input,omitempty"`     // of a freeform one

	// of edits: the index of the item that contains them, from 1; 0: none does
	Of         int               `json:"of,omitempty"`
	Outcomes   []outcome         `json:"outcomes,omitempty"`
	Receipt    engine.SteerState `json:"receipt,omitempty"`    // of a steer
	Hunk       int               `json:"hunk,omitempty"`       // and the edit at which it was applied
	Candidates []Offer           `json:"candidates,omitempty"` // of a refusal

	// of a summary; Content is its text
	First  int64  `json:"first,omitempty"` // the turns that it stands for
	Last   int64  `json:"last,omitempty"`
	Failed string `json:"failed,omitempty"` // why it could not be written
	Back   bool   `json:"back,omitempty"`   // it was taken back

	More int `json:"more,omitempty"` // of a refusal: requests like the candidates that were not tried
}

// Offer is a request that a declined turn offered, as the history stores it.
type Offer struct {
	model.Candidate
	Hidden bool `json:"hidden,omitempty"` // a secret of it is masked, so it cannot be sent
}

// UnmarshalJSON also reads the offers of older histories, which are requests alone.
func (o *Offer) UnmarshalJSON(b []byte) error {
	*o = Offer{}
	if json.Unmarshal(b, &o.Request) == nil {
		return nil
	}
	type plain Offer
	return json.Unmarshal(b, (*plain)(o))
}

// offersOf returns the candidates of a refusal to be stored.
func offersOf(r *model.Refusal) []Offer {
	out := make([]Offer, len(r.Candidates))
	for i, c := range r.Candidates {
		out[i].Candidate = c
	}
	return out
}

// content is a part of a message.
type content struct {
	Type    model.PartKind `json:"type"`
	Text    string         `json:"text,omitempty"`
	Refusal string         `json:"refusal,omitempty"`
}

// outcome is the result of a piece of an answer, in the order of the answer: prose, an edit,
// or another event. Type decides which fields are set.
type outcome struct {
	Type    string          `json:"type"` // prose, hunk, event
	From    int             `json:"from,omitempty"`
	To      int             `json:"to,omitempty"`   // prose: the bytes of the text from From to To
	Text    string          `json:"text,omitempty"` // prose that is not literally in the text
	Hunk    int             `json:"hunk,omitempty"`
	Path    string          `json:"path,omitempty"`
	Status  parts.HunkState `json:"status,omitempty"`
	Line    int             `json:"line,omitempty"`
	Added   int             `json:"added,omitempty"` // lines
	Removed int             `json:"removed,omitempty"`
	Reason  string          `json:"reason,omitempty"`
	Message string          `json:"message,omitempty"`
	Event   json.RawMessage `json:"event,omitempty"`
}

const (
	prose = "prose"
	hunk  = "hunk"
	event = "event"
)

// encode does not escape HTML characters, which are frequent in patches.
func encode(v any) (json.RawMessage, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}

// text returns the text of a message, or the input of a call.
func (b body) text() string {
	s := b.Arguments + b.Input
	for _, c := range b.Content {
		s += c.Text
	}
	return s
}

// events returns the events that led to this outcome; text is the answer that it refers to.
func (o outcome) events(text string) []engine.Event {
	switch o.Type {
	case prose:
		if o.Text == "" && o.From >= 0 && o.From <= o.To && o.To <= len(text) {
			o.Text = text[o.From:o.To]
		}
		return []engine.Event{engine.Prose{Text: o.Text}}
	case event:
		if ev, err := engine.UnmarshalEvent(o.Event); err == nil && ev != nil { // a later version may have other events
			return []engine.Event{ev}
		}
	case hunk:
		return o.hunkEvents()
	}
	return nil
}

func (o outcome) hunkEvents() []engine.Event {
	out := []engine.Event{engine.HunkOpened{Hunk: o.Hunk, Path: o.Path, Line: o.Line}}
	switch o.Status {
	case parts.Done, parts.Partial:
		out = append(out, engine.HunkClosed{Hunk: o.Hunk, Path: o.Path, Added: o.Added, Removed: o.Removed,
			Partial: o.Status == parts.Partial})
	case parts.Refused:
		out = append(out, engine.HunkFailed{Hunk: o.Hunk, Path: o.Path, Reason: o.Reason, Message: o.Message})
	case parts.Open:
	}
	return out
}
