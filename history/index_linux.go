package history

import (
	"errors"
	"fmt"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// SQLite keeps the index of its log in memory that all connections share: a file
// beside the database (-shm) that they map. It makes that larger by one byte per
// page of 4 KiB, so that on a disk of smaller blocks the pages have holes; on a
// full disk, writing there is no error but SIGBUS, which ends the program. Nor can
// the file be filled beforehand: the first connection cuts it off, since what a
// crash left in it is worth nothing.
//
// So the file is made anew, of real blocks, by whoever opens the history, with
// the lock that tells SQLite that somebody is first already and did all that
// (UNIX_SHM_DMS in its os_unix.c). The lock is one of the open file, which unlike
// SQLite's own is there for connections of the same process, too.

const (
	indexLock = 128 // the byte that is locked
	// indexPart is what SQLite makes it larger by, for 4,096 pages of the log.
	indexPart = 32 << 10
	// indexParts are made where there is room. The log begins anew every 1,000
	// pages unless somebody reads all that time; beyond, SQLite goes on by itself.
	indexParts = 8
)

// makeIndex makes the index of a database, and returns it to be closed when this
// process has no connection any more: closing it drops their locks. No connection
// may be open yet. It is nil when another process has one, and so the index.
func makeIndex(db string) (*os.File, error) {
	st, err := os.Stat(db)
	if err != nil {
		return nil, err
	}
	f, err := os.OpenFile(db+"-shm", os.O_RDWR|os.O_CREATE, st.Mode().Perm())
	if err != nil {
		return nil, err
	}
	if err = lockIndex(f, unix.F_WRLCK); errors.Is(err, unix.EAGAIN) || errors.Is(err, unix.EACCES) {
		_ = f.Close() // nothing was written
		return nil, nil
	}
	// as SQLite does: the owner must be able to open it
	if sys, ok := st.Sys().(*syscall.Stat_t); ok && err == nil && os.Geteuid() == 0 {
		err = f.Chown(int(sys.Uid), int(sys.Gid))
	}
	if err == nil {
		err = fillIndex(f)
	}
	if err == nil {
		err = lockIndex(f, unix.F_RDLCK)
	}
	if err != nil {
		_ = f.Truncate(0) // what SQLite finds half made it makes anew
		_ = f.Close()
		return nil, fmt.Errorf("make the index of the history's log: %w", err)
	}
	return f, nil
}

// fillIndex writes zeros, which are no index, over all of it: reserve may leave it
// to the first write to take a block. One part must be; where not all can be, the
// space is left to the log.
func fillIndex(f *os.File) error {
	if err := f.Truncate(0); err != nil {
		return err
	}
	zeros := make([]byte, indexPart)
	for n := range int64(indexParts) {
		if _, err := f.WriteAt(zeros, n*indexPart); err != nil {
			if n == 0 || !isNoSpace(err) {
				return err
			}
			return f.Truncate(indexPart)
		}
	}
	return nil
}

// indexTaken gives the lock back once a connection has its own: one that closes
// would take ours for another process, which the log must be left to.
func indexTaken(f *os.File) {
	if f != nil {
		_ = lockIndex(f, unix.F_UNLCK) // closing the file gives it back, too
	}
}

func lockIndex(f *os.File, kind int16) error {
	return unix.FcntlFlock(f.Fd(), unix.F_OFD_SETLK, &unix.Flock_t{Type: kind, Start: indexLock, Len: 1})
}
