//go:build unix

package workspace

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sys/unix"
)

// prefetch is how many directories of one parent are listed ahead of fn. It bounds memory:
// at most this many listings for each level of the tree.
const prefetch = 16

// Walk calls fn for every entry of the folder that is not ignored: a directory before its
// entries, the names of a directory in byte order, whatever the timing. It skips `.git` and
// temporary files; fn gets links, which are not followed, and special files, which it must
// not open.
//
// Several goroutines list directories; fn is called by one at a time. If fn returns
// fs.SkipDir for a directory, Walk skips its entries; any other error ends the walk. Walk
// reports a directory that it cannot read with a notice and skips it. A folder that has
// vanished is an error, never an empty walk.
func (f *Folder) Walk(ctx context.Context, fn func(Entry) error) error {
	if err := f.CheckRoot(); err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	w := &walk{f: f, ctx: ctx, fn: fn, slots: make(chan struct{}, max(4, 2*runtime.GOMAXPROCS(0)))}
	defer w.running.Wait()
	defer cancel()
	root := w.list("")
	if <-root.done; root.err != nil {
		return fail("list", f.root, root.err)
	}
	if err := w.emit(root); err != nil {
		return err
	}
	return f.CheckRoot()
}

type walk struct {
	f       *Folder
	ctx     context.Context
	fn      func(Entry) error
	slots   chan struct{} // bounds the concurrent listings
	running sync.WaitGroup
}

// listing is the entries of a directory, once done is closed.
type listing struct {
	path    string
	done    chan struct{}
	entries []Entry
	err     error
}

// list starts listing a directory.
func (w *walk) list(path string) *listing {
	l := &listing{path: path, done: make(chan struct{})}
	w.running.Go(func() {
		defer close(l.done)
		select {
		case w.slots <- struct{}{}:
			l.entries, l.err = w.f.list(path)
			<-w.slots
		case <-w.ctx.Done():
			l.err = w.ctx.Err()
		}
	})
	return l
}

// emit calls fn for the entries of a directory and below it.
func (w *walk) emit(dir *listing) error {
	ahead := lookahead{w: w, entries: dir.entries}
	for _, e := range dir.entries {
		if err := w.ctx.Err(); err != nil {
			return err
		}
		var below *listing
		if e.Kind == Directory {
			below = ahead.next()
		}
		err := w.fn(e)
		if e.Kind == Directory && errors.Is(err, fs.SkipDir) {
			continue
		}
		if err != nil {
			return err
		}
		if below != nil {
			if err := w.descend(below); err != nil {
				return err
			}
		}
	}
	return nil
}

func (w *walk) descend(dir *listing) error {
	<-dir.done
	switch {
	case dir.err == nil:
		return w.emit(dir)
	case w.ctx.Err() != nil:
		return w.ctx.Err()
	case !isMissing(dir.err): // a directory that was removed meanwhile needs no notice
		w.f.notify(Notice{Kind: Unreadable, Path: dir.path, Reason: dir.err})
	}
	return nil
}

// lookahead keeps the listings of the next directories of one parent running.
type lookahead struct {
	w       *walk
	entries []Entry // not visited yet
	queue   []*listing
}

func (a *lookahead) next() *listing {
	for len(a.queue) < prefetch && len(a.entries) > 0 {
		if e := a.entries[0]; e.Kind == Directory {
			a.queue = append(a.queue, a.w.list(e.Path))
		}
		a.entries = a.entries[1:]
	}
	first := a.queue[0]
	a.queue = a.queue[1:]
	return first
}

// list reads one directory without its ignored entries.
func (f *Folder) list(path string) ([]Entry, error) {
	return f.entries(path, func(e Entry) bool {
		return f.opt.Ignored == nil || !f.opt.Ignored(e.Path, e.Kind == Directory)
	})
}

// entries reads one directory: the names, then the attributes of each.
func (f *Folder) entries(path string, keep func(Entry) bool) ([]Entry, error) {
	d, err := f.openDir(path)
	if err != nil {
		return nil, err
	}
	names, err := d.names()
	if err != nil {
		_ = d.close()
		return nil, err
	}
	defer d.close()
	entries := make([]Entry, 0, len(names))
	for _, name := range names {
		if isDotGit(name) || IsTemp(name) {
			continue
		}
		st, err := d.lstat(name)
		if err != nil {
			continue // it was removed meanwhile
		}
		if e := entryOf(d.join(name), &st); keep(e) {
			entries = append(entries, e)
		}
	}
	return entries, nil
}

// openDir opens a directory that is not reached through a link.
func (f *Folder) openDir(path string) (*dir, error) {
	if path == "" {
		return f.rootDir()
	}
	if fd, err := f.openBeneath(path, unix.O_RDONLY|unix.O_DIRECTORY); err == nil {
		return &dir{fd: fd, path: path}, nil
	}
	p, err := f.resolve(path, 0)
	if err != nil {
		return nil, withoutPath(err)
	}
	defer p.dir.close()
	return p.dir.sub(p.name)
}

// names lists a directory in byte order. It opens the directory again, because duplicates
// of a directory handle share one position.
func (d *dir) names() ([]string, error) {
	fd, err := open(d.fd, ".", unix.O_RDONLY|unix.O_DIRECTORY, 0)
	if err != nil {
		return nil, err
	}
	file := os.NewFile(uintptr(fd), d.path)
	defer file.Close()
	names, err := file.Readdirnames(-1)
	if err != nil {
		return nil, fmt.Errorf("list: %w", err)
	}
	slices.SortFunc(names, strings.Compare)
	return names, nil
}
