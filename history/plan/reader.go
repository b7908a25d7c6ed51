package plan

import (
	"context"

	"waferpair/history/version"
)

// Reader provides the rows that plans are computed from.
type Reader interface {
	version.Reader
	// Path returns the path with an ID.
	Path(ctx context.Context, id int64) (string, error)
	// Edited returns the paths that were ever edited.
	Edited(ctx context.Context) ([]int64, error)
	// Touch returns an edit, or an ErrNoEdit if there is none.
	Touch(ctx context.Context, id version.EditID) (Touch, error)
	// Touching returns the edits of a lineage, from one on, that have a path before or
	// after them, in no particular order.
	Touching(ctx context.Context, path int64, lin version.Lineage, since version.EditID) ([]Touch, error)
	// Reverts returns which edits of a lineage revert others.
	Reverts(ctx context.Context, lin version.Lineage) (Reverts, error)
	// Names returns the renames of a lineage, from an edit on.
	Names(ctx context.Context, lin version.Lineage, since version.EditID) (Names, error)
}

// Touch is an edit with the paths that it touched, as stored.
type Touch struct {
	ID       version.EditID
	Kind     version.Kind
	Path, To string // To: of a rename
	Delta    []byte
	After    version.Hash // zero: no file exists any more
	OfPlan   bool         // an edit of a plan of history: a revert or a restore
	Lost     error        // why its content is missing, an ErrPurged; nil if it is not
}

func (e Touch) pathAfter() string {
	if e.Kind == version.Rename {
		return e.To
	}
	return e.Path
}
