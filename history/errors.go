package history

import (
	"errors"
	"fmt"

	sqlite "github.com/mattn/go-sqlite3"

	"waferpair/history/version"
)

var (
	// ErrReadOnly: another instance has the project open and this one only reads.
	ErrReadOnly = errors.New("history is read-only")
	// ErrNewer: the database was written by a newer version of the program.
	ErrNewer = errors.New("the history was written by a newer version of waferpair; update waferpair to open it")
	// ErrNoEdit: no edit has this ID.
	ErrNoEdit = version.ErrNoEdit
	// ErrPurged: the content asked for was removed by Purge.
	ErrPurged = version.ErrPurged
	// ErrReclaimed is an ErrPurged: it was given up to keep the history below its cap.
	ErrReclaimed = version.ErrReclaimed
	// ErrDamaged: stored bytes do not match their recorded hash.
	ErrDamaged = version.ErrDamaged
	// ErrFull: the disk is full; nothing was recorded.
	ErrFull = errors.New("the disk is full: free some space and try again; nothing was recorded")
	// ErrClosed: the store is closed.
	ErrClosed = errors.New("the history is closed")
	// ErrNotFound: no such session, turn, branch or file.
	ErrNotFound = errors.New("not found")
)

// HeadError says that an edit was made for another version of the file than the
// newest one. The caller rebases the edit and appends it again.
type HeadError struct {
	Path       string
	Head       Hash // zero: the file does not exist in history
	Got        Hash // zero: the edit says it must not exist
	HeadEdit   EditID
	Impossible string // in words, for what is not about hashes
}

func (e *HeadError) Error() string {
	why := e.Impossible
	switch {
	case why != "":
	case e.Head.IsZero():
		why = "history does not know this file"
	default:
		why = fmt.Sprintf("the edit is for version %.12s, the newest is %.12s (edit %d)", e.Got, e.Head, e.HeadEdit)
	}
	return fmt.Sprintf("record edit of %s: %s", e.Path, why)
}

// damaged reports whether err means that the database file itself is broken.
func damaged(err error) bool {
	var e sqlite.Error
	return errors.Is(err, ErrDamaged) || errors.As(err, &e) && (e.Code == sqlite.ErrCorrupt || e.Code == sqlite.ErrNotADB)
}

// full reports whether err means that no space is left.
func full(err error) bool {
	var e sqlite.Error
	return isNoSpace(err) || errors.As(err, &e) && (e.Code == sqlite.ErrFull ||
		e.Code == sqlite.ErrIoErr && isNoSpace(e.SystemErrno))
}
