//go:build unix

package workspace

import (
	"cmp"
	"errors"
	"io/fs"
	"path"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// maxLinks is how many links one path may go through, as in the kernel.
const maxLinks = 40

// place is a name in an open directory: the end of a path after all its links are resolved.
// No component of it is .git.
type place struct {
	dir  *dir
	name string
}

// path returns the link-free path relative to the root.
func (p place) path() string { return p.dir.join(p.name) }

type resolveFlags int

const (
	follow   resolveFlags = 1 << iota // also resolve a link that is the last component
	makeDirs                          // create missing directories
)

// resolve finds the place of a clean path. The file need not exist; its directory must,
// unless makeDirs is set. The caller closes place.dir.
func (f *Folder) resolve(name string, how resolveFlags) (place, error) {
	return f.resolveAs(name, how, nil)
}

// resolveAs is resolve for a user whose directories are made with a umask of his own.
func (f *Folder) resolveAs(name string, how resolveFlags, umask *fs.FileMode) (place, error) {
	if p, ok := f.resolveFast(name, how); ok {
		return p, nil
	}
	w := walker{f: f, how: how, umask: umask, pending: split(name)}
	defer w.closeAll()
	p, err := w.run()
	if err != nil && !errors.As(err, new(*PathError)) {
		err = &fs.PathError{Op: "open", Path: name, Err: err}
	}
	return p, err
}

// resolveFast handles the common path, without links, in one call.
func (f *Folder) resolveFast(name string, how resolveFlags) (place, bool) {
	parent, base := path.Split(name)
	parent = strings.TrimSuffix(parent, "/")
	fd, err := f.openBeneath(cmp.Or(parent, "."), unix.O_RDONLY|unix.O_DIRECTORY)
	if err != nil {
		return place{}, false
	}
	p := place{&dir{fd: fd, path: parent}, base}
	if how&follow != 0 {
		if st, err := p.dir.lstat(base); err == nil && kindOf(uint32(st.Mode)) == Symlink {
			_ = p.dir.close()
			return place{}, false
		}
	}
	return p, true
}

func (f *Folder) openBeneath(name string, flags int) (int, error) {
	f.life.RLock()
	defer f.life.RUnlock()
	if f.dir == nil {
		return -1, errClosed
	}
	return openBeneath(f.dir, name, flags)
}

// walker resolves a path one component at a time. It keeps every directory on the way open,
// so that `..` in a link goes back to the directory it came from, whatever is renamed
// meanwhile.
type walker struct {
	f       *Folder
	how     resolveFlags
	umask   *fs.FileMode
	pending []string // the remaining components
	dirs    []*dir   // from the root down to the current directory
	links   int
}

func (w *walker) run() (place, error) {
	root, err := w.f.rootDir()
	if err != nil {
		return place{}, err
	}
	w.dirs = append(w.dirs, root)
	for len(w.pending) > 0 {
		c := w.pending[0]
		w.pending = w.pending[1:]
		done, err := w.step(c, len(w.pending) == 0)
		if err != nil {
			return place{}, err
		}
		if done {
			return place{w.popTop(), c}, nil
		}
	}
	return place{}, syscall.EISDIR // a link to the folder itself
}

// step resolves one component; done means that it is the end of the path.
func (w *walker) step(c string, last bool) (done bool, err error) {
	if c == ".." {
		return false, w.up()
	}
	if isDotGit(c) {
		return false, &PathError{Path: w.top().join(c), Reason: "a link leads into .git, which is never changed"}
	}
	st, err := w.top().lstat(c)
	switch {
	case err == nil && kindOf(uint32(st.Mode)) == Symlink && (!last || w.how&follow != 0):
		return false, w.link(c)
	case last && (err == nil || errors.Is(err, unix.ENOENT)):
		return true, nil
	case errors.Is(err, unix.ENOENT) && w.how&makeDirs != 0:
		err = w.mkdir(c)
	}
	if err != nil {
		return false, err
	}
	return false, w.down(c)
}

func (w *walker) top() *dir { return w.dirs[len(w.dirs)-1] }

func (w *walker) popTop() *dir {
	d := w.top()
	w.dirs = w.dirs[:len(w.dirs)-1]
	return d
}

func (w *walker) down(c string) error {
	d, err := w.top().sub(c)
	if err == nil {
		w.dirs = append(w.dirs, d)
	}
	return err
}

func (w *walker) up() error {
	if len(w.dirs) == 1 {
		return &PathError{Path: "..", Reason: "a link leads out of the project folder"}
	}
	return w.popTop().close()
}

// mkdir creates a directory and syncs its parent, so that a file saved below it does not
// vanish with it.
func (w *walker) mkdir(c string) error {
	if err := w.top().makeSub(c, w.umask); err != nil && !errors.Is(err, unix.EEXIST) {
		return err
	}
	return w.top().sync()
}

// link inserts the components of a link's target before the pending ones.
func (w *walker) link(c string) error {
	if w.links++; w.links > maxLinks {
		return unix.ELOOP
	}
	target, err := w.top().readlink(c)
	if err != nil {
		return err
	}
	if path.IsAbs(target) {
		inside, ok := w.f.relative(path.Clean(target))
		if !ok {
			return &PathError{Path: w.top().join(c), Reason: "it is a link that leads out of the project folder, to " + target}
		}
		for len(w.dirs) > 1 {
			_ = w.popTop().close()
		}
		target = inside
	}
	w.pending = append(split(target), w.pending...)
	return nil
}

func (w *walker) closeAll() {
	for _, d := range w.dirs {
		_ = d.close()
	}
}

func split(p string) []string {
	var out []string
	for c := range strings.SplitSeq(p, "/") {
		if c != "" && c != "." {
			out = append(out, c)
		}
	}
	return out
}

// Stat returns the entry of a path without following a link at its end. A path that does
// not exist is fs.ErrNotExist.
func (f *Folder) Stat(name string) (Entry, error) {
	clean, err := f.Path(name)
	if err != nil {
		return Entry{}, err
	}
	p, err := f.resolve(clean, 0)
	if err != nil {
		return Entry{}, fail("stat", clean, withoutPath(err))
	}
	defer p.dir.close()
	st, err := p.dir.lstat(p.name)
	if err != nil {
		return Entry{}, fail("stat", clean, err)
	}
	return entryOf(clean, &st), nil
}

// withoutPath removes the path that an fs.PathError repeats.
func withoutPath(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}
