package engine

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"

	"waferpair/engine/beside"
	"waferpair/engine/model"
)

// Event is one thing that happened in a turn. A turn's stream of events begins with Started
// and ends with exactly one Ended. Scripts rely on the event's kind and on its JSON fields,
// which MarshalEvent prints, so fields that are not printed have the tag "-".
type Event interface{ Kind() string }

type (
	// Started opens the stream, before the model is asked. The turn waits for the model
	// until the next event.
	Started struct {
		Turn  int64  `json:"turn"` // its number in the history; 0 when nothing is recorded
		Model string `json:"model"`
		Auto  string `json:"auto,omitempty"` // why the program chose this model; "": the user did
	}

	// Prose is text of the model outside its edits.
	Prose struct {
		Text string `json:"text"`
	}

	// HunkOpened means that the place of an edit is certain.
	HunkOpened struct {
		Hunk int    `json:"hunk"` // numbered from 1 within the turn
		Path string `json:"path"`
		Line int    `json:"line"` // from 1
	}

	// HunkChanged is a change of a file's live text.
	HunkChanged struct {
		Hunk     int    `json:"hunk"`
		Path     string `json:"path"`
		Line     int    `json:"line"` // from 1, of the first byte changed
		Removed  string `json:"removed"`
		Inserted string `json:"inserted"`
	}

	// HunkClosed means that an edit is complete, or was cut.
	HunkClosed struct {
		Hunk    int    `json:"hunk"`
		Path    string `json:"path"`
		Added   int    `json:"added"` // lines
		Removed int    `json:"removed"`
		Partial bool   `json:"partial"`
	}

	// HunkFailed means that an edit was not made, and why. Its changes so far were
	// reverted.
	HunkFailed struct {
		Hunk    int    `json:"-"` // not part of the contract with scripts
		Path    string `json:"path"`
		Reason  string `json:"reason"` // missing, ambiguous, refused, barred, contradicted, overlap, held, ...
		Message string `json:"message"`
		Try     int    `json:"try,omitempty"` // 2 and up: the model had written it before; 0: it is the first try
	}

	// HunkReturned means that an edit that failed went back to the model, with the reason and
	// the file's lines.
	HunkReturned struct {
		Hunk int    `json:"hunk"`
		Path string `json:"path"`
		Line int    `json:"line,omitempty"` // the likeliest place, from 1; 0: there is none
	}

	// FileCreated, FileDeleted and FileMoved report changes of whole files.
	FileCreated struct {
		Path string `json:"path"`
	}
	FileDeleted struct {
		Path string `json:"path"`
	}
	FileMoved struct {
		Path string `json:"path"`
		To   string `json:"to"`
	}

	// EditAcked means that an edit is in the history and survives a crash.
	EditAcked struct {
		ID   int64  `json:"id"`
		Path string `json:"path"`
	}

	// Steered reports the state of a steer, once for each state.
	Steered struct {
		Text  string     `json:"text"`
		State SteerState `json:"state"`
		Hunk  int        `json:"hunk"`  // the edit at which it was applied
		Steer int        `json:"steer"` // numbered from 1 within the turn: two may have the same words
	}

	// Working reports the progress of a model that has no output yet.
	Working struct {
		Phase model.Phase `json:"phase"`
		Done  int64       `json:"done"`
		Total int64       `json:"total"` // 0 when unknown
		Note  string      `json:"note"`
	}

	// Cited is a place of a file that the answer to a question names, checked against the
	// project. OK is false when there is no such place, and Why says what is wrong.
	Cited struct {
		Text string `json:"text"` // as the answer has it
		Path string `json:"path"`
		Line int    `json:"line"`         // from 1
		To   int    `json:"to,omitempty"` // the last line of a range
		OK   bool   `json:"ok"`
		Why  string `json:"why,omitempty"`
	}

	// Called means that the model has called a tool that does not edit, or one in vain. About is what it
	// asked for: "main.go lines 1-80". Failed is why it got nothing; "" when it did.
	Called struct {
		Tool   string `json:"tool"`
		About  string `json:"about,omitempty"`
		Failed string `json:"failed,omitempty"`
	}

	// Note is a message for the user.
	Note struct {
		Text string `json:"text"`
	}

	// Ended closes the stream. Use End to make one.
	Ended struct{ Outcome }
)

func (Started) Kind() string      { return "turn.started" }
func (Prose) Kind() string        { return "prose" }
func (HunkOpened) Kind() string   { return "hunk.opened" }
func (HunkChanged) Kind() string  { return "hunk.changed" }
func (HunkClosed) Kind() string   { return "hunk.closed" }
func (HunkFailed) Kind() string   { return "hunk.failed" }
func (HunkReturned) Kind() string { return "hunk.returned" }
func (FileCreated) Kind() string  { return "file.created" }
func (FileDeleted) Kind() string  { return "file.deleted" }
func (FileMoved) Kind() string    { return "file.moved" }
func (EditAcked) Kind() string    { return "edit.acked" }
func (Steered) Kind() string      { return "steered" }
func (Working) Kind() string      { return "working" }
func (Cited) Kind() string        { return "citation" }
func (Called) Kind() string       { return "tool.called" }
func (Note) Kind() string         { return "note" }
func (Ended) Kind() string        { return "turn.done" }

// End returns the last event of a turn with the outcome o. Its lists are never nil, because
// JSON would show null.
func End(o Outcome) Ended {
	if o.Files == nil {
		o.Files = []FileCount{}
	}
	if o.Edits == nil {
		o.Edits = []int64{}
	}
	return Ended{o}
}

// MarshalEvent returns an event as one JSON object, which begins with its kind:
//
//	{"event":"note","text":"..."}
func MarshalEvent(ev Event) ([]byte, error) {
	var b bytes.Buffer
	fmt.Fprintf(&b, `{"event":%q,`, ev.Kind())
	fields := b.Len()
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false) // people read it too
	if err := enc.Encode(ev); err != nil {
		return nil, fmt.Errorf("write the event %s as JSON: %w", ev.Kind(), err)
	}
	out := b.Bytes()
	return append(out[:fields], bytes.TrimSuffix(out[fields+1:], []byte("\n"))...), nil
}

// kinds are the events that UnmarshalEvent reads: all but Ended, which has fields that are
// not printed. Add every new event here.
var kinds = []Event{Started{}, Prose{}, HunkOpened{}, HunkChanged{}, HunkClosed{}, HunkFailed{}, HunkReturned{},
	FileCreated{}, FileDeleted{}, FileMoved{}, EditAcked{}, Steered{}, Working{}, Cited{}, Called{}, Note{}}

// UnmarshalEvent parses the output of MarshalEvent. It returns nil for a kind that this
// version does not know.
func UnmarshalEvent(b []byte) (Event, error) {
	var of struct{ Event string }
	if err := json.Unmarshal(b, &of); err != nil {
		return nil, fmt.Errorf("read an event: %w", err)
	}
	i := slices.IndexFunc(kinds, func(ev Event) bool { return ev.Kind() == of.Event })
	if i < 0 {
		return nil, nil
	}
	ev := reflect.New(reflect.TypeOf(kinds[i]))
	if err := json.Unmarshal(b, ev.Interface()); err != nil {
		return nil, fmt.Errorf("read the event %s: %w", of.Event, err)
	}
	return ev.Elem().Interface().(Event), nil
}

// SteerState is the progress of a steer.
type SteerState string

// A steer is queued when the turn has received it, sent when the model has, and applied
// when the model's first output after it arrives. It fails when the turn ends first; its
// text then goes back to the user.
const (
	SteerQueued  SteerState = "queued"
	SteerSent    SteerState = "sent"
	SteerApplied SteerState = "applied"
	SteerFailed  SteerState = "failed"
)

// Status is how a turn ended.
type Status string

// The ways in which a turn ends. Acknowledged edits stay in all of them.
const (
	Completed Status = "completed"
	Declined  Status = "declined" // beyond the model
	Held      Status = "held"     // some edits need the user's approval
	Stopped   Status = "stopped"  // by the user
	Failed    Status = "failed"   // something broke
	Conflict  Status = "conflict" // some edits had no certain place or met somebody else's
)

// Outcome is the result of a turn. The message covers the fields that JSON omits.
type Outcome struct {
	Status  Status      `json:"status"`
	Model   string      `json:"model"`
	Auto    string      `json:"auto,omitempty"` // as in Started
	Files   []FileCount `json:"files"`
	Edits   []int64     `json:"edits"`   // in the order in which they were made
	Message string      `json:"message"` // one paragraph for the user
	// why the model refused, when Status is Declined; busy, when the turn is Held only
	// because of other turns
	Code   model.Code `json:"code,omitempty"`
	Timing Timing     `json:"timing"`
	// Wafer is what the emulated wafer would have done; nil for models that do not run on this computer.
	Wafer   *beside.Estimate `json:"wafer,omitempty"`
	Turn    int64            `json:"turn"` // as in Started
	Said    string           `json:"-"`    // the model's complete text
	Refusal *model.Refusal   `json:"-"`    // when Status is Declined
	Outside []string         `json:"-"`    // paths that were held because of the scope
	Unmade  []Unmade         `json:"-"`    // hunks that were held because another turn was editing the files
}

// FileCount is the number of lines that a turn added to and removed from a file.
type FileCount = model.FileCount
