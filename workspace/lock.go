//go:build unix

package workspace

import (
	"errors"
	"fmt"

	"golang.org/x/sys/unix"
)

// ErrLocked means that another program has the folder locked, perhaps by another path.
var ErrLocked = errors.New("another waferpair has this folder open by another path, or with another data folder")

// Lock reserves the folder for one writer, until Close. The lock is on the directory
// itself, so that it works for every path to it: a bind mount, a link, another user's
// history. Child processes do not inherit it. If the filesystem cannot lock a directory,
// Lock reports that with a notice and succeeds.
func (f *Folder) Lock() error {
	f.life.Lock()
	defer f.life.Unlock()
	if f.dir == nil {
		return errClosed
	}
	if err := f.lock(f.dir); err != nil {
		return err
	}
	f.locked = true
	return nil
}

func (f *Folder) lock(d *dir) error {
	err := retry(func() error { return unix.Flock(d.fd, unix.LOCK_EX|unix.LOCK_NB) })
	if errors.Is(err, unix.EWOULDBLOCK) {
		return &Error{"open", f.root, fmt.Errorf("%w%s", ErrLocked, holder(d)),
			"use the same path and the same XDG_DATA_HOME, or close it there"}
	}
	if err != nil {
		f.notify(Notice{Kind: Unlocked, Path: f.root, Reason: err})
	}
	return nil
}
