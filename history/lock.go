package history

import (
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

// lock holds the project for one writing process. It is a flock on its own file:
// closing any descriptor of the database itself would drop SQLite's POSIX locks.
type lock struct{ f *os.File }

// takeLock returns nil and the holder's process ID when another process has it.
// The file then says who that is, and where it can be reached.
func takeLock(path, reach string) (l *lock, holder string, err error) {
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
		_, _ = fmt.Fprintf(f, "%d\n%s\n", os.Getpid(), reach) // whoever cannot read it is refused without it
	}
	return &lock{f}, "", nil
}

// readLock reads what a holder wrote: its process ID, and where it can be reached.
func readLock(r io.Reader) (pid, reach string) {
	b, _ := io.ReadAll(io.LimitReader(r, 4096))
	pid, reach, _ = strings.Cut(string(b), "\n")
	reach, whole := strings.CutSuffix(reach, "\n")
	if !whole {
		reach = "" // it is just being written
	}
	return strings.TrimSpace(pid), reach
}

// Reach is where the process that has the history in dir open can be reached, as it
// said in Options.Reach; "" when there is none. A process that was killed has left
// its word behind: nobody is there then. The lock is not tried, because that alone
// would keep another process from taking it.
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
		_ = l.f.Truncate(0) // who finds a name in it finds the lock free, too
		_ = l.f.Close()     // the lock goes with it in any case
	}
}

// Abandoned reports whether nobody has the history in dir open. The holder's file is
// empty then, or its lock is free: that is tried for an instant, in which another
// process may be refused.
func Abandoned(dir string) bool {
	f, err := os.Open(filesOf(dir).lock)
	if err != nil {
		return true
	}
	defer f.Close()
	if st, err := f.Stat(); err == nil && st.Size() == 0 {
		return true
	}
	return unix.Flock(int(f.Fd()), unix.LOCK_SH|unix.LOCK_NB) == nil // closing it gives it back
}
