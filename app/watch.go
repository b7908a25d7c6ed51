package app

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"waferpair/history"
	"waferpair/workspace"
	"waferpair/workspace/text"
	"waferpair/workspace/watch"
)

// Watch keeps history and the open files in step with what other programs do
// in the folder, until ctx ends. It returns when watching cannot start.
func (p *Project) Watch(ctx context.Context) error {
	if err := p.writable(); err != nil {
		return err
	}
	p.watchers.Add(1)
	w, err := watch.Start(ctx, p.folder.Root(), watch.Options{Ignored: p.ignore.Ignored})
	if err != nil {
		p.watchers.Add(-1)
		return fmt.Errorf("watch %s: %w", p.folder.Root(), err)
	}
	go p.follow(ctx, w)
	return nil
}

func (p *Project) follow(ctx context.Context, w *watch.Watcher) {
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
func (p *Project) happened(ctx context.Context, w *watch.Watcher, ev watch.Event) error {
	switch ev.Kind {
	case watch.Changed:
		return p.lookAgain(ctx, w, ev.Paths)
	case watch.Reconcile:
		return p.lookAtAll(ctx)
	case watch.Suspended:
		p.notice("the project folder is gone: watching is suspended; the history is untouched, and nothing counts as deleted")
	case watch.Resumed:
		p.notice("the project folder is back")
	case watch.Degraded:
		p.notice(ev.Message)
	case watch.Restored:
		p.notice("watching the whole folder again")
	}
	return nil
}

// lookAgain compares some paths with what history knows of them.
func (p *Project) lookAgain(ctx context.Context, w *watch.Watcher, paths []string) error {
	if slices.ContainsFunc(paths, isIgnoreFile) {
		for _, name := range paths {
			p.ignore.Invalidate(name)
		}
		w.Rescan() // what is visible now must be watched; a Reconcile follows
	}
	if err := p.folder.Alive(); err != nil {
		return nil // suspended: the watcher says so
	}
	return p.outside(ctx, paths)
}

func isIgnoreFile(name string) bool {
	base := path.Base(name)
	return base == ".gitignore" || base == ".waferpairignore"
}

// lookAtAll compares the whole folder with what history knows.
func (p *Project) lookAtAll(ctx context.Context) error {
	if err := p.baseline.wait(); err != nil {
		return err
	}
	known, err := p.store.Files(ctx)
	if err != nil {
		return err
	}
	c := &comparison{p: p, known: known, seen: make(map[string]bool, len(known))}
	if err := p.folder.Walk(ctx, c.look); err != nil {
		return err
	}
	slices.Sort(c.files)
	p.mu.Lock()
	p.list = fileList{files: c.files, known: known}
	p.mu.Unlock()
	var paths []string
	for _, e := range c.changed {
		paths = append(paths, e.Path)
	}
	for name, st := range known {
		if !c.seen[name] && !st.Disk.IsZero() {
			paths = append(paths, name)
		}
	}
	return p.outside(ctx, paths)
}

// outside takes in what other programs made of some files. Our own saves are
// told by their content, and no save runs meanwhile.
func (p *Project) outside(ctx context.Context, paths []string) error {
	p.saver.mu.Lock()
	defer p.saver.mu.Unlock()
	p.mu.Lock()
	defer p.mu.Unlock()
	var errs []error
	var states []history.DiskState
	for _, name := range p.withBelow(paths) {
		if workspace.IsTemp(name) || p.heldName(name) != "" {
			continue
		}
		state, err := p.outsideOne(ctx, name)
		errs = append(errs, err)
		if state.Path != "" {
			states = append(states, state)
		}
	}
	return errors.Join(append(errs, p.store.SetDisk(ctx, states))...)
}

// withBelow adds the known files below each path: what was a directory may be
// gone, or a file, or another directory.
func (p *Project) withBelow(paths []string) []string {
	out := slices.Clone(paths)
	for _, name := range paths {
		i, _ := slices.BinarySearch(p.list.files, name+"/")
		for ; i < len(p.list.files) && strings.HasPrefix(p.list.files[i], name+"/"); i++ {
			out = append(out, p.list.files[i])
		}
	}
	return out
}

func (p *Project) outsideOne(ctx context.Context, name string) (history.DiskState, error) {
	none := history.DiskState{}
	file, err := p.folder.Read(ctx, name)
	gone := errors.Is(err, fs.ErrNotExist)
	switch {
	case err != nil && !gone:
		return none, nil // a directory, or something that cannot be read: not ours
	case !gone && file.Class != workspace.Text:
		s := diskState(name, history.Hash{}, file.Entry)
		s.Excluded = file.Class.String()
		return s, nil
	}
	if d := p.docs[name]; d != nil {
		return p.outsideOpen(ctx, d, file, gone)
	}
	if gone {
		return history.DiskState{Path: name}, p.syncGone(ctx, name)
	}
	m, _ := masked(name, text.Of(file.Bytes))
	return diskState(name, history.HashText(m), file.Entry), p.syncOutside(ctx, name, m)
}

// outsideOpen takes in what happened to an open file.
func (p *Project) outsideOpen(ctx context.Context, d *document, file workspace.File, gone bool) (history.DiskState, error) {
	switch onDisk := d.disk != [32]byte{}; {
	case gone && !onDisk, !gone && file.Hash == d.disk:
		return history.DiskState{}, nil
	case gone:
		return history.DiskState{Path: d.path}, p.absorb(ctx, d, nil)
	}
	if !d.exists { // somebody else made the file: it is opened anew when it is needed
		p.forget(d)
		m, _ := masked(d.path, text.Of(file.Bytes))
		return diskState(d.path, history.HashText(m), file.Entry), p.syncOutside(ctx, d.path, m)
	}
	err := p.absorb(ctx, d, &file)
	m, _ := masked(d.path, text.Of(file.Bytes))
	return diskState(d.path, history.HashText(m), file.Entry), err
}

// syncOutside records what another program made of a file that is not open.
func (p *Project) syncOutside(ctx context.Context, name string, m text.Text) error {
	defer p.know(name, history.HashText(m))
	v, err := p.store.Head(ctx, name)
	if err != nil || v.Exists && v.Hash == history.HashText(m) {
		return err
	}
	st := history.FileState{}
	if v.Exists {
		st.Head, st.Disk = v.Hash, v.Hash
	}
	if i, found := slices.BinarySearch(p.list.files, name); !found {
		p.list.files = slices.Insert(p.list.files, i, name)
	}
	return p.recordOutside(ctx, name, st, m)
}
