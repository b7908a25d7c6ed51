package parts

import (
	"encoding/json"
	"reflect"
	"slices"

	"waferpair/engine"
)

// Part is one element of a turn in the conversation.
type Part interface {
	// MapWords returns the part with its text converted by a function.
	MapWords(func(string) string) Part
}

type (
	ProsePart struct {
		Kind string `json:"kind" is:"prose"`
		Text string `json:"text"`
	}
	// HunkPart is an edit, or an edit that was not made.
	HunkPart struct {
		Kind    string    `json:"kind" is:"hunk"`
		Hunk    int       `json:"hunk"`
		Path    string    `json:"path"`
		Line    int       `json:"line"` // its first line; 0: it was not made, and had no certain place
		State   HunkState `json:"state"`
		Added   int       `json:"added"` // lines
		Removed int       `json:"removed"`
		Reason  string    `json:"reason,omitempty"`  // why it was refused, as a keyword: missing, ambiguous, held, ...
		Message string    `json:"message,omitempty"` // the same as a message
		// it went back to the model, which may have written it again as a later edit
		Returned bool `json:"returned,omitempty"`
	}
	// FilePart is a change of a whole file.
	FilePart struct {
		Kind string     `json:"kind" is:"file"`
		What FileChange `json:"what"`
		Path string     `json:"path"`
		To   string     `json:"to"` // the new path of a moved file
	}
	// SteerPart is a steer, with its receipt.
	SteerPart struct {
		Kind  string            `json:"kind" is:"steer"`
		Text  string            `json:"text"`
		State engine.SteerState `json:"state"`
		Hunk  int               `json:"hunk"`  // the edit at which it was applied
		Steer int               `json:"steer"` // numbered from 1 within the turn
	}
	// CitationPart is a place that the answer to a question names.
	CitationPart struct {
		Kind string `json:"kind" is:"citation"`
		Text string `json:"text"` // as the answer has it
		Path string `json:"path"`
		Line int    `json:"line"`         // from 1
		To   int    `json:"to,omitempty"` // the last line of a range
		OK   bool   `json:"ok"`           // there is such a place
		Why  string `json:"why,omitempty"`
	}
	// CallPart is a call of a tool that does not edit, or one in vain.
	CallPart struct {
		Kind   string `json:"kind" is:"call"`
		Tool   string `json:"tool"`
		About  string `json:"about,omitempty"`  // what it asked for: main.go lines 1-80
		Failed string `json:"failed,omitempty"` // why it got nothing
	}
	NotePart struct {
		Kind string `json:"kind" is:"note"`
		Text string `json:"text"`
	}
)

func (p ProsePart) MapWords(say func(string) string) Part { p.Text = say(p.Text); return p }
func (p HunkPart) MapWords(say func(string) string) Part  { p.Message = say(p.Message); return p }
func (p FilePart) MapWords(func(string) string) Part      { return p }
func (p SteerPart) MapWords(say func(string) string) Part { p.Text = say(p.Text); return p }
func (p NotePart) MapWords(say func(string) string) Part  { p.Text = say(p.Text); return p }
func (p CallPart) MapWords(say func(string) string) Part {
	p.Tool, p.About, p.Failed = say(p.Tool), say(p.About), say(p.Failed)
	return p
}
func (p CitationPart) MapWords(say func(string) string) Part {
	p.Text, p.Path, p.Why = say(p.Text), say(p.Path), say(p.Why)
	return p
}

// Kinds returns an empty part of each kind.
func Kinds() []Part {
	return []Part{ProsePart{}, HunkPart{}, FilePart{}, SteerPart{}, NotePart{}, CitationPart{}, CallPart{}}
}

// read parses a part; nil when this version does not know its kind.
func read(b []byte) (Part, error) {
	var of struct{ Kind string }
	if err := json.Unmarshal(b, &of); err != nil {
		return nil, err
	}
	for _, kind := range Kinds() {
		t := reflect.TypeOf(kind)
		if f, _ := t.FieldByName("Kind"); f.Tag.Get("is") != of.Kind {
			continue
		}
		p := reflect.New(t)
		err := json.Unmarshal(b, p.Interface())
		return p.Elem().Interface().(Part), err
	}
	return nil, nil
}

// HunkState is the state of an edit.
type HunkState string

const (
	Open    HunkState = "open"
	Done    HunkState = "done"
	Partial HunkState = "partial" // cut off, and recorded as far as it was written
	Refused HunkState = "refused"
)

// FileChange is a kind of change of a whole file.
type FileChange string

const (
	Created FileChange = "created"
	Deleted FileChange = "deleted"
	Moved   FileChange = "moved"
)

// Record is what earlier versions stored of a turn for the conversation, as JSON.
type Record struct {
	Parts   Kept     `json:"parts"`
	Nearest []string `json:"nearest,omitempty"` // requests that the model can carry out
}

// Kept are stored parts. Reading them skips kinds that this version does not know.
type Kept []Part

// UnmarshalJSON implements json.Unmarshaler.
func (k *Kept) UnmarshalJSON(b []byte) error {
	var all []json.RawMessage
	if err := json.Unmarshal(b, &all); err != nil {
		return err
	}
	*k = slices.Grow(Kept(nil), len(all))
	for _, one := range all {
		p, err := read(one)
		if err != nil {
			return err
		}
		if p != nil {
			*k = append(*k, p)
		}
	}
	return nil
}
