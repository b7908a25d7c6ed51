package version

import (
	"context"
	"io/fs"
	"iter"
)

// Reader is where the rows are that versions are made of. Paths and contents go
// by their numbers there.
type Reader interface {
	// PathID is the number of a path; 0 when no row is about it.
	PathID(ctx context.Context, path string) (int64, error)
	// Edits are the edits of a path in a segment that are newer than after, newest
	// first; with what they changed if deltas is set. Of what only changed text, but
	// for the newest, After may be left out.
	Edits(ctx context.Context, path int64, seg Segment, after EditID, deltas bool) iter.Seq2[Row, error]
	// Renamed is the newest rename onto a path in a segment, of which something is
	// left, and the path that the file had before; that is 0 when there is none.
	Renamed(ctx context.Context, path int64, seg Segment) (from int64, rename Row, err error)
	// First is what a path held when it was first seen; nil when it was not.
	First(ctx context.Context, path int64) (*First, error)
	// Content is a whole content. The caller compares its hash.
	Content(ctx context.Context, id int64) ([]byte, error)
}

// Row is an edit as it is stored.
type Row struct {
	ID      EditID
	Kind    Kind
	Lost    error // why nothing of it is left, an ErrPurged; nil for what is
	Mode    fs.FileMode
	HasMode bool
	After   []byte // hash of the version that it made; nil: no file is there any more
	Blob    int64  // that version's content, when it is stored whole; or 0
	Delta   []byte
	Size    int // of Delta, also when that was not read
}

// First is what a path held when it was first seen, or when it was seen anew after
// all that it held was purged.
type First struct {
	Since EditID // the newest edit of that moment
	Mode  fs.FileMode
	After []byte // nil: purged
	Blob  int64
}
