package history

import (
	"errors"
	"fmt"

	sqlite "github.com/mattn/go-sqlite3"

	"waferpair/history/version"
)

var (
	// ErrReadOnly means that the store is read-only: another process has the project open.
	ErrReadOnly = errors.New("history is read-only")
	// ErrNewer means that a newer version of the program wrote the database.
	ErrNewer = errors.New("the history was written by a newer version of waferpair; update waferpair to open it")
	// ErrNoEdit means that no edit has this ID.
	ErrNoEdit = version.ErrNoEdit
	// ErrPurged means that Purge removed the content.
	ErrPurged = version.ErrPurged
	// ErrReclaimed is an ErrPurged: the content was removed to keep the history below its
	// cap.
	ErrReclaimed = version.ErrReclaimed
	// ErrDamaged means that stored bytes do not match their recorded hash.
	ErrDamaged = version.ErrDamaged
	// ErrFull means that the disk is full; nothing was recorded.
	ErrFull = errors.New("the disk is full: free some space and try again; nothing was recorded")
	// ErrClosed means that the store is closed.
	ErrClosed = errors.New("the history is closed")
	// ErrNotFound means that no such session, turn, branch or file exists.
	ErrNotFound = errors.New("not found")
)

// HeadError means that an edit was made for another version of the file than the newest
// one. The caller rebases the edit and appends it again.
type HeadError struct {
	Path       string
	Head       Hash // zero: the file does not exist in history
	Got        Hash // zero: the edit expects no file
	HeadEdit   EditID
	Impossible string // the reason in words, if it is not about hashes
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

// damaged reports whether err means that the database file itself is damaged.
func damaged(err error) bool {
	var e sqlite.Error
	return errors.Is(err, ErrDamaged) || errors.As(err, &e) && (e.Code == sqlite.ErrCorrupt || e.Code == sqlite.ErrNotADB)
}

// full reports whether err means that the disk is full.
func full(err error) bool {
	var e sqlite.Error
	return isNoSpace(err) || errors.As(err, &e) && (e.Code == sqlite.ErrFull ||
		e.Code == sqlite.ErrIoErr && isNoSpace(e.SystemErrno))
}
