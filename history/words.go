package history

import (
	"waferpair/history/plan"
	"waferpair/history/version"
	"waferpair/workspace/text"
)

// The words that the callers of a store share with history/version and history/plan.
type (
	EditID  = version.EditID
	Kind    = version.Kind
	Version = version.Version
	Hash    = version.Hash

	Plan        = plan.Plan
	PlannedEdit = plan.Edit
	Conflict    = plan.Conflict
	Clash       = plan.Clash
	Lines       = plan.Lines
	ThreeWay    = plan.ThreeWay
)

// Newest stands for the newest edit of the current branch where a moment is asked for.
const Newest = version.Newest

// What an edit does to its file.
const (
	Text    = version.Text
	Create  = version.Create
	Delete  = version.Delete
	Rename  = version.Rename
	Mode    = version.Mode
	Symlink = version.Symlink
	Blob    = version.Blob
)

// HashBytes is the hash of a version that holds b.
func HashBytes(b []byte) Hash { return version.HashBytes(b) }

// HashText is the hash of a version that holds t, without copying it.
func HashText(t text.Text) Hash { return version.HashText(t) }
