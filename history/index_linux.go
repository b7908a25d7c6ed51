package history

import (
	"errors"
	"fmt"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// SQLite keeps the index of its log in memory shared by all connections: a file beside the
// database (-shm) that they map. SQLite extends it by writing one byte per page of 4 KiB,
// so that on a disk with smaller blocks the pages have holes; on a full disk, a write into
// a hole is no error but SIGBUS, which kills the program. Filling the file beforehand does
// not help: the first connection truncates it, because its content is worthless after a
// crash.
//
// So the process that opens the history creates the file anew, with allocated blocks, and
// takes the lock that tells SQLite that another connection is first and has done all that
// (UNIX_SHM_DMS in its os_unix.c). The lock belongs to the open file description, so unlike
// SQLite's own locks it is visible to connections of the same process, too.

const (
	indexLock = 128 // the byte to lock
	// indexPart is how much SQLite extends the file by, for 4,096 pages of the log.
	indexPart = 32 << 10
	// indexParts is how many parts makeIndex writes if the disk has room. The log starts
	// over every 1,000 pages unless a reader prevents it; beyond that, SQLite extends the
	// file itself.
	indexParts = 8
)

// makeIndex creates the index of a database. The caller closes it after the last connection
// of this process, because closing it drops their locks. No connection may be open yet. The
// result is nil if another process has a connection, and so an index.
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
	// as SQLite does: the owner of the database must be able to open it
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
		_ = f.Truncate(0) // SQLite rebuilds an incomplete index
		_ = f.Close()
		return nil, fmt.Errorf("index the history's log: %w", err)
	}
	return f, nil
}

// fillIndex writes zeros, which are no valid index, over the whole file: reserve may leave
// the allocation of a block to the first write. The first part is required; if not all fit,
// the space is left to the log.
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

// indexTaken releases the lock once a connection has its own: a connection that closes
// would take ours for another process, and leave the log for it.
func indexTaken(f *os.File) {
	if f != nil {
		_ = lockIndex(f, unix.F_UNLCK) // closing the file releases it, too
	}
}

func lockIndex(f *os.File, kind int16) error {
	return unix.FcntlFlock(f.Fd(), unix.F_OFD_SETLK, &unix.Flock_t{Type: kind, Start: indexLock, Len: 1})
}
