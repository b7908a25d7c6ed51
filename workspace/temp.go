//go:build unix

package workspace

import (
	"cmp"
	"errors"
	"io/fs"
	"path"
	"slices"

	"golang.org/x/sys/unix"
)

// makeDirs opens the directory of a new file, after creating what is missing of its path.
func (b *batch) makeDirs(j *job) error {
	if j.write.Op == Create && j.at.dir == nil {
		return b.makeParent(j, j.write.Path, &j.at)
	}
	if j.write.Op == Rename && j.to.dir == nil {
		return b.makeParent(j, j.write.To, &j.to)
	}
	return nil
}

func (b *batch) makeParent(j *job, name string, at *place) (err error) {
	b.made = append(b.made, b.f.missing(path.Dir(name))...)
	*at, err = b.f.resolveAs(name, makeDirs, j.write.Umask)
	b.share(at)
	return err
}

// missingDirs returns the directories that makeDirs will create.
func (f *Folder) missingDirs(j *job) []string {
	switch {
	case j.write.Op == Create && j.at.dir == nil:
		return f.missing(path.Dir(j.write.Path))
	case j.write.Op == Rename && j.to.dir == nil:
		return f.missing(path.Dir(j.write.To))
	}
	return nil
}

// missing returns those of a directory and the ones above it that do not exist.
func (f *Folder) missing(dir string) (out []string) {
	for ; dir != "."; dir = path.Dir(dir) {
		if _, err := f.Stat(dir); err == nil {
			break
		}
		out = append(out, dir)
	}
	return out
}

// removeMade removes the directories that were created for files that then failed, as far
// as they are empty.
func (b *batch) removeMade() { b.f.removeEmpty(b.made) }

// removeEmpty removes those of some directories that are empty, or become so by that.
func (f *Folder) removeEmpty(dirs []string) {
	slices.SortFunc(dirs, func(x, y string) int { return cmp.Compare(len(y), len(x)) }) // deepest first
	for _, name := range dirs {
		if p, err := f.resolve(name, 0); err == nil {
			_ = unix.Unlinkat(p.dir.fd, p.name, unix.AT_REMOVEDIR)
			_ = p.dir.close()
		}
	}
}

// writeTemp writes the new content beside the file, with everything that the file's owner
// set on it, and syncs it. If that is impossible in the file's directory, it marks the job
// to be written in place.
func (f *Folder) writeTemp(j *job) error {
	switch {
	case j.write.Op != Create && j.write.Op != Update || j.unchanged():
		return nil
	case j.inPlace != nil:
		return f.writeCopy(j)
	}
	fd, err := open(j.at.dir.fd, j.tempName(), unix.O_WRONLY|unix.O_CREAT|unix.O_EXCL|unix.O_NOFOLLOW, tempMode(j))
	if j.write.Op == Update && errors.Is(err, fs.ErrPermission) {
		j.inPlace = errors.Join(errors.New("its directory does not allow a new file"), err)
		return nil
	}
	if err != nil {
		return err
	}
	j.ready = true // from here on there is a file to remove
	err = f.fillTemp(j, fd)
	if cerr := unix.Close(fd); err == nil {
		err = cerr
	}
	switch {
	case err != nil:
		return err
	case j.part != "":
		return j.at.dir.rename(j.part, j.at.dir, j.temp)
	case j.inPlace != nil:
		j.dropTemp()
	}
	return nil
}

// tempName returns the name under which the temporary file is written. In a Change, the
// complete file is renamed to the name for the exchange: so a file that a crash leaves
// under this name is ours, whatever its content.
func (j *job) tempName() string { return cmp.Or(j.part, j.temp) }

// writeCopy keeps a copy of what a Change writes in place: after a crash in the middle only
// that distinguishes a torn file from another program's. A directory that allows no new
// file has none.
func (f *Folder) writeCopy(j *job) error {
	if j.part == "" || namesFixed(j.at) != nil {
		return nil
	}
	fd, err := open(j.at.dir.fd, j.part, unix.O_WRONLY|unix.O_CREAT|unix.O_EXCL|unix.O_NOFOLLOW, 0o600)
	if errors.Is(err, fs.ErrPermission) {
		return nil
	}
	if err != nil {
		return err
	}
	j.ready = true
	if err := errors.Join(writeAll(fd, j.write.Content, 0), f.sys.fsync(fd), unix.Close(fd)); err != nil {
		return err
	}
	return j.at.dir.rename(j.part, j.at.dir, j.temp)
}

// tempMode returns a private mode until the owner and the ACL are set. A new file has the
// user's default at once.
func tempMode(j *job) uint32 {
	if mode := j.modeOfNew(); mode != nil {
		return unixMode(*mode)
	}
	if j.write.Op == Create && j.like == nil {
		return 0o666
	}
	return 0o600
}

func (f *Folder) fillTemp(j *job, fd int) error {
	if err := writeAll(fd, j.write.Content, 0); err != nil {
		return err
	}
	if err := copyMeta(j, fd); err != nil {
		if j.write.Op == Update {
			j.inPlace = errors.Join(errors.New("its owner or attributes cannot be given to another file"), err)
			return nil
		}
		return err
	}
	return f.sys.fsync(fd)
}

// dropTemp removes the temporary file. If that fails, for example because its directory has
// become read-only, the intent stays pending.
func (j *job) dropTemp() {
	if !j.ready {
		return
	}
	j.ready = false
	names := []string{j.temp}
	if j.part != "" {
		names = append(names, j.part)
	}
	for _, name := range names {
		if err := j.at.dir.unlink(name); err != nil && !isMissing(err) {
			j.left = true
		}
	}
}

// copyMeta copies the owner, attributes and mode of the replaced file to the temporary
// file. The mode is last: a change of owner clears setuid bits.
func copyMeta(j *job, fd int) error {
	mode := j.write.Mode
	if from := source(j); from != nil {
		src, err := open(from.at.dir.fd, from.at.name, unix.O_RDONLY|unix.O_NOFOLLOW, 0)
		if err != nil {
			return err
		}
		defer unix.Close(src)
		had, err := copyOwner(src, fd)
		if err != nil {
			return err
		}
		if err := copyAttributes(src, fd); err != nil {
			return err
		}
		if mode == nil {
			mode = &had
		}
	}
	if mode = cmp.Or(mode, j.modeOfNew()); mode == nil {
		return nil
	}
	return unix.Fchmod(fd, unixMode(*mode))
}

// source returns the job whose file provides owner and mode, if any.
func source(j *job) *job {
	if j.write.Op == Update {
		return j
	}
	return j.like
}

func copyOwner(from, to int) (fs.FileMode, error) {
	want, err := stat(from)
	if err != nil {
		return 0, err
	}
	have, err := stat(to)
	if err != nil {
		return 0, err
	}
	if want.Uid != have.Uid || want.Gid != have.Gid {
		err = unix.Fchown(to, int(want.Uid), int(want.Gid))
	}
	return modeOf(uint32(want.Mode)), err
}

func writeAll(fd int, p []byte, off int64) error {
	for len(p) > 0 {
		var n int
		err := retry(func() (err error) {
			n, err = unix.Pwrite(fd, p, off)
			return err
		})
		if err != nil {
			return err
		}
		p, off = p[n:], off+int64(n)
	}
	return nil
}
