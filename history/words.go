package history

import (
	"waferpair/history/plan"
	"waferpair/history/version"
	"waferpair/workspace/text"
)

// The types that a store's callers share with history/version and history/plan.
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

// Newest stands for the newest edit of the current branch, as a moment.
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

// HashBytes returns the hash of a version that contains b.
func HashBytes(b []byte) Hash { return version.HashBytes(b) }

// HashText returns the hash of a version that contains t, without copying it.
func HashText(t text.Text) Hash { return version.HashText(t) }
