package workspace

import (
	"context"
	"slices"
	"sync"
)

// Op is what a write does to a file.
type Op uint8

// The operations of a write.
const (
	Create Op = iota + 1
	Update
	Delete
	Rename
	Discard // delete whatever it holds; no operation of a Write
)

func (o Op) String() string {
	return [...]string{"none", "create", "update", "delete", "rename", "discard"}[o]
}

// IntentWrite is one file of an intent, as the journal keeps it.
type IntentWrite struct {
	Path   string   `json:"path"`
	To     string   `json:"to,omitempty"`
	Op     Op       `json:"op"`
	Before [32]byte `json:"before"`          // zero when there was no file
	After  [32]byte `json:"after"`           // zero when there will be none
	Temp   string   `json:"temp"`            // path of the temporary file; its directory has links resolved
	Part   string   `json:"part,omitempty"`  // path under which that file was written, of a Change
	Whole  bool     `json:"whole,omitempty"` // of a Change: nothing of it happened before it is Recorded
	Taken  bool     `json:"-"`               // Pending says so of a Change: what is on disk now was taken in since
}

// Intent is a batch of writes that was begun.
type Intent struct {
	ID       int64         `json:"id"`
	Writes   []IntentWrite `json:"writes"`
	Recorded bool          `json:"recorded,omitempty"` // of a Change: its caller has recorded it, so that it stands
}

// State is how a write ended.
type State uint8

// The states of a write.
const (
	NotWritten State = iota // the file is as it was
	Written                 // the file holds the new content
	Conflict                // the file holds the new content, and displaced an outside version
	Unfinished              // not known to be on disk, or not settled: the intent stays pending
)

func (s State) String() string {
	return [...]string{"not written", "written", "conflict", "unfinished"}[s]
}

// Outcome is how one write of an intent ended.
type Outcome struct {
	Path  string `json:"path"`
	State State  `json:"state"`
}

// Journal keeps the intents of saves. Intend must be durable when it returns.
// An intent that is not done when the process ends is Pending at the next start.
// Who keeps the journal marks that of a Change as Recorded, in the very
// transaction that records the change; and a write of a Change as Taken when it
// has taken in what is on disk in the meantime, as another program's: what was
// done on top of that would be lost if the write were put back.
type Journal interface {
	Intend(ctx context.Context, writes []IntentWrite) (id int64, err error)
	Done(ctx context.Context, id int64, outcomes []Outcome) error
	Pending(ctx context.Context) ([]Intent, error)
}

// MemoryJournal is a Journal for tests and for callers that accept to lose
// intents with the process.
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
