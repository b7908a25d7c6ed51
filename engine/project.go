package engine

import (
	"context"

	"waferpair/engine/editstream"
	"waferpair/engine/model"
	"waferpair/workspace/text"
)

// Hunk is the unit that history keeps and the user can revert: one place in
// one file, as the model wrote it.
type Hunk struct {
	Turn    int64
	Path    string
	Partial bool // cut by a stop or a steer before the model had finished it
}

// Project is what one turn may do to the files. A turn calls it from one
// goroutine. Changes reach the live buffers at once; Commit makes a finished
// hunk an edit of the history. What others turns do at the same time is none of
// its business, except that *Busy refuses a file that another one has: each of the
// methods below that change files returns it, having done nothing.
type Project interface {
	model.Source
	editstream.Files

	// Change applies cs, made against the turn's view of the file, to the live
	// buffer. *OverlapError means that somebody else's change got there first:
	// nothing was applied and the hunk is a suggestion; Others are against the
	// turn's view then.
	Change(ctx context.Context, h Hunk, cs text.ChangeSet) (Applied, error)

	// Commit, Create, Delete and Move record an edit. The Ack says when it is
	// durable. Commit of a hunk that changed nothing returns an Ack without IDs, or
	// *Busy: then it could not have changed anything.
	Commit(ctx context.Context, h Hunk) (Ack, error)
	Create(ctx context.Context, h Hunk) (Ack, error)
	Delete(ctx context.Context, h Hunk) (Ack, error)
	Move(ctx context.Context, h Hunk, to string) (Ack, error)

	// Apply makes the exact edits of a turn: all of them, or none. *OverlapError
	// means that somebody else's change got there first, *Busy that another turn has
	// one of the files.
	Apply(ctx context.Context, turn int64, of []model.FileEdit) ([]Made, error)

	// Claim says that another program writes these files, or what is below these
	// folders, for the turn: what is found of them on disk until Release counts as
	// its edits. *Busy means that another turn has one of the files.
	Claim(ctx context.Context, turn int64, paths []string) (Claim, error)

	// Settle brings the files on disk to where the buffers are.
	Settle(ctx context.Context) error
}

// Applied is what a change did to the live buffer.
type Applied struct {
	Pieces []Piece
	// Others is what others changed since the turn last looked, mapped over the
	// change, for the turn to follow. It is empty when nobody did.
	Others text.ChangeSet
}

// Piece is one place that a change touched: the first line of it, from 1, and
// what it lost and gained.
type Piece struct {
	Line              int
	Removed, Inserted string
}

// Made is one edit that Apply made: a file created, deleted, or changed in one place.
type Made struct {
	Path             string
	Created, Deleted bool
	To               string // of a file that was renamed
	Line             int    // from 1, where the change begins
	Pieces           []Piece
	Added, Removed   int // lines
	Ack              Ack // nil when nothing is recorded
}

// Add is what a change of a file makes: its places, and how many lines they are.
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

// Claim is what a turn has another program write.
type Claim interface {
	// Release looks at the files once more, gives them back, and says which edits
	// were made of what was found, from first to last. It is called once.
	Release(ctx context.Context) ([]Made, error)
}

// Ack is the receipt of recorded edits.
type Ack interface {
	EditIDs() []int64
	Wait(ctx context.Context) error // until the edits would survive kill -9
}

// OverlapError says that somebody else changed the same bytes first.
type OverlapError struct {
	Path string
	By   string // user, outside or model: another turn
	Line int    // from 1
}

// Is makes it a reason for a model to work exact edits out anew.
func (e *OverlapError) Is(target error) bool { return target == model.ErrStale }

func (e *OverlapError) Error() string {
	who := "the " + e.By
	if e.By == "model" {
		who = "another turn"
	}
	return e.Path + ": " + who +
		" changed the same lines while the model was writing them; the model's version was not applied"
}
