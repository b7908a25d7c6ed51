//go:build unix

package workspace

import (
	"errors"
	"fmt"

	"golang.org/x/sys/unix"
)

// Identity distinguishes the project folder from another one in its place: a mount point
// whose disk is missing, or a folder that was deleted and created again.
type Identity struct {
	Dev, Inode uint64
	Born       int64 // nanoseconds; 0 if the filesystem does not store it
}

// Same reports whether both are the same folder, as far as can be determined. The birth
// time stays the same if the device number does not, as after a remount; an inode number
// alone is soon reused for the next folder.
func (i Identity) Same(o Identity) bool {
	if i.Born != 0 && o.Born != 0 {
		return i.Inode == o.Inode && i.Born == o.Born
	}
	return i.Inode == o.Inode && i.Dev == o.Dev
}

func (i Identity) String() string { return fmt.Sprintf("%d %d %d", i.Inode, i.Born, i.Dev) }

// ParseIdentity parses the result of String.
func ParseIdentity(s string) (i Identity, ok bool) {
	_, err := fmt.Sscanf(s, "%d %d %d", &i.Inode, &i.Born, &i.Dev)
	return i, err == nil
}

// Identity returns the identity of the open folder.
func (f *Folder) Identity() (Identity, error) {
	d, err := f.rootDir()
	if err != nil {
		return Identity{}, err
	}
	defer d.close()
	i, err := identity(d)
	return i, fail("look at", f.root, err)
}

// CurrentIdentity returns the identity of the folder that is now at the root's path, or an
// error if there is none.
func (f *Folder) CurrentIdentity() (Identity, error) {
	d, err := openRootDir(f.root)
	if err != nil {
		return Identity{}, fail("look at", f.root, err)
	}
	defer d.close()
	i, err := identity(d)
	return i, fail("look at", f.root, err)
}

func identity(d *dir) (Identity, error) {
	st, err := stat(d.fd)
	return Identity{Dev: uint64(st.Dev), Inode: st.Ino, Born: born(d.fd)}, err
}

// CheckRoot returns an error if the folder was deleted, moved or replaced since it was
// opened. Its files must then not be taken for deleted, and nothing must be changed at its
// path.
func (f *Folder) CheckRoot() error {
	d, err := f.rootDir()
	if err != nil {
		return err
	}
	defer d.close()
	have, err := stat(d.fd)
	if err != nil {
		return fail("look at", f.root, err)
	}
	var now unix.Stat_t
	if err := unix.Stat(f.root, &now); err != nil || now.Ino != have.Ino || now.Dev != have.Dev {
		return &Error{"look at", f.root, errors.Join(ErrGone, err), "put it back, or open it at its new place"}
	}
	return nil
}

// ErrGone means that the project folder is no longer where it was opened.
var ErrGone = errors.New("the project folder was moved or deleted")

// Renew replaces the open folder by the one that is now at the root's path, if that is the
// wanted one.
func (f *Folder) Renew(want Identity) error {
	d, err := openRootDir(f.root)
	if err != nil {
		return fail("open", f.root, err)
	}
	now, err := identity(d)
	if err != nil || !now.Same(want) {
		return errors.Join(&Error{"open", f.root, errors.Join(ErrGone, err), "it was replaced again; try once more"},
			d.close())
	}
	f.saving.Lock()
	defer f.saving.Unlock()
	f.life.Lock()
	defer f.life.Unlock()
	if f.dir == nil {
		return errors.Join(errClosed, d.close())
	}
	if have, err := identity(f.dir); err == nil && have == now {
		return d.close() // it is back, and has our lock
	}
	if f.locked {
		if err := f.lock(d); err != nil {
			return errors.Join(err, d.close())
		}
	}
	d, f.dir = f.dir, d
	return d.close()
}
