//go:build unix

package workspace

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"

	"golang.org/x/sys/unix"
)

// ErrRepository means that a git repository would be deleted with a folder.
var ErrRepository = errors.New("a git repository is there, and is never changed from here")

// Tree lists what is at a path and below it, including ignored entries: a directory before
// its entries. If a `.git` of any kind or a bare repository is among them, the error is
// ErrRepository. It skips the temporary files of saves.
func (f *Folder) Tree(ctx context.Context, name string) ([]Entry, error) {
	p, err := f.placeOf(name, 0)
	if err != nil {
		return nil, fail("look through", name, withoutPath(err))
	}
	defer p.dir.close()
	st, err := p.dir.lstat(p.name)
	if err != nil {
		return nil, fail("look through", name, err)
	}
	t := tree{ctx: ctx, all: []Entry{entryOf(p.path(), &st)}}
	if kindOf(uint32(st.Mode)) == Directory {
		err = t.below(p)
	}
	return t.all, fail("look through", name, err)
}

type tree struct {
	ctx context.Context
	all []Entry
}

func (t *tree) below(p place) error {
	if err := t.ctx.Err(); err != nil {
		return err
	}
	d, err := p.dir.sub(p.name)
	if isMissing(err) {
		return nil // it was removed meanwhile
	}
	if err != nil {
		return fail("look through", p.path(), err)
	}
	defer d.close()
	names, err := d.names()
	if err != nil {
		return fail("look through", p.path(), err)
	}
	if isBareGit(names) {
		return &Error{"look through", p.path(), ErrRepository, "use git, a terminal or a file manager for it"}
	}
	for _, name := range names {
		if isDotGit(name) {
			return &Error{"look through", d.join(name), ErrRepository,
				"use git, a terminal or a file manager for the folder that holds it"}
		}
		st, err := d.lstat(name)
		if err != nil || IsTemp(name) {
			continue
		}
		e := entryOf(d.join(name), &st)
		t.all = append(t.all, e)
		if e.Kind == Directory {
			if err := t.below(place{d, name}); err != nil {
				return err
			}
		}
	}
	return nil
}

// isBareGit reports whether a folder with these names is a git repository without a working
// tree, by git's own rule: it may have any name. Treating it as an ordinary folder would
// lose empty directories such as refs/ and objects/, which git needs.
func isBareGit(names []string) bool {
	return slices.Contains(names, "HEAD") && slices.Contains(names, "objects") && slices.Contains(names, "refs")
}

// discardedAtOnce is how many files one intent of Discard names.
const discardedAtOnce = 500

// Discard deletes files whatever their content, if each is still the very file that the
// caller saw. It returns the paths of those that are not, or that another program is
// writing: they stay. A crash in the middle removes nothing: Recover renames a file that
// was moved aside back.
func (f *Folder) Discard(ctx context.Context, seen []Entry) (stayed []string, err error) {
	f.saving.Lock()
	defer f.saving.Unlock()
	if err := f.CheckRoot(); err != nil {
		return nil, err
	}
	for part := range slices.Chunk(seen, discardedAtOnce) {
		if err := ctx.Err(); err != nil {
			return stayed, err
		}
		s, err := f.discard(ctx, part)
		if stayed = append(stayed, s...); err != nil {
			return stayed, err
		}
	}
	return stayed, nil
}

func (f *Folder) discard(ctx context.Context, seen []Entry) (stayed []string, err error) {
	writes := make([]IntentWrite, len(seen))
	for i, e := range seen {
		writes[i] = IntentWrite{Path: e.Path, Op: Discard, Temp: path.Join(path.Dir(e.Path), newTemp())}
	}
	id, err := f.opt.Journal.Intend(ctx, writes)
	if err != nil {
		return nil, &Error{"delete", f.root, err, "nothing was deleted; see whether the disk that holds the history is full"}
	}
	var errs []error
	dirs := map[string]bool{}
	outcomes := make([]Outcome, len(seen))
	open := false
	for i, e := range seen {
		state, err := f.discardOne(e, path.Base(writes[i].Temp))
		if err != nil {
			errs = append(errs, fail("delete", e.Path, withoutPath(err)))
		} else if state != Written {
			stayed = append(stayed, e.Path)
		}
		outcomes[i] = Outcome{e.Path, state}
		open = open || state == Unfinished
		dirs[path.Dir(e.Path)] = true
	}
	for name := range dirs {
		errs = append(errs, f.syncDir(name))
	}
	if err := errors.Join(errs...); err != nil || open {
		return stayed, err
	}
	return stayed, f.opt.Journal.Done(ctx, id, outcomes)
}

func (f *Folder) syncDir(name string) error {
	if name == "." {
		name = ""
	}
	d, err := f.openDir(name)
	if err != nil {
		if isMissing(err) {
			return nil
		}
		return fail("sync", name, withoutPath(err))
	}
	defer d.close()
	return fail("sync", name, f.sys.fsync(d.fd))
}

// discardOne moves a file aside, checks what it moved, and only then deletes it.
func (f *Folder) discardOne(e Entry, temp string) (State, error) {
	p, err := f.resolve(e.Path, 0)
	if isMissing(err) {
		return Written, nil
	}
	if err != nil {
		return NotWritten, err
	}
	defer p.dir.close()
	st, err := p.dir.lstat(p.name)
	switch {
	case isMissing(err):
		return Written, nil
	case err != nil:
		return NotWritten, err
	case !entryOf(e.Path, &st).SameFile(e):
		return NotWritten, nil
	}
	if err := p.dir.renameNew(p.name, p.dir, temp); err != nil {
		if isMissing(err) {
			return Written, nil
		}
		return NotWritten, err
	}
	if !f.discardable(e, place{p.dir, temp}) {
		return f.undiscard(p, temp), nil
	}
	if err := p.dir.unlink(temp); err != nil {
		return f.undiscard(p, temp), err
	}
	return Written, nil
}

// discardable reports whether a file that was moved aside is the one that the caller saw,
// and nobody is writing to it.
func (f *Folder) discardable(e Entry, aside place) bool {
	st, err := aside.dir.lstat(aside.name)
	if err != nil || !entryOf(e.Path, &st).SameFile(e) {
		return false
	}
	if e.Kind != Regular {
		return true
	}
	fd, err := open(aside.dir.fd, aside.name, unix.O_RDONLY|unix.O_NOFOLLOW, 0)
	if err != nil {
		return true // its writers are unknown
	}
	defer unix.Close(fd)
	defer leaseDrop(fd)
	return f.sys.leaseRead(fd) != someWriters
}

// undiscard renames a file back. If another file has its name, it stays aside, and the
// intent stays open.
func (f *Folder) undiscard(p place, temp string) State {
	if err := p.dir.renameNew(temp, p.dir, p.name); err != nil {
		f.notify(Notice{Kind: Aside, Path: p.path(), Temp: p.dir.join(temp), Reason: err})
		return Unfinished
	}
	return NotWritten
}

// recoverDiscard renames a file that was about to be deleted back.
func (r *recovery) recoverDiscard() {
	p, err := r.f.resolve(r.Temp, 0)
	if isMissing(err) {
		r.State = Written
		return
	}
	if err != nil {
		r.State, r.Err = Unfinished, err
		return
	}
	defer p.dir.close()
	if !IsTemp(p.name) {
		r.State, r.Err = Unfinished, fmt.Errorf("%s is not a temporary file", r.Temp)
		return
	}
	if _, err := p.dir.lstat(p.name); isMissing(err) {
		r.State = Written
		return
	}
	r.State = r.f.undiscard(place{p.dir, path.Base(r.Path)}, p.name)
	r.Err = p.dir.sync()
}

// RemoveDirs removes those of the directories that are empty, the deepest first: a file
// that anybody put into one keeps it.
func (f *Folder) RemoveDirs(names []string) error {
	if err := f.CheckRoot(); err != nil {
		return err
	}
	names = slices.Clone(names)
	slices.SortFunc(names, func(a, b string) int { return len(b) - len(a) })
	var errs []error
	for _, name := range names {
		p, err := f.placeOf(name, 0)
		if err == nil {
			err = p.dir.rmdir(p.name)
			_ = p.dir.close()
		}
		if !isMissing(err) && !errors.Is(err, unix.ENOTEMPTY) && !errors.Is(err, unix.EEXIST) {
			errs = append(errs, fail("delete", name, withoutPath(err)))
		}
	}
	return errors.Join(errs...)
}
