package plan

import (
	"context"

	"waferpair/history/version"
)

// Reader is where the rows are that plans are made of.
type Reader interface {
	version.Reader
	// Path is the path with a number.
	Path(ctx context.Context, id int64) (string, error)
	// Edited are the paths that were ever edited.
	Edited(ctx context.Context) ([]int64, error)
	// Touch is an edit; an ErrNoEdit when there is none.
	Touch(ctx context.Context, id version.EditID) (Touch, error)
	// Touching are the edits of a lineage, from one on, that have a path as theirs
	// before or after. They come in no order.
	Touching(ctx context.Context, path int64, lin version.Lineage, since version.EditID) ([]Touch, error)
	// Reverts say which edits of a lineage take others back.
	Reverts(ctx context.Context, lin version.Lineage) (Reverts, error)
	// Names are the renames of a lineage, from an edit on.
	Names(ctx context.Context, lin version.Lineage, since version.EditID) (Names, error)
}

// Touch is an edit and the paths that it touched, as stored.
type Touch struct {
	ID       version.EditID
	Kind     version.Kind
	Path, To string // To: of a rename
	Delta    []byte
	After    version.Hash // zero: no file is there any more
	OfPlan   bool         // a plan of history was carried out: a revert or a restore
	Lost     error        // why its content is not there, an ErrPurged; nil when it is
}

func (e Touch) pathAfter() string {
	if e.Kind == version.Rename {
		return e.To
	}
	return e.Path
}
