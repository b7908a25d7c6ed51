//go:build unix

package workspace

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"golang.org/x/sys/unix"
)

// A file with several names is written in place, so that it keeps them all. That is only
// done if all of its names belong to the project: otherwise the write would change a file
// in .git, or outside of the folder.

var errLinkedOutside = errors.New("it has other names (hard links)")

// linkState is the result of a search for the names of a file.
type linkState struct {
	ctime unix.Timespec // changes with every new or removed name, and with every write
	nlink uint64
	names []string // in the project
	err   error
}

// linkStates caches the results, so that a file that is saved repeatedly does not cost a
// search of the whole folder each time.
type linkStates struct {
	mu  sync.Mutex
	all map[[2]uint64]linkState // by device and inode
}

// Linked returns an error if a file has a name outside of the project: then it must not be
// written. e is the file's present entry.
func (f *Folder) Linked(ctx context.Context, e Entry) error {
	if e.Kind != Regular || e.Nlink < 2 {
		return nil
	}
	st, err := f.statNow(e.Path)
	switch {
	case isMissing(err):
		return nil // there is nothing to write to
	case err != nil:
		return fail("look at", e.Path, withoutPath(err))
	}
	return f.linked(ctx, e.Path, st)
}

// linkAttempts: names may be added or removed, or another file may take the path, during
// the search; then the search is repeated.
const linkAttempts = 5

func (f *Folder) linked(ctx context.Context, path string, st *unix.Stat_t) (err error) {
	f.links.mu.Lock()
	defer f.links.mu.Unlock()
	for range linkAttempts {
		if st.Nlink < 2 {
			return nil
		}
		if err = f.findNames(ctx, path, st); !errors.Is(err, errLinkedOutside) {
			return err
		}
		now, serr := f.statNow(path)
		if isMissing(serr) {
			return nil // there is nothing to write to
		}
		if serr != nil || now.Ino == st.Ino && now.Dev == st.Dev && now.Nlink == st.Nlink {
			return err
		}
		st = now
	}
	return err
}

func (f *Folder) statNow(path string) (*unix.Stat_t, error) {
	p, err := f.resolve(path, follow)
	if err != nil {
		return nil, err
	}
	defer p.dir.close()
	st, err := p.dir.lstat(p.name)
	return &st, err
}

func (f *Folder) findNames(ctx context.Context, path string, st *unix.Stat_t) error {
	key := [2]uint64{uint64(st.Dev), st.Ino}
	if have, ok := f.links.all[key]; ok && have.nlink == uint64(st.Nlink) &&
		(have.ctime == st.Ctim || have.ours() && f.named(have.names, st)) {
		return have.err
	}
	if err := f.noteNames(ctx); err != nil {
		return fail("look for the names of", path, err)
	}
	now := f.links.all[key]
	now.ctime, now.nlink, now.err = st.Ctim, uint64(st.Nlink), nil
	if others := int(now.nlink) - len(now.names); others > 0 {
		now.err = &Error{"edit", path, fmt.Errorf("%w: %d of its %d names are outside of the project or in .git",
			errLinkedOutside, others, now.nlink),
			"it would change there, too: to edit it alone, copy it and give the copy its name"}
	}
	f.links.all[key] = now
	return now.err
}

// noteNames searches the whole folder, once for all files with several names, so that a
// folder full of them does not cost a search for each. Files that are asked about later are
// recognized by checking that their names still exist.
func (f *Folder) noteNames(ctx context.Context) error {
	all := map[[2]uint64]linkState{}
	note := func(e Entry) {
		if e.Kind == Regular && e.Nlink > 1 {
			key := [2]uint64{e.Dev, e.Inode}
			all[key] = linkState{nlink: e.Nlink, names: append(all[key].names, e.Path)}
		}
	}
	if err := f.everyEntry(ctx, "", note); err != nil {
		return err
	}
	for key, known := range f.links.all {
		if now, there := all[key]; there && known.err != nil { // its ctime shows whether the error still holds
			now.ctime, now.err = known.ctime, known.err
			all[key] = now
		}
	}
	f.links.all = all
	return nil
}

// ours reports whether all names of a file belong to the project.
func (s linkState) ours() bool { return int(s.nlink) == len(s.names) }

// named reports whether a file still has all of these names.
func (f *Folder) named(names []string, st *unix.Stat_t) bool {
	for _, name := range names {
		e, err := f.Stat(name)
		if err != nil || e.Inode != st.Ino || e.Dev != uint64(st.Dev) {
			return false
		}
	}
	return true
}

// everyEntry visits the whole folder except .git: ignored entries belong to the project,
// too.
func (f *Folder) everyEntry(ctx context.Context, dir string, fn func(Entry)) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	entries, err := f.entries(dir, func(Entry) bool { return true })
	if isMissing(err) || errors.Is(err, unix.EACCES) && dir != "" {
		return nil // its entries do not count as the project's
	}
	if err != nil {
		return err
	}
	for _, e := range entries {
		if fn(e); e.Kind == Directory {
			if err := f.everyEntry(ctx, e.Path, fn); err != nil {
				return err
			}
		}
	}
	return nil
}
