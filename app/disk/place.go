package disk

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync"

	"waferpair/app/mask"
	"waferpair/history"
	"waferpair/workspace"
	"waferpair/workspace/text"
)

// A project is identified by its folder, not only by its path. If another folder is at the
// path (a mount point without its disk, a fresh clone, a directory that was deleted and
// created again), files that are missing in it do not count as deleted, and nothing is
// written there, until the user decides:
//
//	while it is open   saves wait until its own folder is back, or UseFolder
//	between two runs   the files tell whether to ask: OtherFolderError, and then
//	                   the same again with TakeAnother

// NewPlace returns the place of the project's folder.
func NewPlace(c *Core) *Place { return &Place{Core: c} }

// Place tells whether the project's folder is at its path.
type Place struct {
	*Core
	mu    sync.Mutex
	gone  bool               // the folder is missing; guarded by mu, like the rest
	found workspace.Identity // another folder that is at the path
	use   workspace.Identity // the folder that the user accepted
}

// Gone reports whether the folder was missing at the last check.
func (p *Place) Gone() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.gone
}

// Away reports whether saves must wait for the folder. It asks the disk, because the
// watcher notices only later that the folder is back.
func (p *Place) Away() bool { return p.Gone() && p.Folder.CheckRoot() != nil }

// setGone sets whether the folder is missing.
func (p *Place) setGone(gone bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.gone = gone
}

// placeMark stores the identity of the folder that the history was last compared with.
const placeMark = "folder"

// maxCompared bounds the files of another folder that are read to decide whether it holds
// the project.
const maxCompared = 200

// OtherFolderError says that another folder than before is at the project's path. Nothing
// was recorded.
type OtherFolderError struct {
	Root string
	Why  string
}

func (e *OtherFolderError) Error() string {
	return fmt.Sprintf("%s is not the folder that it was: %s. Nothing was deleted or changed: "+
		"mount its disk or put the folder back, or use this one for the project from now on", e.Root, e.Why)
}

// check refuses another folder than before that does not hold the project's files. It runs
// before anything is recovered or recorded.
func (p *Place) check(ctx context.Context) error {
	now, err := p.Folder.Identity()
	if err != nil {
		return err
	}
	mark, err := p.Store.Mark(ctx, placeMark)
	if err != nil || mark == now.String() {
		return err
	}
	was, known := workspace.ParseIdentity(mark)
	if !p.TakeAnother && !(known && was.Same(now)) {
		if err := p.holdsProject(ctx, known); err != nil {
			return err
		}
	}
	return p.Store.SetMark(ctx, placeMark, now.String())
}

// holdsProject compares the folder with what history last saw on disk: most files must be
// there, with the same content. If no identity was ever noted, only missing files count.
func (p *Place) holdsProject(ctx context.Context, known bool) error {
	all, err := p.Store.Files(ctx)
	if err != nil {
		return err
	}
	var there []string
	missing := 0
	for name, st := range all {
		switch _, err := p.Folder.Stat(name); {
		case st.Disk.IsZero() || p.Excluded(name) != "":
		case errors.Is(err, fs.ErrNotExist):
			missing++
		default:
			there = append(there, name)
		}
	}
	if total := missing + len(there); 2*missing > total {
		return &OtherFolderError{p.Folder.Root(),
			fmt.Sprintf("%d of the %d files that the history last saw are missing", missing, total)}
	}
	if !known {
		return nil
	}
	there = there[:min(len(there), maxCompared)] // map order: an arbitrary choice
	other := 0
	for _, name := range there {
		if !p.unchanged(ctx, name, all[name].Disk) {
			other++
		}
	}
	if 2*other > len(there) {
		return &OtherFolderError{p.Folder.Root(), fmt.Sprintf("%d of %d files differ from what the history last saw",
			other, len(there))}
	}
	return nil
}

func (p *Place) unchanged(ctx context.Context, name string, h history.Hash) bool {
	f, err := p.Folder.Read(ctx, name)
	if err != nil {
		return false
	}
	m, _ := mask.Text(name, text.Of(f.Bytes))
	return history.HashText(m) == h
}

// Ours returns an error while the project's folder is not at its path, and the user has not
// accepted the one that is there.
func (p *Place) Ours(string) error {
	there, err := p.Folder.CurrentIdentity()
	if err != nil {
		return err
	}
	was, err := p.Folder.Identity()
	if err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if there.Same(was) || there == p.use {
		return nil
	}
	if p.found != there {
		p.found = there
		p.Another()
	}
	return errors.New("another folder is at " + p.Folder.Root())
}

// Other returns the question whether to use another folder that took the project's path; ""
// when there is none.
func (p *Place) Other() string {
	there, err := p.Folder.CurrentIdentity()
	p.mu.Lock()
	defer p.mu.Unlock()
	if err != nil || !p.gone || there != p.found {
		return ""
	}
	return p.otherFolder()
}

func (p *Place) otherFolder() string {
	holds := ""
	if in, err := os.ReadDir(p.Folder.Root()); err == nil && len(in) == 0 {
		holds = " and empty"
	}
	return fmt.Sprintf("%s is not the folder that was open%s. Nothing counts as deleted, and what you type is kept, "+
		"until that one is back or you use this one for the project", p.Folder.Root(), holds)
}

// UseFolder accepts the folder that is at the project's path now as the project's. The next
// comparison records its differences as changes by other programs.
func (p *Place) UseFolder() error {
	there, err := p.Folder.CurrentIdentity()
	if err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if there != p.found {
		return fmt.Errorf("use %s: %w", p.Folder.Root(), workspace.ErrGone)
	}
	p.use = there
	return nil
}

// renew makes the folder that is there now the project's.
func (p *Place) renew(ctx context.Context) error {
	was, err := p.Folder.Identity()
	if err != nil {
		return err
	}
	p.mu.Lock()
	want := p.use
	p.mu.Unlock()
	if there, err := p.Folder.CurrentIdentity(); err != nil || there.Same(was) {
		want = was
	}
	if err := p.Folder.Renew(want); err != nil || p.Store.ReadOnly() {
		return err
	}
	now, err := p.Folder.Identity()
	if err != nil {
		return err
	}
	return p.Store.SetMark(ctx, placeMark, now.String())
}
