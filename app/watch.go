package app

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"sync/atomic"

	"waferpair/app/disk"
	"waferpair/app/live"
	"waferpair/app/mask"
	"waferpair/history"
	"waferpair/workspace"
	"waferpair/workspace/text"
	"waferpair/workspace/watch"
)

// watcher takes in what other programs do in the folder while it is open.
type watcher struct {
	*saver
	keeper   *keeper
	recovery *disk.Recovery
	watchers atomic.Int32 // how many Watch calls are under way
}

// Watch keeps history and the open files in step with what other programs do
// in the folder, until ctx ends; while nothing can be recorded, only the open
// files. It returns when watching cannot start.
func (p *watcher) Watch(ctx context.Context) error {
	p.watchers.Add(1)
	w, err := watch.Start(ctx, p.folder.Root(), watch.Options{Ignored: p.ignore.Ignored, Ours: p.place.Ours})
	if err != nil {
		p.watchers.Add(-1)
		return fmt.Errorf("watch %s: %w", p.folder.Root(), err)
	}
	go p.follow(ctx, w)
	return nil
}

func (p *watcher) follow(ctx context.Context, w *watch.Watcher) {
	defer p.watchers.Add(-1)
	defer w.Close()
	for {
		select {
		case <-ctx.Done():
			return
		case ev, ok := <-w.Events():
			if !ok {
				return
			}
			if err := p.happened(ctx, w, ev); err != nil && ctx.Err() == nil {
				p.notice(fmt.Sprintf("take in changes made outside: %v", err))
			}
		}
	}
}

// happened takes in one event of the watcher.
func (p *watcher) happened(ctx context.Context, w *watch.Watcher, ev watch.Event) error {
	switch ev.Kind {
	case watch.Changed:
		return p.lookAgain(ctx, w, ev.Paths)
	case watch.Reconcile:
		return p.lookAtAll(ctx)
	case watch.Suspended:
		p.notice("the project folder is gone: watching is suspended; the history is untouched, and nothing counts as deleted")
		p.folderGone(true)
	case watch.Resumed:
		return p.folderBack(ctx)
	case watch.Degraded:
		p.notice(ev.Message)
	case watch.Restored:
		p.notice("watching the whole folder again")
	}
	return nil
}

// folderGone stops saving while the folder is away. What is typed meanwhile is
// recorded, and saved when the folder is back.
func (p *watcher) folderGone(gone bool) {
	p.place.SetAway(gone)
	if !gone {
		p.keeper.again()
	}
	p.opt.Listener.FolderGone(gone)
}

// folderBack goes on with the folder that is there now: the one that was away,
// or another one in its place that the user wants used, whose files count as
// changed outside.
func (p *watcher) folderBack(ctx context.Context) error {
	if errors.Is(p.folder.Alive(), workspace.ErrGone) {
		if err := p.place.Renew(ctx); err != nil {
			return err
		}
	}
	p.notice("the project folder is back")
	p.folderGone(false)
	return nil
}

// lookAgain compares some paths with what history knows of them.
func (p *watcher) lookAgain(ctx context.Context, w *watch.Watcher, paths []string) error {
	if slices.ContainsFunc(paths, isIgnoreFile) {
		for _, name := range paths {
			p.ignore.Invalidate(name)
		}
		p.holdAgain(ctx)
		w.Rescan() // what is visible now must be watched; a Reconcile follows
	}
	if err := p.folder.Alive(); err != nil {
		return nil // suspended: the watcher says so
	}
	return p.outside(ctx, paths)
}

// holdAgain closes the open files that the rules for what is kept changed for.
// What was typed is recorded and saved under the rules under which it was typed.
func (p *watcher) holdAgain(ctx context.Context) {
	err := p.Settle(ctx)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.trouble("", err)
	for _, d := range p.docs {
		if (p.heldName(d.Path) == "") != (d.Held == "") && d.Settled() && !d.Dirty() {
			p.forget(d)
		}
	}
}

func isIgnoreFile(name string) bool {
	base := path.Base(name)
	return base == ".gitignore" || base == ".waferpairignore"
}

// Look takes in what other programs did in the folder, whether it is watched or not.
// While the folder is away, or another one, there is nothing to take in.
func (p *watcher) Look(ctx context.Context) error {
	if p.folder.Alive() != nil {
		return nil
	}
	return p.lookAtAll(ctx)
}

// lookAtAll compares the whole folder with what history knows.
func (p *watcher) lookAtAll(ctx context.Context) error {
	if err := p.Stored(); err != nil {
		return err
	}
	paths, err := p.recovery.Differing(ctx)
	if err != nil {
		return err
	}
	p.opt.Listener.FilesChanged()
	return p.outside(ctx, paths)
}

// outside takes in what other programs made of some files. Our own saves are
// told by their content, and no save runs meanwhile. Between two files, the
// user can type.
func (p *watcher) outside(ctx context.Context, paths []string) error {
	p.saving.Lock()
	defer p.saving.Unlock()
	paths, err := p.outsideMoves(ctx, p.List.Below(paths))
	errs := []error{err}
	var states []history.DiskState
	for _, name := range paths {
		state, err := p.outsideOne(ctx, name)
		errs = append(errs, err)
		if state.Path != "" && err == nil {
			states = append(states, state)
		}
	}
	if p.store.ReadOnly() {
		return errors.Join(errs...)
	}
	return errors.Join(append(errs, p.store.SetDisk(ctx, states))...)
}

func (p *watcher) outsideOne(ctx context.Context, name string) (history.DiskState, error) {
	none := history.DiskState{}
	p.mu.Lock()
	defer p.mu.Unlock()
	d := p.docs[name]
	if workspace.IsTemp(name) || d == nil && p.heldName(name) != "" || p.Owes(name) != nil {
		return none, nil
	}
	file, err := p.folder.Read(ctx, name)
	gone := errors.Is(err, fs.ErrNotExist)
	if err != nil || !p.List.Has(name) {
		p.opt.Listener.FilesChanged()
	}
	switch {
	case err != nil && !gone:
		return none, nil // a directory, or something that cannot be read: not ours
	case d != nil && !d.Kept():
		return none, p.outsideUnkept(ctx, d, file, gone)
	case p.store.ReadOnly():
		return none, nil
	case !gone && file.Class != workspace.Text:
		return p.outsideBinary(ctx, d, file)
	case d != nil:
		return p.outsideOpen(ctx, d, file, gone)
	case gone:
		p.List.Drop(name)
		return history.DiskState{Path: name}, p.SyncGone(ctx, name)
	}
	m, _ := mask.Text(name, text.Of(file.Bytes))
	return disk.State(name, history.HashText(m), file.Entry), p.SyncOutside(ctx, name, m)
}

// outsideUnkept takes in what happened to an open file that history does not keep.
func (p *watcher) outsideUnkept(ctx context.Context, d *live.Document, file workspace.File, gone bool) error {
	switch {
	case gone && d.Disk.There():
		return p.absorb(ctx, d, nil)
	case !gone && !d.Exists():
		p.forget(d)
	case !gone && file.Hash != d.Disk.Hash():
		return p.absorb(ctx, d, &file)
	}
	return nil
}

// outsideBinary takes in that a file is not text, or no longer.
func (p *watcher) outsideBinary(ctx context.Context, d *live.Document, file workspace.File) (history.DiskState, error) {
	s := disk.State(file.Path, history.Hash{}, file.Entry)
	s.Excluded = file.Class.String()
	p.List.Drop(file.Path)
	if d == nil {
		return s, nil
	}
	return s, p.absorb(ctx, d, &file)
}

// outsideOpen takes in what happened to an open file.
func (p *watcher) outsideOpen(ctx context.Context, d *live.Document, file workspace.File, gone bool) (history.DiskState, error) {
	switch onDisk := d.Disk.There(); {
	case gone && !onDisk:
		return history.DiskState{}, nil
	case gone:
		p.List.Drop(d.Path)
		return history.DiskState{Path: d.Path}, p.absorb(ctx, d, nil)
	case file.Hash == d.Disk.Hash():
		p.permitted(ctx, d, file.Entry)
		return history.DiskState{}, nil
	}
	m, _ := mask.Text(d.Path, text.Of(file.Bytes))
	state := disk.State(d.Path, history.HashText(m), file.Entry)
	if !d.Exists() { // somebody else made the file: it is opened anew when it is needed
		p.forget(d)
		return state, p.SyncOutside(ctx, d.Path, m)
	}
	return state, p.absorb(ctx, d, &file)
}
