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
func takeLock(path string) (l *lock, holder string, err error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, "", err
	}
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		b, _ := io.ReadAll(io.LimitReader(f, 32))
		f.Close()
		if err != unix.EWOULDBLOCK {
			return nil, "", fmt.Errorf("lock %s: %w", path, err)
		}
		return nil, strings.TrimSpace(string(b)), nil
	}
	if err := f.Truncate(0); err == nil {
		fmt.Fprintf(f, "%d\n", os.Getpid())
	}
	return &lock{f}, "", nil
}

func (l *lock) release() {
	if l != nil && l.f != nil {
		l.f.Truncate(0)
		l.f.Close()
	}
}
