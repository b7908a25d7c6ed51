//go:build unix

package workspace

import (
	"errors"
	"fmt"
	"io/fs"

	"golang.org/x/sys/unix"
)

// Operations on folders, and on files whatever their content. Like everything else they go
// through the open folder, never by the root's path.

// MakeDir creates a directory, and those above it. If it exists, that is an error.
func (f *Folder) MakeDir(name string) error {
	if err := f.CheckRoot(); err != nil {
		return err
	}
	clean, err := f.Path(name)
	if err != nil {
		return err
	}
	p, err := f.resolve(clean, makeDirs)
	if err != nil {
		return fail("create", clean, withoutPath(err))
	}
	defer p.dir.close()
	if err := retry(func() error { return unix.Mkdirat(p.dir.fd, p.name, 0o777) }); err != nil {
		return fail("create", clean, err)
	}
	return fail("create", clean, p.dir.sync())
}

// Move moves what is at a path, of any kind: as a whole if nothing is at the new path yet,
// otherwise the entries of the directories, one by one. It replaces nothing: what cannot be
// moved stays, and the error names it. Nothing at the old path is no error.
func (f *Folder) Move(from, to string) error {
	if err := f.CheckRoot(); err != nil {
		return err
	}
	src, err := f.placeOf(from, 0)
	if isMissing(err) {
		return nil
	}
	if err != nil {
		return fail("move", from, withoutPath(err))
	}
	defer src.dir.close()
	dst, err := f.placeOf(to, makeDirs)
	if err != nil {
		return fail("move", from, withoutPath(err))
	}
	defer dst.dir.close()
	return errors.Join(moveInto(src, dst), src.dir.sync(), dst.dir.sync())
}

func (f *Folder) placeOf(name string, how resolveFlags) (place, error) {
	clean, err := f.Path(name)
	if err != nil {
		return place{}, err
	}
	return f.resolve(clean, how)
}

func moveInto(src, dst place) error {
	err := src.dir.renameNew(src.name, dst.dir, dst.name)
	switch {
	case err == nil || isMissing(err):
		return nil
	case !errors.Is(err, fs.ErrExist):
		return fail("move", src.path(), err)
	}
	from, err := src.dir.sub(src.name)
	if errors.Is(err, unix.ENOTDIR) || errors.Is(err, unix.ELOOP) {
		return fail("move", src.path(), fmt.Errorf("%s: %w", dst.path(), fs.ErrExist))
	}
	if err != nil {
		return fail("move", src.path(), err)
	}
	defer from.close()
	to, err := dst.dir.sub(dst.name)
	if err != nil {
		return fail("move", src.path(), fmt.Errorf("%s: %w", dst.path(), fs.ErrExist))
	}
	defer to.close()
	if err := moveAll(from, to); err != nil {
		return err
	}
	return fail("move", src.path(), src.dir.rmdir(src.name))
}

func moveAll(from, to *dir) error {
	names, err := from.names()
	if err != nil {
		return fail("move", from.path, err)
	}
	var errs []error
	for _, name := range names {
		errs = append(errs, moveInto(place{from, name}, place{to, name}))
	}
	return errors.Join(append(errs, to.sync())...)
}

func (d *dir) rmdir(name string) error {
	return retry(func() error { return unix.Unlinkat(d.fd, name, unix.AT_REMOVEDIR) })
}
