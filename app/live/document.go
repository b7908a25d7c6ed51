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

// Host is what a document needs from its project. A document calls it while it is being
// changed: a call returns at once, unless it records, and never calls the document back.
type Host interface {
	// Append records an operation in the history. An error means that nothing was recorded.
	Append(context.Context, history.Op) (history.Receipt, error)
	// Draft journals unrecorded changes.
	Draft(context.Context, ...history.Draft) error
	// Changed reports that the text of a file changed, Listed that a file was created
	// or deleted.
	Changed(path string)
	Listed()
	// Notice shows the user a message. Trouble reports a problem with a file, again and
	// again while it lasts.
	Notice(message string)
	Trouble(path string, err error)
}

// Document is an open file: its current text, its newest version in the history, and
// its content on disk. Callers of its methods hold the lock of the file; ID,
// ReadOnlyReason, State and the buffer may be read without it.
//
//	disk --unsaved--> head --model--> mid --typed--> live
//
// The buffer holds live with its versions; the layers hold the rest. Put and Become
// change both together.
type Document struct {
	Path   string
	Buffer *workspace.Buffer
	Layers
	Disk Disk

	Mode     fs.FileMode
	Umask    *fs.FileMode   // with which a turn has the file made; nil: this process's own
	Encoding text.Encoding  // of the file as it was opened
	Excluded string         // why history does not keep the file; "" when it does
	Turn     history.TurnID // whose hunk streams in

	host     Host
	snapshot atomic.Pointer[snapshot]

	masked   text.Text // head as history holds it, see package mask
	redacted bool      // masked hides a secret

	unsavedBy Authors // the authors of edits that are not on disk
	saves     int     // saves of this opening
	early     Acks    // receipts for parts of the open hunk that are already recorded
	journaling
	burst
}

// Open starts a new opening of a file; Found or Missing must follow. tracked is false
// while nothing can be recorded; held says why history excludes the file, "" if it
// does not.
func Open(host Host, path, excluded string, tracked bool) *Document {
	d := &Document{Path: path, Mode: 0o644, Excluded: excluded, host: host}
	now := snapshot{id: newID()}
	switch {
	case !tracked:
		now.state.Track = Shown
	case excluded != "":
		now.state.Track = Untracked
	}
	d.snapshot.Store(&now)
	return d
}

// snapshot is the part of a document that may be read without the lock of its file.
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

// renew starts a new opening: the changes that pages hold of the old one do not apply to it.
func (d *Document) renew() { d.update(func(f *snapshot) { f.id = newID() }) }

// ReadOnlyReason is why the file cannot be changed; "" when it can.
func (d *Document) ReadOnlyReason() string { return d.snapshot.Load().readOnly }

// SetReadOnly sets why the file cannot be changed; "" when it can.
func (d *Document) SetReadOnly(why string) { d.update(func(f *snapshot) { f.readOnly = why }) }

// newID returns a random id that JavaScript can represent exactly.
func newID() int64 { return rand.Int64N(1<<53-1) + 1 }

// Found initializes the document with a file that exists: t is its text, live and on
// disk, where its bytes have the given hash; m is the text as history holds it.
func (d *Document) Found(hash [32]byte, t, m text.Text, hides bool) {
	d.Buffer = workspace.NewBuffer(d.Path, t)
	d.Layers, d.Disk = At(t), OnDisk(hash, t)
	d.masked, d.redacted = m, hides
	d.update(func(f *snapshot) { f.state.Life = Present })
}

// Missing initializes the document with a file that does not exist.
func (d *Document) Missing() {
	d.Buffer = workspace.NewBuffer(d.Path, text.Text{})
	d.Layers, d.Disk = At(text.Text{}), OnDisk([32]byte{}, text.Text{})
}

// State returns whether the file exists, and how far history and disk have it.
func (d *Document) State() State { return d.snapshot.Load().state }

// Handle applies an event to the state.
func (d *Document) Handle(e Event) {
	d.update(func(f *snapshot) { f.state = f.state.After(e) })
}

// Exists reports whether the file exists now.
func (d *Document) Exists() bool { return d.State().Exists() }

// Tracked reports whether history tracks the document.
func (d *Document) Tracked() bool { return d.State().Track == Tracked }

// Dirty reports whether a save is due.
func (d *Document) Dirty() bool { return d.State().Dirty() }

// Moving reports whether history has the file's new name and the disk still the old one.
func (d *Document) Moving() bool { return d.State().Life == Moving }

// Newborn reports whether history does not have the file yet.
func (d *Document) Newborn() bool { return d.State().Life == Newborn }

// Unrecorded reports whether any change is not recorded.
func (d *Document) Unrecorded() bool { return !d.Settled() || d.Newborn() }

// Masked returns head as history holds it, and whether that hides a secret.
func (d *Document) Masked() (m text.Text, hides bool) { return d.masked, d.redacted }

// Redacted reports whether history leaves out a part of head.
func (d *Document) Redacted() bool { return d.redacted }

// HeadHash is the hash of head as history holds it.
func (d *Document) HeadHash() history.Hash { return history.HashText(d.masked) }

// Saves counts the saves of this opening.
func (d *Document) Saves() int { return d.saves }

// SetTurn sets the turn of the hunks that follow.
func (d *Document) SetTurn(turn history.TurnID) {
	if d.Turn != turn {
		d.Turn, d.early = turn, nil
	}
}

// Authors tells whose edits are not on disk yet.
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

// UnsavedBy returns whose edits are not on disk.
func (d *Document) UnsavedBy() Authors { return d.unsavedBy }

// ByModel notes that edits of a model are not on disk.
func (d *Document) ByModel() { d.unsavedBy.Model = true }

// Acks are receipts of the history for the engine.
type Acks []history.Receipt

// EditIDs lists the edits of all receipts.
func (a Acks) EditIDs() []int64 {
	out := []int64{}
	for _, r := range a {
		for _, id := range r.IDs() {
			out = append(out, int64(id))
		}
	}
	return out
}

// Wait waits until all edits are durable.
func (a Acks) Wait(ctx context.Context) error {
	for _, r := range a {
		if err := r.Wait(ctx); err != nil {
			return err
		}
	}
	return nil
}
