package engine

import "waferpair/engine/model"

// Event is one thing that happened in a turn. The stream of a turn's events
// ends with exactly one Ended.
type Event interface{ turnEvent() }

type (
	// Prose is what the model says outside its edits.
	Prose struct{ Text string }

	// HunkOpened says that the place of an edit is certain.
	HunkOpened struct {
		Hunk int // numbered from 1 within the turn
		Path string
		Line int // from 1
	}

	// HunkChanged says what the live text of a file lost and gained.
	HunkChanged struct {
		Hunk              int
		Path              string
		Line              int // from 1, of the first byte changed
		Removed, Inserted string
	}

	// HunkClosed says that an edit is complete, or was cut.
	HunkClosed struct {
		Hunk           int
		Path           string
		Added, Removed int // lines
		Partial        bool
	}

	// HunkFailed says that an edit was not made, and why. Whatever had been
	// made of it was taken back.
	HunkFailed struct {
		Hunk    int
		Path    string
		Reason  string // missing, ambiguous, refused, contradicted, overlap, held, ...
		Message string
	}

	// FileCreated, FileDeleted and FileMoved say what happened to whole files.
	FileCreated struct{ Path string }
	FileDeleted struct{ Path string }
	FileMoved   struct{ Path, To string }

	// EditAcked says that an edit is in the history and would survive a crash.
	EditAcked struct {
		ID   int64
		Path string
	}

	// Steered is the receipt of a steer, sent again at each step.
	Steered struct {
		Text  string
		State SteerState
		Hunk  int // the edit at which it was applied
	}

	// Note is something that the user should know.
	Note struct{ Text string }

	// Ended closes the stream.
	Ended struct{ Outcome Outcome }
)

func (Prose) turnEvent()       {}
func (HunkOpened) turnEvent()  {}
func (HunkChanged) turnEvent() {}
func (HunkClosed) turnEvent()  {}
func (HunkFailed) turnEvent()  {}
func (FileCreated) turnEvent() {}
func (FileDeleted) turnEvent() {}
func (FileMoved) turnEvent()   {}
func (EditAcked) turnEvent()   {}
func (Steered) turnEvent()     {}
func (Note) turnEvent()        {}
func (Ended) turnEvent()       {}

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

// Outcome is what a turn came to.
type Outcome struct {
	Status  Status
	Model   string
	Message string // one paragraph for the user
	Files   []FileCount
	Edits   []int64 // in the order in which they were made
	Timing  Timing
	Said    string         // everything the model said
	Refusal *model.Refusal // when Status is Declined
	Outside []string       // paths that were held because of the scope
}

// FileCount is how many lines a turn added to and removed from a file.
type FileCount struct {
	Path    string `json:"path"`
	Added   int    `json:"added"`
	Removed int    `json:"removed"`
}
