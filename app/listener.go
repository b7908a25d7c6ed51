package app

import "waferpair/history"

// Listener receives what happened in a project, for its pages. Calls come from any
// goroutine, some with a file lock held: they return at once and never call back into
// the Project.
type Listener interface {
	TextChanged(path string) // an open document has a newer version, or was replaced, moved or deleted
	FilesChanged()           // the list of files of the project changed
	Recorded(history.EditID) // the history grew
	TurnBegan(*TurnLog)      // a turn is about to begin; Running lists the running turns
	TurnsChanged()           // a turn has new events, or ended
	FolderGone(gone bool)    // the project folder disappeared, or is back
	Unrecorded(says string)  // nothing can be recorded, with a message for the user; "": that is over
}

// noListener ignores all calls.
type noListener struct{}

func (noListener) TextChanged(string)      {}
func (noListener) FilesChanged()           {}
func (noListener) Recorded(history.EditID) {}
func (noListener) TurnBegan(*TurnLog)      {}
func (noListener) TurnsChanged()           {}
func (noListener) FolderGone(bool)         {}
func (noListener) Unrecorded(string)       {}
