package app

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"waferpair/app/mask"
	"waferpair/history"
	"waferpair/workspace"
	"waferpair/workspace/text"
)

// A project is known by its folder, not by the path alone. When another folder
// is at the path (a mount point whose disk is not there, a fresh clone, a
// directory that was deleted and made anew), what is missing in it is not taken
// for deleted, and nothing is written there, before the user says so:
//
//	while it is open   away until its own folder is back, or UseFolder
//	between two runs   its files decide whether there is something to ask;
//	                   OtherFolderError, and again with Options.UseFolder

// place is whether the project's folder is at its path.
type place struct {
	*core
	mu    sync.Mutex
	gone  bool               // the folder is away; mu guards it and the rest
	found workspace.Identity // of another folder that is at its path
	use   workspace.Identity // of the one that the user says is to be used
}

// away reports whether the folder was not at its path when somebody looked last.
func (p *place) away() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.gone
}

// isAway reports whether saves wait for the folder. The watcher hears later that
// it went, or is back: what is saved meanwhile does not wait for that.
func (p *place) isAway() bool { return p.away() && p.folder.Alive() != nil }

func (p *place) setAway(gone bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.gone = gone
}

// placeMark is the identity of the folder that the history was last brought up to.
const placeMark = "folder"

// comparedAtMost is how many files of another folder are read to tell whether
// it holds the project.
const comparedAtMost = 200

// OtherFolderError says that another folder than before is at the project's
// path. Nothing was recorded.
type OtherFolderError struct {
	Root string
	Why  string
}

func (e *OtherFolderError) Error() string {
	return fmt.Sprintf("%s is another folder than before: %s. Nothing counts as deleted, and nothing was changed: "+
		"mount its disk or put the folder back, or say that this one is to be used for the project from now on", e.Root, e.Why)
}

// checkPlace refuses a folder that is another one than before and does not hold
// the files of the project. It comes before anything is recovered or recorded.
func (p *place) checkPlace(ctx context.Context) error {
	now, err := p.folder.Identity()
	if err != nil {
		return err
	}
	mark, err := p.store.Mark(ctx, placeMark)
	if err != nil || mark == now.String() {
		return err
	}
	was, known := workspace.ParseIdentity(mark)
	if !p.opt.UseFolder && !(known && was.Same(now)) {
		if err := p.holdsProject(ctx, known); err != nil {
			return err
		}
	}
	return p.store.SetMark(ctx, placeMark, now.String())
}

// holdsProject compares the folder with what history last saw on disk: most of
// it must be there, and hold what it held. An identity that was never noted
// says nothing: then only files that are missing count.
func (p *place) holdsProject(ctx context.Context, known bool) error {
	all, err := p.store.Files(ctx)
	if err != nil {
		return err
	}
	var there []string
	missing := 0
	for name, st := range all {
		switch _, err := p.folder.Stat(name); {
		case st.Disk.IsZero() || p.heldName(name) != "":
		case errors.Is(err, fs.ErrNotExist):
			missing++
		default:
			there = append(there, name)
		}
	}
	if total := missing + len(there); 2*missing > total {
		return &OtherFolderError{p.Root(), fmt.Sprintf("%d of the %d files that the history last saw are not in it", missing, total)}
	}
	if !known {
		return nil
	}
	there = there[:min(len(there), comparedAtMost)] // in a map's order: any of them
	other := 0
	for _, name := range there {
		if !p.unchanged(ctx, name, all[name].Disk) {
			other++
		}
	}
	if 2*other > len(there) {
		return &OtherFolderError{p.Root(), fmt.Sprintf("%d of %d files hold something else than the history last saw", other, len(there))}
	}
	return nil
}

func (p *place) unchanged(ctx context.Context, name string, h history.Hash) bool {
	f, err := p.folder.Read(ctx, name)
	if err != nil {
		return false
	}
	m, _ := mask.Text(name, text.Of(f.Bytes))
	return history.HashText(m) == h
}

// ours is an error while the project's folder is not at its place: another one
// is there, which nobody said is to be used.
func (p *place) ours(string) error {
	there, err := p.folder.There()
	if err != nil {
		return err
	}
	was, err := p.folder.Identity()
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
		p.opt.Listener.FolderGone(true)
	}
	return errors.New("another folder is at " + p.Root())
}

// Other asks, while another folder is at the project's path, whether it is to be
// used; "" when there is nothing to ask.
func (p *place) Other() string {
	var other *OtherFolderError
	if p.IsReady() && errors.As(p.ready.refuses(), &other) {
		return other.Error()
	}
	there, err := p.folder.There()
	p.mu.Lock()
	defer p.mu.Unlock()
	if err != nil || !p.gone || there != p.found {
		return ""
	}
	return p.otherFolder()
}

func (p *place) otherFolder() string {
	holds := ""
	if in, err := os.ReadDir(p.Root()); err == nil && len(in) == 0 {
		holds = " and empty"
	}
	return fmt.Sprintf("%s is another folder than the one that was open%s. Nothing counts as deleted, and what you type is kept, until that one is back or this one is used for the project", p.Root(), holds)
}

// UseFolder takes the folder that is at the project's path now for the
// project's: the next look at it records what is other in it as changed outside.
func (p *place) UseFolder() error {
	there, err := p.folder.There()
	if err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if there != p.found {
		return fmt.Errorf("use %s: %w", p.Root(), workspace.ErrGone)
	}
	p.use = there
	return nil
}

func inside(root, path string) bool {
	rel, err := filepath.Rel(root, path)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, "../")
}
