package app

import "waferpair/history"

// Listener is told what happened, so that pages can be told. Calls come from
// any goroutine, some with the lock of a file held: they return at once and
// never call back into the Project.
type Listener interface {
	TextChanged(path string) // an open document has a newer version, was replaced, moved or is gone
	FilesChanged()           // the list of files of the project changed
	Recorded(history.EditID) // the history grew
	TurnBegan(*TurnLog)      // a turn is about to begin; Running lists those that run
	TurnsChanged()           // there is more of a turn, or it ended
	FolderGone(gone bool)    // the project folder disappeared, or is back
	Unrecorded(says string)  // nothing can be recorded, and what becomes of what is typed; "": that is over
}

// noListener ignores everything.
type noListener struct{}

func (noListener) TextChanged(string)      {}
func (noListener) FilesChanged()           {}
func (noListener) Recorded(history.EditID) {}
func (noListener) TurnBegan(*TurnLog)      {}
func (noListener) TurnsChanged()           {}
func (noListener) FolderGone(bool)         {}
func (noListener) Unrecorded(string)       {}
