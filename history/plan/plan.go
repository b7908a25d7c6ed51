package plan

import (
	"io/fs"

	"waferpair/history/version"
	"waferpair/workspace/text"
)

// Plan is a set of edits that would bring about what was asked for. Nothing is
// written yet: app carries it out through workspace and then appends it.
type Plan struct {
	Files []Edit
}

// Edit is one edit of a Plan, with the fields of one to record; Before is
// what the file must hold for the plan to be valid.
type Edit struct {
	Path    string
	Kind    version.Kind
	To      string
	Before  text.Text
	Changes text.ChangeSet
	Content []byte
	Mode    fs.FileMode
	Expect  version.Hash // what the file must hold; zero when it must not exist
	Reverts []version.EditID
	Merged  bool // by lines, for the exact places of what is taken back cannot be told
}
