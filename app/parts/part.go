package parts

import (
	"encoding/json"
	"reflect"
	"slices"

	"waferpair/engine"
)

// Part is one thing that the conversation shows of a turn.
type Part interface {
	// MapWords is the part with what is said in it passed through a function.
	MapWords(func(string) string) Part
}

type (
	ProsePart struct {
		Kind string `json:"kind" is:"prose"`
		Text string `json:"text"`
	}
	// HunkPart is an edit, also one that was not made.
	HunkPart struct {
		Kind    string    `json:"kind" is:"hunk"`
		Hunk    int       `json:"hunk"`
		Path    string    `json:"path"`
		Line    int       `json:"line"` // where it begins; 0: it was not made, and had no certain place
		State   HunkState `json:"state"`
		Added   int       `json:"added"` // lines
		Removed int       `json:"removed"`
		Reason  string    `json:"reason,omitempty"`  // why it was refused, in a word: missing, ambiguous, held, ...
		Message string    `json:"message,omitempty"` // and in words
	}
	// FilePart is what happened to a file as a whole.
	FilePart struct {
		Kind string     `json:"kind" is:"file"`
		What FileChange `json:"what"`
		Path string     `json:"path"`
		To   string     `json:"to"` // of one that was moved
	}
	// SteerPart is an instruction that cut in, with its receipt.
	SteerPart struct {
		Kind  string            `json:"kind" is:"steer"`
		Text  string            `json:"text"`
		State engine.SteerState `json:"state"`
		Hunk  int               `json:"hunk"`  // the edit at which it was applied
		Steer int               `json:"steer"` // numbered from 1 within the turn
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

// Kinds are an empty part of each kind.
func Kinds() []Part { return []Part{ProsePart{}, HunkPart{}, FilePart{}, SteerPart{}, NotePart{}} }

// read reads a part; nil when it is of a kind that this version does not know.
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

// HunkState is how far an edit has got.
type HunkState string

const (
	Open    HunkState = "open"
	Done    HunkState = "done"
	Partial HunkState = "partial" // cut off, and kept
	Refused HunkState = "refused"
)

// FileChange is what happened to a file as a whole.
type FileChange string

const (
	Created FileChange = "created"
	Deleted FileChange = "deleted"
	Moved   FileChange = "moved"
)

// Record is what earlier versions kept of a turn for the conversation, as JSON.
type Record struct {
	Parts   Kept     `json:"parts"`
	Nearest []string `json:"nearest,omitempty"` // requests that the model would carry out
}

// Kept are parts that were written down. Reading them leaves out kinds that a
// later version may have kept.
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
