package version

import (
	"context"
	"io/fs"
	"iter"
)

// Reader provides the rows of versions. It identifies paths and contents by number.
type Reader interface {
	// PathID returns the ID of a path, or 0 if no row has it.
	PathID(ctx context.Context, path string) (int64, error)
	// Edits returns the edits of a path in a segment that are newer than after, newest
	// first, with their deltas if deltas is set. For plain text edits other than the
	// newest, After may be missing.
	Edits(ctx context.Context, path int64, seg Segment, after EditID, deltas bool) iter.Seq2[Row, error]
	// Renamed returns the newest rename to a path in a segment that was not purged, and the
	// path that the file had before, or 0 if there is none.
	Renamed(ctx context.Context, path int64, seg Segment) (from int64, rename Row, err error)
	// First returns the first content of a path, or nil if it has none.
	First(ctx context.Context, path int64) (*First, error)
	// Content returns a whole content. The caller compares its hash.
	Content(ctx context.Context, id int64) ([]byte, error)
}

// Row is an edit as stored.
type Row struct {
	ID      EditID
	Kind    Kind
	Lost    error // why nothing of it is left, an ErrPurged; nil otherwise
	Mode    fs.FileMode
	HasMode bool
	After   []byte // hash of the version that it made; nil: the file is gone
	Blob    int64  // that version's content, if it is stored whole; or 0
	Delta   []byte
	Size    int // of Delta, even if that was not read
}

// First is the content of a path when it was first seen, or when it was recorded again
// after everything at the path was purged.
type First struct {
	Since EditID // the newest edit at that time
	Mode  fs.FileMode
	After []byte // nil: purged
	Blob  int64
}
