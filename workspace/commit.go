//go:build unix

package workspace

import (
	"errors"
	"fmt"
	"io/fs"

	"golang.org/x/sys/unix"
)

// commit puts the prepared files in place, one after the other. From here on the batch
// cannot be cancelled: each step takes microseconds.
func (b *batch) commit(end *ending) {
	for _, j := range b.jobs {
		if j.failed() {
			continue
		}
		if j.needs != nil && j.needs.failed() {
			j.fail(j.needs.saved.Err)
			continue
		}
		err := b.f.commitOne(j, end)
		j.fail(err)
		if err != nil && j.needs != nil {
			b.f.uncreate(j.needs, end)
		}
		if err == nil && j.end == NotWritten {
			j.end = Written
		}
		if j.end != NotWritten && j.write.Op != Delete {
			b.f.describe(j)
		}
	}
}

// uncreate removes a created file again if the delete of the old name failed: a rename
// leaves one file, not two.
func (f *Folder) uncreate(j *job, end *ending) {
	undo := &job{write: Write{Path: j.write.Path, Op: Delete, Before: j.saved.After}, at: j.at, temp: j.temp}
	if f.delete(undo, end) == nil {
		j.end = NotWritten
	}
}

// abandon removes the temporary files of jobs that did not finish.
func (b *batch) abandon() {
	for _, j := range b.jobs {
		j.dropTemp()
		if j.left {
			j.end = Unfinished
		}
	}
}

func (f *Folder) commitOne(j *job, end *ending) error {
	switch j.write.Op {
	case Create:
		return f.create(j)
	case Update:
		return f.update(j, end)
	case Rename:
		return f.rename(j)
	}
	return f.delete(j, end)
}

// create renames the temporary file to its name, unless the name is taken by now.
func (f *Folder) create(j *job) error {
	err := j.at.dir.renameNew(j.temp, j.at.dir, j.at.name)
	if errors.Is(err, fs.ErrExist) {
		st, serr := j.at.dir.lstat(j.at.name)
		if serr != nil {
			return err
		}
		return f.occupied(j.write.Path, j.at, &st)
	}
	if err == nil {
		j.ready, j.applied = false, true
		j.dirty = append(j.dirty, j.at.dir)
	}
	return err
}

// update replaces the file's content.
func (f *Folder) update(j *job, end *ending) error {
	if err := f.recheck(j); err != nil {
		return err
	}
	if j.unchanged() {
		return chmodOnly(j)
	}
	if j.inPlace != nil {
		return f.overwrite(j)
	}
	err := f.sys.exchange(j.at.dir, j.temp, j.at.name)
	switch {
	case err == nil:
		j.dirty = append(j.dirty, j.at.dir)
		return f.afterExchange(j, end)
	case unsupported(err):
		return f.renameOver(j, end)
	case errors.Is(err, unix.EXDEV), errors.Is(err, unix.EBUSY), errors.Is(err, fs.ErrPermission):
		if j.part == "" {
			j.dropTemp() // a Change keeps it, like all copies of what it writes in place
		}
		j.inPlace = fmt.Errorf("the file cannot be exchanged (a mount point?): %w", err)
		return f.overwrite(j)
	}
	return err
}

// recheck compares the file once more, because writing the temporary file took
// milliseconds. A file that changed becomes stale here, rather than a conflict after the
// exchange.
func (f *Folder) recheck(j *job) error {
	if err := checkKind(j.at); err != nil {
		return err
	}
	st, err := j.at.dir.lstat(j.at.name)
	if err != nil {
		return err
	}
	if entryOf(j.old.Entry.Path, &st).SameFile(j.old.Entry) {
		return nil
	}
	now, err := f.readAt(j.at)
	if err != nil {
		return err
	}
	j.old = now
	return f.checkContent(j)
}

// chmodOnly changes the mode of a file whose content stays, and leaves its mtime.
func chmodOnly(j *job) error {
	if j.write.Mode == nil || *j.write.Mode == j.old.Entry.Mode {
		return nil
	}
	j.applied = true
	return chmodTo(j, *j.write.Mode)
}

func chmodTo(j *job, mode fs.FileMode) error {
	fd, err := open(j.at.dir.fd, j.at.name, unix.O_RDONLY|unix.O_NOFOLLOW, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	if err := unix.Fchmod(fd, unixMode(mode)); err != nil {
		return err
	}
	return unix.Fsync(fd)
}

// afterExchange checks the displaced file, which now has the temporary name.
func (f *Folder) afterExchange(j *job, end *ending) error {
	j.ready, j.applied = false, true // the temporary name is no longer our file's
	a, err := f.setAside(j.write.Path, j.at, j.temp, j.write.Before, end)
	if j.part != "" {
		if err != nil {
			return err
		}
		return f.keepAside(j, a)
	}
	if errors.Is(err, errNotContent) {
		return f.swapBack(j, end, err)
	}
	if err != nil {
		j.end = Unfinished // it stays there; Recover checks it again
		f.notify(Notice{Kind: NotPreserved, Path: j.write.Path, Temp: j.at.dir.join(j.temp), Reason: err})
		return nil
	}
	f.settle(j, a)
	return nil
}

// swapBack undoes an exchange that displaced something other than a file of editable size:
// a directory, a link, a FIFO, a file too large to keep.
func (f *Folder) swapBack(j *job, end *ending, why error) error {
	if err := f.sys.exchange(j.at.dir, j.temp, j.at.name); err != nil {
		j.end = Unfinished
		return err
	}
	a, err := f.setAside(j.write.Path, j.at, j.temp, j.saved.After, end)
	if err != nil {
		j.end = Unfinished
		return err
	}
	f.settle(j, a) // removes our file; an outside save in between is preserved
	if j.end == NotWritten || j.end == Written {
		j.end = NotWritten
	}
	return errors.Unwrap(why)
}

// renameOver is the fallback for filesystems without exchange: it checks the file and
// renames over it. It keeps the displaced file open, so it still notices an outside program
// that writes into that file, but not one that renames its own file into place between the
// two calls.
func (f *Folder) renameOver(j *job, end *ending) error {
	a, err := f.setAside(j.write.Path, j.at, j.at.name, j.write.Before, end)
	if errors.Is(err, errNotContent) {
		return errors.Unwrap(err)
	}
	if err != nil {
		return err
	}
	a.unnamed, a.temp = true, j.temp
	if hash, err := hashFD(a.fd); err != nil || hash != j.write.Before {
		a.release()
		if err == nil {
			err = f.recheck(j)
		}
		return err
	}
	if err := j.at.dir.rename(j.temp, j.at.dir, j.at.name); err != nil {
		a.release()
		return err
	}
	j.ready, j.applied = false, true
	j.dirty = append(j.dirty, j.at.dir)
	f.notifyOnce(Notice{Kind: Window, Path: j.write.Path,
		Reason: errors.New(
			"the filesystem has no atomic exchange; a save of another program in the same instant could be lost")},
		j.old.Entry.Dev)
	if j.part != "" {
		return f.keepAside(j, a)
	}
	f.settle(j, a)
	return nil
}

// notifyOnce reports a property of a filesystem once.
func (f *Folder) notifyOnce(n Notice, dev uint64) {
	type key struct {
		kind NoticeKind
		dev  uint64
	}
	if _, notified := f.notified.LoadOrStore(key{n.Kind, dev}, true); !notified {
		f.notify(n)
	}
}

// rename moves a file to a free name. If the moved file is not the version that the caller
// knows, it is moved back.
func (f *Folder) rename(j *job) error {
	err := j.at.dir.renameNew(j.at.name, j.to.dir, j.to.name)
	switch {
	case errors.Is(err, fs.ErrExist):
		st, serr := j.to.dir.lstat(j.to.name)
		if serr != nil {
			return err
		}
		return f.occupied(j.write.To, j.to, &st)
	case err != nil:
		return err
	}
	j.dirty = append(j.dirty, j.at.dir, j.to.dir)
	moved, err := f.readAt(j.to)
	if err == nil && moved.Class <= Binary && moved.Hash == j.write.Before {
		j.applied = true
		return nil
	}
	if back := j.to.dir.renameNew(j.to.name, j.at.dir, j.at.name); back != nil {
		j.end = Conflict // the other version is at the new name, complete
		return &StaleError{Path: j.write.To, Want: j.write.Before, Disk: &moved}
	}
	if err != nil {
		return err
	}
	moved.Path = j.write.Path
	return &StaleError{Path: j.write.Path, Want: j.write.Before, Disk: &moved}
}

// delete moves the file aside, checks it, and removes it only if it is the version that the
// caller knows.
func (f *Folder) delete(j *job, end *ending) error {
	if err := f.recheck(j); err != nil {
		return err
	}
	err := j.at.dir.renameNew(j.at.name, j.at.dir, j.temp)
	if err != nil {
		return err
	}
	j.dirty = append(j.dirty, j.at.dir)
	a, err := f.setAside(j.write.Path, j.at, j.temp, j.write.Before, end)
	if err != nil {
		return f.undelete(j, err)
	}
	a.restore = j.at.name
	if j.part != "" {
		j.applied = true
		return f.keepAside(j, a)
	}
	f.settle(j, a)
	if j.end == NotWritten {
		now, err := f.readAt(j.at)
		if err != nil {
			return err
		}
		now.Path = j.write.Path
		return &StaleError{Path: j.write.Path, Want: j.write.Before, Disk: &now}
	}
	return nil
}

func (f *Folder) undelete(j *job, why error) error {
	if err := j.at.dir.renameNew(j.temp, j.at.dir, j.at.name); err != nil {
		j.end = Unfinished
		f.notify(Notice{Kind: NotPreserved, Path: j.write.Path, Temp: j.at.dir.join(j.temp), Reason: err})
	}
	if errors.Is(why, errNotContent) {
		why = errors.Unwrap(why)
	}
	return why
}

// describe fills in the file's present entry, so that the caller can distinguish its own
// write from others without reading the file again.
func (f *Folder) describe(j *job) {
	p := j.at
	if j.write.Op == Rename {
		p = j.to
	}
	if st, err := p.dir.lstat(p.name); err == nil {
		j.saved.Entry = entryOf(p.path(), &st)
	}
}
