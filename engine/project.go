package engine

import (
	"context"

	"waferpair/engine/editstream"
	"waferpair/engine/model"
	"waferpair/workspace/text"
)

// Hunk is one edit in one place of one file, as the model wrote it. The history stores
// hunks, and the user can revert each.
type Hunk struct {
	Turn    int64
	Path    string
	Partial bool // a stop or a steer cut it before the model had finished it
}

// Project is the set of files that a turn edits. A turn calls it from one goroutine.
// Changes reach the live buffers at once; Commit makes a finished hunk an edit of the
// history. Turns that run at the same time are independent: when another turn is editing a
// file, each method that changes files fails with *Busy and changes nothing.
type Project interface {
	model.Source
	editstream.Files

	// Change applies cs, which is based on the turn's view of the file, to the live buffer.
	// An *OverlapError means that somebody else changed the same place first: nothing was
	// applied, the hunk becomes a suggestion, and Others is based on the turn's view. With a
	// *RefusedError nothing was applied either: this hunk cannot be made.
	Change(ctx context.Context, h Hunk, cs text.ChangeSet) (Applied, error)

	// Commit, Create, Delete and Move record an edit. The Ack reports when it is durable.
	// For a hunk that changed nothing, Commit returns an Ack without IDs, or *Busy when the
	// hunk could not have changed anything.
	Commit(ctx context.Context, h Hunk) (Ack, error)
	Create(ctx context.Context, h Hunk) (Ack, error)
	Delete(ctx context.Context, h Hunk) (Ack, error)
	Move(ctx context.Context, h Hunk, to string) (Ack, error)

	// Apply makes the exact edits of a turn: all of them, or none. It returns an
	// *OverlapError when somebody else changed the same place first, and *Busy when another
	// turn is editing one of the files.
	Apply(ctx context.Context, turn int64, of []model.FileEdit) ([]Made, error)

	// Revert reverts edits that Apply made: all of them, or none. The history keeps both, with
	// why.
	Revert(ctx context.Context, turn int64, of []Made, why string) error

	// Claim announces that another program writes these files, or files below these
	// folders, for the turn: changes on disk until Release count as its edits. It returns
	// *Busy when another turn is editing one of the files.
	Claim(ctx context.Context, turn int64, paths []string) (Claim, error)

	// Settle writes the buffers to the files on disk.
	Settle(ctx context.Context) error
}

// Delayer is a Project that keeps changes back until their hunk ends, because only then it is certain
// what they are.
type Delayer interface {
	// Finish makes what Change has kept back of a hunk. Others in its result is based on the turn's
	// view with the hunk. Its errors are those of Change; then the turn reverts the hunk, and the
	// changes that do so are kept back with the others, until Commit.
	Finish(ctx context.Context, h Hunk) (Applied, error)
}

// Applied is the effect of a change on the live buffer.
type Applied struct {
	Pieces []Piece
	// Others is what others changed since the turn's last call, mapped over the change. The
	// turn must apply it to its view. It is empty when nobody changed anything.
	Others text.ChangeSet
}

// Piece is one place that a change touched: its first line, from 1, and the text that it
// lost and gained.
type Piece struct {
	Line              int
	Removed, Inserted string
}

// Made is one edit that Apply made: a file created, deleted, renamed, or changed in one
// place.
type Made struct {
	Path             string
	Created, Deleted bool
	To               string // the new path of a renamed file
	Line             int    // from 1, where the change begins
	Pieces           []Piece
	Added, Removed   int // lines
	Ack              Ack // nil when nothing is recorded
}

// Add adds the places and line counts of a change to a file.
func (m *Made) Add(before text.Text, cs text.ChangeSet) error {
	places, err := Places(before, cs)
	for i, at := range places {
		if i == 0 {
			m.Line = at.Line
		}
		m.Pieces = append(m.Pieces, at.Pieces...)
		m.Added, m.Removed = m.Added+at.Added, m.Removed+at.Removed
	}
	return err
}

// RefusedError means that a change must not be made, whatever else is in the file.
type RefusedError struct{ Path, Why string }

func (e *RefusedError) Error() string { return e.Path + ": " + e.Why }

// Claim is a set of paths that another program writes for a turn.
type Claim interface {
	// Release reads the files once more, ends the claim, and returns the edits found on
	// disk, from first to last. It is called once.
	Release(ctx context.Context) ([]Made, error)
}

// Ack is the receipt of recorded edits.
type Ack interface {
	EditIDs() []int64
	Wait(ctx context.Context) error // returns when the edits would survive kill -9
}

// OverlapError means that somebody else changed the same bytes first.
type OverlapError struct {
	Path string
	By   string // user, outside, or model for another turn
	Line int    // from 1
}

// Is makes it match model.ErrStale, so that a model computes its exact edits again.
func (e *OverlapError) Is(target error) bool { return target == model.ErrStale }

func (e *OverlapError) Error() string {
	who := "the " + e.By
	if e.By == "model" {
		who = "another turn"
	}
	return e.Path + ": " + who +
		" changed the same lines while the model was writing them; the model's version was not applied"
}
