package plan

import (
	"io/fs"

	"waferpair/history/version"
	"waferpair/workspace/text"
)

// Plan is a set of edits that would carry out a request. Nothing is written yet: app
// carries it out through workspace and then appends it.
type Plan struct {
	Files []Edit
}

// Edit is one edit of a Plan, with the fields of an edit to record; Before is the text that
// the file must contain for the plan to be valid.
type Edit struct {
	Path    string
	Kind    version.Kind
	To      string
	Before  text.Text
	Changes text.ChangeSet
	Content []byte
	Mode    fs.FileMode
	Expect  version.Hash // the hash that the file must have; zero if it must not exist
	Reverts []version.EditID
	Merged  bool // by lines, because the exact places of the reverted edits are lost
}
