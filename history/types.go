package history

import (
	"io/fs"
	"time"

	"waferpair/workspace/text"
)

// TurnID names one turn of a session.
type TurnID int64

// SessionID names one conversation.
type SessionID int64

// ItemID names one item of a conversation.
type ItemID int64

// Author says who made an operation.
type Author string

const (
	User     Author = "user"
	Model    Author = "model"
	Outside  Author = "outside"  // another program changed the file on disk
	Revert   Author = "revert"   // history's own plans: revert, restore
	Recovery Author = "recovery" // put right after a crash
)

// Op is what was done in one go: one hunk, one save by another program, one revert.
type Op struct {
	Author  Author
	Turn    TurnID // 0: outside any turn
	Reverts []EditID
	Note    string
	Edits   []NewEdit
	// Drafts replace those of their turns and paths in the same commit: what is
	// not an edit yet follows a version that this operation makes.
	Drafts []Draft
	// OrNot is for whoever waits for the receipt before building on it: when the
	// operation cannot be written at once, it has not happened. Without it, the
	// store keeps what it gave a receipt for, and writes it when that is possible.
	OrNot bool
	// Save is the intent of which this operation is the record: from its commit
	// on, the intent is Recorded. 0: none.
	Save int64
}

// NewEdit is one edit to record.
type NewEdit struct {
	Path    string
	Kind    Kind
	To      string         // rename: the new path
	Changes text.ChangeSet // text
	Before  text.Text      // text: the version that Changes applies to
	Content []byte         // create, blob; symlink: the target
	Mode    fs.FileMode    // create, mode; 0 keeps the mode, or means 0644 for a new file
	Expect  Hash           // blob, delete, ...: the version this replaces; zero is not checked
	Partial bool           // cut in mid-hunk
	Reverts []EditID       // the edits this one takes back
	Hide    *Hide          // text: secrets that this edit finishes
}

// Edit is a recorded edit.
type Edit struct {
	ID             EditID
	Op             int64
	Branch         string
	Session        SessionID
	Turn           TurnID
	Author         Author
	Kind           Kind
	Path, To       string
	Time           time.Time
	Note           string
	Mode           fs.FileMode // when the edit set one
	Hash           Hash        // of the version it made; zero when there is none
	Added, Removed int         // lines
	Reverts        []EditID
	RevertedBy     EditID // the edit that takes this one back, when that is still in force
	Partial        bool
	Purged         bool // its content was removed by Purge, or reclaimed
	Reclaimed      bool // it was given up to keep the history below its cap
}

// Detail is an edit with its content: Before and After are what the file held on
// both sides of it, and Changes leads from the one to the other (text edits).
type Detail struct {
	Edit
	Before, After Version
	Changes       text.ChangeSet
}

// PathState is one file that exists at a moment, without its content.
type PathState struct {
	Path string
	Hash Hash
	Mode fs.FileMode
	Edit EditID
}

// Filter chooses edits. Zero fields do not restrict.
type Filter struct {
	Path     string
	Turn     TurnID
	Session  SessionID
	Author   Author
	After    EditID // only edits with a larger ID
	Before   EditID // only edits with a smaller ID
	Limit    int    // the newest so many
	Branch   string // "": the current branch's lineage
	Branches bool   // every branch, not only one lineage
}

// Branch is a line of edits that leaves its parent after edit At.
type Branch struct {
	Name    string
	Parent  string // "" for the first branch
	At      EditID
	Current bool
	Head    EditID // its newest edit, its ancestors' included
	id      int64
	parent  int64
	turn    TurnID // the newest one shared with the parent
}
