package engine

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"

	"waferpair/engine/model"
)

// Event is one thing that happened in a turn. The stream of a turn's events
// begins with Started and ends with exactly one Ended. Its kind and the names of its fields are those
// under which it is printed (MarshalEvent), and a contract with scripts: what is
// not to be printed with the others is left out there.
type Event interface{ Kind() string }

type (
	// Started opens the stream, before the model is asked: until something else comes,
	// the turn waits for it.
	Started struct {
		Turn  int64  `json:"turn"` // its number in the history; 0 when nothing is recorded
		Model string `json:"model"`
	}

	// Prose is what the model says outside its edits.
	Prose struct {
		Text string `json:"text"`
	}

	// HunkOpened says that the place of an edit is certain.
	HunkOpened struct {
		Hunk int    `json:"hunk"` // numbered from 1 within the turn
		Path string `json:"path"`
		Line int    `json:"line"` // from 1
	}

	// HunkChanged says what the live text of a file lost and gained.
	HunkChanged struct {
		Hunk     int    `json:"hunk"`
		Path     string `json:"path"`
		Line     int    `json:"line"` // from 1, of the first byte changed
		Removed  string `json:"removed"`
		Inserted string `json:"inserted"`
	}

	// HunkClosed says that an edit is complete, or was cut.
	HunkClosed struct {
		Hunk    int    `json:"hunk"`
		Path    string `json:"path"`
		Added   int    `json:"added"` // lines
		Removed int    `json:"removed"`
		Partial bool   `json:"partial"`
	}

	// HunkFailed says that an edit was not made, and why. Whatever had been
	// made of it was taken back.
	HunkFailed struct {
		Hunk    int    `json:"-"` // scripts never had it
		Path    string `json:"path"`
		Reason  string `json:"reason"` // missing, ambiguous, refused, contradicted, overlap, held, busy, ...
		Message string `json:"message"`
	}

	// FileCreated, FileDeleted and FileMoved say what happened to whole files.
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

	// EditAcked says that an edit is in the history and would survive a crash.
	EditAcked struct {
		ID   int64  `json:"id"`
		Path string `json:"path"`
	}

	// Steered is the receipt of a steer, sent again at each step.
	Steered struct {
		Text  string     `json:"text"`
		State SteerState `json:"state"`
		Hunk  int        `json:"hunk"`  // the edit at which it was applied
		Steer int        `json:"steer"` // numbered from 1 within the turn: two may have the same words
	}

	// Working is how far the model is with something that says nothing yet.
	Working struct {
		Phase model.Phase `json:"phase"`
		Done  int64       `json:"done"`
		Total int64       `json:"total"` // 0: not known
		Note  string      `json:"note"`
	}

	// Note is something that the user should know.
	Note struct {
		Text string `json:"text"`
	}

	// Ended closes the stream; End makes it.
	Ended struct{ Outcome }
)

func (Started) Kind() string     { return "turn.started" }
func (Prose) Kind() string       { return "prose" }
func (HunkOpened) Kind() string  { return "hunk.opened" }
func (HunkChanged) Kind() string { return "hunk.changed" }
func (HunkClosed) Kind() string  { return "hunk.closed" }
func (HunkFailed) Kind() string  { return "hunk.failed" }
func (FileCreated) Kind() string { return "file.created" }
func (FileDeleted) Kind() string { return "file.deleted" }
func (FileMoved) Kind() string   { return "file.moved" }
func (EditAcked) Kind() string   { return "edit.acked" }
func (Steered) Kind() string     { return "steered" }
func (Working) Kind() string     { return "working" }
func (Note) Kind() string        { return "note" }
func (Ended) Kind() string       { return "turn.done" }

// End is the ending of a turn that came to o. Its lists are never nil, which JSON
// would have as null.
func End(o Outcome) Ended {
	if o.Files == nil {
		o.Files = []FileCount{}
	}
	if o.Edits == nil {
		o.Edits = []int64{}
	}
	return Ended{o}
}

// MarshalEvent is an event as one JSON object, which begins with its kind:
//
//	{"event":"note","text":"..."}
func MarshalEvent(ev Event) ([]byte, error) {
	var b bytes.Buffer
	fmt.Fprintf(&b, `{"event":%q,`, ev.Kind())
	fields := b.Len()
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false) // it is for people, too
	if err := enc.Encode(ev); err != nil {
		return nil, fmt.Errorf("write the event %s as JSON: %w", ev.Kind(), err)
	}
	out := b.Bytes()
	return append(out[:fields], bytes.TrimSuffix(out[fields+1:], []byte("\n"))...), nil
}

// kinds are the events that can be read again: all but the end, of which more is
// known than is printed. A new one has its place here.
var kinds = []Event{Started{}, Prose{}, HunkOpened{}, HunkChanged{}, HunkClosed{}, HunkFailed{}, FileCreated{},
	FileDeleted{}, FileMoved{}, EditAcked{}, Steered{}, Working{}, Note{}}

// UnmarshalEvent reads what MarshalEvent gave; nil when it is of a kind that this
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

// SteerState is how far a steer got.
type SteerState string

// A steer is queued when the turn has it, sent when the model has it, applied
// when the model's first text after it arrives, and failed when the turn ended
// first: then its text is handed back.
const (
	SteerQueued  SteerState = "queued"
	SteerSent    SteerState = "sent"
	SteerApplied SteerState = "applied"
	SteerFailed  SteerState = "failed"
)

// Status is how a turn ended.
type Status string

// The endings of a turn. Whatever the ending, the edits that were acknowledged stay.
const (
	Completed Status = "completed"
	Declined  Status = "declined" // beyond the model
	Held      Status = "held"     // some edits need the user's approval
	Stopped   Status = "stopped"  // by the user
	Failed    Status = "failed"   // something broke
	Conflict  Status = "conflict" // some edits had no certain place or met somebody else's
)

// Outcome is what a turn came to. What has no name in JSON is told in the message.
type Outcome struct {
	Status  Status      `json:"status"`
	Model   string      `json:"model"`
	Files   []FileCount `json:"files"`
	Edits   []int64     `json:"edits"`   // in the order in which they were made
	Message string      `json:"message"` // one paragraph for the user
	// why, when Status is Declined; busy, when it is Held because of other turns alone
	Code    model.Code     `json:"code,omitempty"`
	Timing  Timing         `json:"timing"`
	Turn    int64          `json:"turn"` // as Started has it
	Said    string         `json:"-"`    // everything the model said
	Refusal *model.Refusal `json:"-"`    // when Status is Declined
	Outside []string       `json:"-"`    // paths that were held because of the scope
	Unmade  []Unmade       `json:"-"`    // what was held because another turn had the files
}

// FileCount is how many lines a turn added to and removed from a file.
type FileCount struct {
	Path    string `json:"path"`
	Added   int    `json:"added"`
	Removed int    `json:"removed"`
}
