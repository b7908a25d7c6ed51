package history

import (
	"errors"
	"fmt"
	"strings"

	sqlite "github.com/mattn/go-sqlite3"

	"waferpair/history/version"
)

var (
	// ErrReadOnly: another instance has the project open and this one only reads.
	ErrReadOnly = errors.New("history is read-only")
	// ErrNewer: the database was written by a newer version of the program.
	ErrNewer = errors.New("the history was written by a newer version of waferpair; update waferpair to open it")
	// ErrNoEdit: no edit has this ID.
	ErrNoEdit = errors.New("there is no edit with this ID")
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

// Lines is a range of lines, counted from 1, both included. An empty range, a
// place between lines, has To == From-1.
type Lines struct{ From, To int }

func (l Lines) String() string {
	if l.To <= l.From {
		return fmt.Sprintf("line %d", l.From)
	}
	return fmt.Sprintf("lines %d-%d", l.From, l.To)
}

// Clash is one reason why an edit cannot be reverted.
type Clash struct {
	Path   string
	Edit   EditID   // the edit to revert
	Old    Lines    // where, in the version that Edit made
	New    Lines    // where, in the newest version
	By     []EditID // the later edits that stand in the way
	Reason string   // in words
}

func (c Clash) String() string {
	var b strings.Builder
	if c.Path != "" {
		fmt.Fprintf(&b, "%s: ", c.Path)
	}
	fmt.Fprintf(&b, "edit %d", c.Edit)
	if c.New != (Lines{}) {
		fmt.Fprintf(&b, " (%v)", c.New)
	}
	fmt.Fprintf(&b, " %s", c.Reason)
	return b.String()
}

// Conflict says that a revert would have to guess. Nothing was written.
type Conflict struct{ Clashes []Clash }

func (c *Conflict) Error() string {
	parts := make([]string, len(c.Clashes))
	for i, k := range c.Clashes {
		parts[i] = k.String()
	}
	return "revert: " + strings.Join(parts, "; ")
}

// damaged reports whether err means that the database file itself is broken.
func damaged(err error) bool {
	var e sqlite.Error
	return errors.As(err, &e) && (e.Code == sqlite.ErrCorrupt || e.Code == sqlite.ErrNotADB)
}

// full reports whether err means that no space is left.
func full(err error) bool {
	var e sqlite.Error
	return isNoSpace(err) || errors.As(err, &e) && (e.Code == sqlite.ErrFull || e.Code == sqlite.ErrIoErr && isNoSpace(e.SystemErrno))
}
