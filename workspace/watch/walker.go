package watch

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// walker keeps a watch on every directory that is not ignored. Only the walker adds and
// removes watches, and only it knows the tree of those that exist.
type walker struct {
	*session
	top      *node
	byID     map[fileID]string // path of each watched directory
	watching int
	limit    error // found since the last full walk began
}

// node is a watched directory.
type node struct {
	id       fileID
	children map[string]*node
}

func newWalker(s *session) *walker {
	return &walker{session: s, byID: map[fileID]string{}}
}

func (w *walker) run(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-w.box.work:
		}
		paths, all, err := w.box.drainWork()
		if all {
			w.everything(ctx, err)
			continue
		}
		w.some(ctx, paths)
	}
}

// everything walks the whole tree and then requests a Reconcile, which covers everything
// that happened before.
func (w *walker) everything(ctx context.Context, cause error) {
	w.limit = nil
	w.top, _ = w.visit(ctx, w.top, "", nil)
	if ctx.Err() != nil {
		return
	}
	w.box.setLimit(w.limit)
	w.box.overflow(cause)
}

// some visits paths where a directory may have appeared or disappeared. It handles those
// that are gone first: a directory that moved has both its old and its new name here, and
// must lose the watches under the old one.
func (w *walker) some(ctx context.Context, paths []string) {
	var dirs []string
	for _, p := range paths {
		info, err := os.Lstat(w.file(p))
		if err == nil && info.IsDir() && !w.opt.Ignored(p, true) {
			dirs = append(dirs, p)
		} else {
			w.evict(p)
		}
	}
	var done string
	for _, p := range dirs {
		if done != "" && strings.HasPrefix(p, done+"/") {
			continue // visited with the directory above it
		}
		done = p
		w.visitOne(ctx, p)
	}
	if w.limit != nil {
		w.box.setLimit(w.limit)
	}
}

// visitOne visits the directory at path and reports every file in it, because nobody knows
// how long they have been there unnoticed.
func (w *walker) visitOne(ctx context.Context, path string) {
	up, last := split(path)
	parent := w.find(up)
	if parent == nil {
		return // its parent is not watched yet; visiting that will include it
	}
	n, ok := w.visit(ctx, parent.children[last], path, func(file string) { w.box.touch(file) })
	if ok {
		parent.children[last] = n
	} else {
		w.evict(path)
	}
}

// visit watches the directory at path, then lists it, in this order: a file that appears in
// between is seen by both, and none by neither. It visits the directories below, passes the
// files to found (unless nil) and removes the watches of directories that are gone.
func (w *walker) visit(ctx context.Context, n *node, path string, found func(file string)) (*node, bool) {
	if ctx.Err() != nil {
		return n, n != nil
	}
	if n == nil {
		n = &node{children: map[string]*node{}}
	}
	if !w.add(n, path) {
		return n, path == ""
	}
	entries, err := list(w.file(path))
	if err != nil {
		return n, true // not readable for us; the watch may still report changes
	}
	seen := make(map[string]bool, len(n.children))
	for _, e := range entries {
		child := join(path, e.Name())
		switch {
		case e.IsDir():
			if w.opt.Ignored(child, true) {
				continue
			}
			if c, ok := w.visit(ctx, n.children[e.Name()], child, found); ok {
				n.children[e.Name()] = c
				seen[e.Name()] = true
			}
		case found != nil && hasContent(e.Type()) && !w.opt.Ignored(child, false):
			found(child)
		}
	}
	for name := range n.children {
		if !seen[name] && ctx.Err() == nil {
			w.evict(join(path, name))
		}
	}
	return n, true
}

// add watches a directory; it returns false if the directory does not exist (any more). If
// the system refuses more watches, add records that, and the walk continues without them.
func (w *walker) add(n *node, path string) bool {
	info, err := os.Lstat(w.file(path))
	if path == "" {
		info, err = os.Stat(w.root)
	}
	if err != nil || !info.IsDir() {
		return false
	}
	id := idOf(info)
	if old, known := w.byID[id]; known && old != path {
		w.evict(old) // it moved, and its events are still to come
	}
	if n.id != id {
		w.drop(n, path)
	}
	if w.limit != nil && n.id == (fileID{}) {
		return true
	}
	if err := w.watch(n, path); err != nil {
		w.drop(n, path)
		if errors.Is(err, fs.ErrNotExist) {
			return false
		}
		if !errors.Is(err, fs.ErrPermission) {
			w.limit = err
		}
		return true
	}
	if n.id != id {
		n.id = id
		w.watching++
	}
	w.byID[id] = path
	return true
}

func (w *walker) watch(n *node, path string) error {
	if most := w.opt.MaxWatches; most != 0 && n.id == (fileID{}) && w.watching >= max(most, 0) {
		return fmt.Errorf("limit for tests: %d watches", max(most, 0))
	}
	return w.fs.Add(w.file(path))
}

// drop removes the watch of one directory.
func (w *walker) drop(n *node, path string) {
	if n.id == (fileID{}) {
		return
	}
	_ = w.fs.Remove(w.file(path)) // fails if the directory is gone, and the watch with it
	if w.byID[n.id] == path {
		delete(w.byID, n.id)
	}
	n.id = fileID{}
	w.watching--
}

// evict removes the watches of the directory at path and everything below it.
func (w *walker) evict(path string) {
	up, last := split(path)
	parent := w.find(up)
	if parent == nil || parent.children[last] == nil {
		return
	}
	w.dropAll(parent.children[last], path)
	delete(parent.children, last)
}

func (w *walker) dropAll(n *node, path string) {
	for name, child := range n.children {
		w.dropAll(child, join(path, name))
	}
	w.drop(n, path)
}

// find returns the node of a directory, or nil if it is not watched.
func (w *walker) find(path string) *node {
	n := w.top
	for path != "" && n != nil {
		var first string
		first, path, _ = strings.Cut(path, "/")
		n = n.children[first]
	}
	return n
}

func (w *walker) file(path string) string {
	if path == "" {
		return w.root
	}
	return w.root + string(filepath.Separator) + filepath.FromSlash(path)
}

// list reads a directory without sorting it.
func list(dir string) ([]fs.DirEntry, error) {
	f, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return f.ReadDir(-1)
}

func join(dir, name string) string {
	if dir == "" {
		return name
	}
	return dir + "/" + name
}

func split(path string) (up, last string) {
	i := strings.LastIndexByte(path, '/')
	if i < 0 {
		return "", path
	}
	return path[:i], path[i+1:]
}
