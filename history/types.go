package history

import (
	"io/fs"
	"time"

	"waferpair/workspace/text"
)

// TurnID identifies one turn of a session.
type TurnID int64

// SessionID identifies one conversation.
type SessionID int64

// ItemID identifies one item of a conversation.
type ItemID int64

// Author says who made an operation.
type Author string

const (
	User     Author = "user"
	Model    Author = "model"
	Outside  Author = "outside"  // another program changed the file on disk
	Revert   Author = "revert"   // a plan of history itself: a revert, a restore
	Recovery Author = "recovery" // a correction after a crash
)

// Op is one operation: one hunk, one save by another program, one revert.
type Op struct {
	Author  Author
	Turn    TurnID // 0: outside any turn
	Reverts []EditID
	Note    string
	Edits   []NewEdit
	// Drafts replace the drafts of the same turns and paths in the same commit: text that
	// is not an edit yet follows a version that this operation makes.
	Drafts []Draft
	// OrNot gives the operation up when it cannot be written at once, as if it had never
	// happened; callers set it when they wait for the receipt before they build on the
	// operation. Without it, the store keeps every operation that it gave a receipt for and
	// writes it as soon as it can.
	OrNot bool
	// Save is the ID of the intent that this operation records: once the operation is
	// committed, the intent counts as Recorded. 0: none.
	Save int64
}

// NewEdit is one edit to record.
type NewEdit struct {
	Path    string
	Kind    Kind
	To      string         // rename: the new path
	Changes text.ChangeSet // text
	Before  text.Text      // text: the version that Changes applies to; delete: the one that goes, for the count of lines
	Content []byte         // create, blob; symlink: the target
	Mode    fs.FileMode    // create, mode; 0 keeps the mode, or means 0644 for a new file
	Expect  Hash           // blob, delete, ...: the version that this edit replaces; zero skips the check
	Partial bool           // cut in mid-hunk
	Reverts []EditID       // the edits that this one reverts
	Hide    *Hide          // text: secrets that this edit completes
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
	Mode           fs.FileMode // when the edit set a mode
	Hash           Hash        // of the version it made; zero if it made none
	Added, Removed int         // lines
	Reverts        []EditID
	RevertedBy     EditID // the edit that reverts this one, while that revert is in force
	Partial        bool
	Purged         bool // Purge or Reclaim removed its content
	Reclaimed      bool // its content was removed to keep the history below its cap
}

// Detail is an edit with its content: Before and After are the file's versions on both
// sides of it, and for a text edit Changes leads from one to the other.
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

// Filter selects edits. Zero fields do not restrict.
type Filter struct {
	Path     string
	Turn     TurnID
	Session  SessionID
	Author   Author
	After    EditID // only edits with a larger ID
	Before   EditID // only edits with a smaller ID
	Limit    int    // only the newest Limit edits
	Branch   string // "": the current branch's lineage
	Branches bool   // every branch, not only one lineage
}

// Branch is a line of edits that leaves its parent after edit At.
type Branch struct {
	Name    string
	Parent  string // "" for the first branch
	At      EditID
	Current bool
	Head    EditID // its newest edit, including its ancestors'
	id      int64
	parent  int64
	turn    TurnID // the newest turn that it shares with the parent
}
