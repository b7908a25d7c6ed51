package model

import (
	"errors"

	"waferpair/workspace/text"
)

// Delta is a piece of an answer.
type Delta interface{ delta() }

// Text is a piece of text, which may hold edits in one of the formats of package
// editstream. Tokens is how many tokens it is, as the model counts them; 0 for a
// model that has none.
type Text struct {
	Text   string
	Tokens int
}

// Edits are exact changes of files, which the model worked out: all of them
// happen, or none. yield returns once they have, or says why they have not; with
// ErrStale the model may work them out anew.
type Edits struct{ Of []FileEdit }

// FileEdit is what a model does to one file.
type FileEdit struct {
	Path    string
	Base    text.Text      // what the file held when the model read it; empty for a new one
	Changes text.ChangeSet // of Base; mapped forward over what others changed since
	Create  bool           // there is no such file yet
	Delete  bool           // the file goes away; Changes is not looked at
}

// ErrStale says that exact edits meet what somebody else changed since the model
// read the files.
var ErrStale = errors.New("the files changed since they were read")

func (Text) delta()  {}
func (Edits) delta() {}
