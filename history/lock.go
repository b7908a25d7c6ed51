package history

import (
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

// lock makes one process the only writer of the project. It is a flock on a file of its
// own: closing any descriptor of the database itself would drop SQLite's POSIX locks.
type lock struct{ f *os.File }

// acquireLock returns nil and the holder's process ID if another process has the lock. The
// holder writes its ID and its address into the file.
func acquireLock(path, reach string) (l *lock, holder string, err error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, "", err
	}
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		holder, _ = readLock(f)
		_ = f.Close() // nothing was written
		if err != unix.EWOULDBLOCK {
			return nil, "", fmt.Errorf("lock %s: %w", path, err)
		}
		return nil, holder, nil
	}
	if err := f.Truncate(0); err == nil {
		_, _ = fmt.Fprintf(f, "%d\n%s\n", os.Getpid(), reach) // without it, another process is refused all the same
	}
	return &lock{f}, "", nil
}

// readLock reads the holder's process ID and address.
func readLock(r io.Reader) (pid, reach string) {
	b, _ := io.ReadAll(io.LimitReader(r, 4096))
	pid, reach, _ = strings.Cut(string(b), "\n")
	reach, whole := strings.CutSuffix(reach, "\n")
	if !whole {
		reach = "" // it is being written
	}
	return strings.TrimSpace(pid), reach
}

// Reach returns the address that the process with the history in dir open gave in
// Options.Reach, or "" if there is none. A killed process leaves its address behind: then
// nobody answers there. Reach does not try the lock, because that alone would keep another
// process from taking it.
func Reach(dir string) string {
	f, err := os.Open(filesOf(dir).lock)
	if err != nil {
		return ""
	}
	defer f.Close()
	_, reach := readLock(f)
	return reach
}

func (l *lock) release() {
	if l != nil && l.f != nil {
		_ = l.f.Truncate(0) // if a name stays in the file, the lock is free anyway
		_ = l.f.Close()     // closing releases the lock in any case
	}
}

// Abandoned reports whether no process has the history in dir open: the lock's file is
// empty, or its lock is free. It tries the lock for an instant, in which another process
// may be refused.
func Abandoned(dir string) bool {
	f, err := os.Open(filesOf(dir).lock)
	if err != nil {
		return true
	}
	defer f.Close()
	if st, err := f.Stat(); err == nil && st.Size() == 0 {
		return true
	}
	return unix.Flock(int(f.Fd()), unix.LOCK_SH|unix.LOCK_NB) == nil // closing the file releases it
}
