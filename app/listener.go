package app

import (
	"context"

	"waferpair/history"
)

// Listener is told what happened, so that pages can be told. Calls come from
// any goroutine, some with the project's lock held: they return at once and
// never call back into the Project.
type Listener interface {
	TextChanged(path string) // an open document has a newer version, was replaced, moved or is gone
	FilesChanged()           // the list of files of the project changed
	Recorded(history.EditID) // the history grew
	FolderGone(gone bool)    // the project folder disappeared, or is back
	Unrecorded(says string)  // nothing can be recorded, and what becomes of what is typed; "": that is over
}

// nobody listens.
type nobody struct{}

func (nobody) TextChanged(string)      {}
func (nobody) FilesChanged()           {}
func (nobody) Recorded(history.EditID) {}
func (nobody) FolderGone(bool)         {}
func (nobody) Unrecorded(string)       {}

// append records an operation and tells the listener. p.mu is held, or nobody
// else can change anything yet.
func (p *Project) append(ctx context.Context, op history.Op) (history.Receipt, error) {
	p.appended.Add(1)
	r, err := p.store.Append(ctx, op)
	if ids := r.IDs(); err == nil && len(ids) > 0 {
		p.opt.Listener.Recorded(ids[len(ids)-1])
	}
	return r, err
}
