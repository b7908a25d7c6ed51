package live

import (
	"context"
	"io/fs"
	"math/rand/v2"
	"sync/atomic"

	"waferpair/history"
	"waferpair/workspace"
	"waferpair/workspace/text"
)

// Host is what a document needs of its project. It is called while the document is
// being changed: it returns at once, but for what it records, and never comes back.
type Host interface {
	// Append records an operation of the history. What it refuses has not happened.
	Append(context.Context, history.Op) (history.Receipt, error)
	// Draft journals what is not recorded yet.
	Draft(context.Context, ...history.Draft) error
	// Changed is told that the text of a file is another, and Listed that there is
	// such a file now, or none any more.
	Changed(path string)
	Listed()
	// Notice is told what the user should know, and Trouble what goes wrong with a
	// file, again and again while it does.
	Notice(says string)
	Trouble(path string, err error)
}

// Document is an open file: what it is now, what history knows, and what is on
// disk. Whoever calls its methods holds the lock of the file; without it, anybody may
// look at the ID, Fixed and the State, and at what the buffer holds.
//
//	disk --unsaved--> head --model--> mid --typed--> live
//
// The buffer holds live with its versions; layers hold the rest. Everything that
// changes the buffer goes through Put or Become, which keep the two alike. Its
// State says what becomes of it.
type Document struct {
	Path   string
	Buffer *workspace.Buffer
	Layers
	Disk Disk

	Mode     fs.FileMode
	Encoding text.Encoding  // of the file as it was opened
	Excluded string         // why history does not keep the file; "" when it does
	Turn     history.TurnID // whose hunk streams in

	host     Host
	snapshot atomic.Pointer[snapshot]

	masked   text.Text // head as history holds it, see package mask
	redacted bool      // masked hides a secret

	unsavedBy Authors // whose edits are not on disk
	saves     int     // how often it was written
	early     Acks    // of parts of the open hunk that were recorded before its end
	journaling
	burst
}

// Open is a new opening of a file that nothing is known of yet: Found or Missing
// says what it is. tracked is false while nothing can be recorded; held says why the history
// does not keep it.
func Open(host Host, path, held string, tracked bool) *Document {
	d := &Document{Path: path, Mode: 0o644, Excluded: held, host: host}
	now := snapshot{id: newID()}
	switch {
	case !tracked:
		now.state.Track = Shown
	case held != "":
		now.state.Track = Untracked
	}
	d.snapshot.Store(&now)
	return d
}

// snapshot is what may be looked at of a document at any moment, whoever changes it.
type snapshot struct {
	id       int64
	readOnly string
	state    State
}

// update changes the snapshot.
func (d *Document) update(change func(*snapshot)) {
	now := *d.snapshot.Load()
	change(&now)
	d.snapshot.Store(&now)
}

// ID names this opening.
func (d *Document) ID() int64 { return d.snapshot.Load().id }

// renew makes it another opening: what pages know of the old one has no place any more.
func (d *Document) renew() { d.update(func(f *snapshot) { f.id = newID() }) }

// ReadOnlyReason is why the file cannot be changed; "" when it can.
func (d *Document) ReadOnlyReason() string { return d.snapshot.Load().readOnly }

// SetReadOnly sets why the file cannot be changed; "" when it can.
func (d *Document) SetReadOnly(why string) { d.update(func(f *snapshot) { f.readOnly = why }) }

// newID is a name that fits a JavaScript number.
func newID() int64 { return rand.Int64N(1<<53-1) + 1 }

// Found makes t, of which history has m, what the document is live, in history and
// on disk, where its bytes have the given hash.
func (d *Document) Found(hash [32]byte, t, m text.Text, hides bool) {
	d.Buffer = workspace.NewBuffer(d.Path, t)
	d.Layers, d.Disk = At(t), OnDisk(hash, t)
	d.masked, d.redacted = m, hides
	d.update(func(f *snapshot) { f.state.Life = Present })
}

// Missing makes it a file that is not there.
func (d *Document) Missing() {
	d.Buffer = workspace.NewBuffer(d.Path, text.Text{})
	d.Layers, d.Disk = At(text.Text{}), OnDisk([32]byte{}, text.Text{})
}

// State is what the document is to the history and to the disk.
func (d *Document) State() State { return d.snapshot.Load().state }

// Handle moves the state on by an event.
func (d *Document) Handle(e Event) {
	d.update(func(f *snapshot) { f.state = f.state.After(e) })
}

// Exists reports whether there is such a file now.
func (d *Document) Exists() bool { return d.State().Exists() }

// Tracked reports whether history keeps the document.
func (d *Document) Tracked() bool { return d.State().Track == Tracked }

// Dirty reports whether a save is due.
func (d *Document) Dirty() bool { return d.State().Dirty() }

// Moving reports whether history has another name of it than the disk.
func (d *Document) Moving() bool { return d.State().Life == Moving }

// Newborn reports whether history does not have the file yet.
func (d *Document) Newborn() bool { return d.State().Life == Newborn }

// Unrecorded reports whether there is anything that is not recorded.
func (d *Document) Unrecorded() bool { return !d.Settled() || d.Newborn() }

// Masked is head as history holds it, and whether it hides a secret.
func (d *Document) Masked() (m text.Text, hides bool) { return d.masked, d.redacted }

// Redacted reports whether history leaves something of head out.
func (d *Document) Redacted() bool { return d.redacted }

// HeadHash is what history calls its head.
func (d *Document) HeadHash() history.Hash { return history.HashText(d.masked) }

// Saves is how often it was written.
func (d *Document) Saves() int { return d.saves }

// SetTurn makes the hunk that streams in next one of a turn.
func (d *Document) SetTurn(turn history.TurnID) {
	if d.Turn != turn {
		d.Turn, d.early = turn, nil
	}
}

// Authors is whose edits are not on disk yet.
type Authors struct {
	Typed history.EditID // the newest one by the user; 0: none
	Model bool
}

func (a *Authors) add(author history.Author, recorded Acks) {
	for _, r := range recorded {
		ids := r.IDs()
		switch {
		case author == history.User && len(ids) > 0:
			a.Typed = ids[0]
		case author == history.Model:
			a.Model = true
		}
	}
}

// UnsavedBy is whose edits are not on disk.
func (d *Document) UnsavedBy() Authors { return d.unsavedBy }

// ByModel notes that edits of a model are not on disk.
func (d *Document) ByModel() { d.unsavedBy.Model = true }

// Acks are receipts of the history for the engine.
type Acks []history.Receipt

// EditIDs lists the edits.
func (a Acks) EditIDs() []int64 {
	out := []int64{}
	for _, r := range a {
		for _, id := range r.IDs() {
			out = append(out, int64(id))
		}
	}
	return out
}

// Wait returns once all are durable.
func (a Acks) Wait(ctx context.Context) error {
	for _, r := range a {
		if err := r.Wait(ctx); err != nil {
			return err
		}
	}
	return nil
}
