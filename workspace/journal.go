package workspace

import (
	"context"
	"slices"
	"sync"
)

// Op is the operation of a write.
type Op uint8

// The operations of a write.
const (
	Create Op = iota + 1
	Update
	Delete
	Rename
	Discard // deletes the file whatever its content; not an operation of a Write
)

func (o Op) String() string {
	return [...]string{"none", "create", "update", "delete", "rename", "discard"}[o]
}

// IntentWrite is one file of an intent, as the journal stores it.
type IntentWrite struct {
	Path   string   `json:"path"`
	To     string   `json:"to,omitempty"`
	Op     Op       `json:"op"`
	Before [32]byte `json:"before"`          // zero if the file did not exist
	After  [32]byte `json:"after"`           // zero if the file will not exist
	Temp   string   `json:"temp"`            // path of the temporary file; its directory has links resolved
	Part   string   `json:"part,omitempty"`  // of a Change: path under which the temporary file was written
	Whole  bool     `json:"whole,omitempty"` // of a Change: nothing of it counts until it is Recorded
	Made   []string `json:"made,omitempty"`  // folders that are not there yet, and are made for the file
	Taken  bool     `json:"-"`               // of a Change, from Pending: the file on disk is recorded by now
}

// Intent is a batch of writes that was begun.
type Intent struct {
	ID       int64         `json:"id"`
	Writes   []IntentWrite `json:"writes"`
	Recorded bool          `json:"recorded,omitempty"` // of a Change: its caller has recorded it, so it is final
}

// State is how a write ended.
type State uint8

// The states of a write.
const (
	NotWritten State = iota // the file is as before
	Written                 // the file has the new content
	Conflict                // the file has the new content, and an outside version was displaced
	Unfinished              // perhaps not on disk, or not settled: the intent stays pending
)

func (s State) String() string {
	return [...]string{"not written", "written", "conflict", "unfinished"}[s]
}

// Outcome is how one write of an intent ended.
type Outcome struct {
	Path  string `json:"path"`
	State State  `json:"state"`
}

// Journal stores the intents of saves. Intend must be durable when it returns. An intent
// that is not done when the process ends is Pending at the next start. The owner of the
// journal marks the intent of a Change as Recorded, in the very transaction that records
// the change. It marks a write of a Change as Taken if it has meanwhile recorded the file
// on disk as another program's: putting the write back would lose what was done on top of
// it.
type Journal interface {
	Intend(ctx context.Context, writes []IntentWrite) (id int64, err error)
	Done(ctx context.Context, id int64, outcomes []Outcome) error
	Pending(ctx context.Context) ([]Intent, error)
}

// MemoryJournal is a Journal for tests and for callers that accept losing intents with the
// process.
type MemoryJournal struct {
	mu      sync.Mutex
	last    int64
	pending []Intent
	done    map[int64][]Outcome
}

// NewMemoryJournal returns an empty journal.
func NewMemoryJournal() *MemoryJournal { return &MemoryJournal{done: map[int64][]Outcome{}} }

// Intend implements Journal.
func (j *MemoryJournal) Intend(_ context.Context, writes []IntentWrite) (int64, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.last++
	j.pending = append(j.pending, Intent{ID: j.last, Writes: slices.Clone(writes)})
	return j.last, nil
}

// Record marks the intent of a Change as recorded.
func (j *MemoryJournal) Record(id int64) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for i := range j.pending {
		j.pending[i].Recorded = j.pending[i].Recorded || j.pending[i].ID == id
	}
}

// Done implements Journal.
func (j *MemoryJournal) Done(_ context.Context, id int64, outcomes []Outcome) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.pending = slices.DeleteFunc(j.pending, func(i Intent) bool { return i.ID == id })
	j.done[id] = outcomes
	return nil
}

// Pending implements Journal.
func (j *MemoryJournal) Pending(context.Context) ([]Intent, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return slices.Clone(j.pending), nil
}
