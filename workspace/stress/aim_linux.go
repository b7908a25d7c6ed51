package stress

import (
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"
)

// aim returns a function that waits for the moment just before our exchange: the closing of
// the temporary file. The exchange follows within a few dozen microseconds.
func aim(dir string) (wait func(), err error) {
	fd, err := unix.InotifyInit1(unix.IN_CLOEXEC | unix.IN_NONBLOCK)
	if err != nil {
		return nil, err
	}
	if _, err := unix.InotifyAddWatch(fd, filepath.Clean(dir), unix.IN_CLOSE_WRITE); err != nil {
		_ = unix.Close(fd)
		return nil, err
	}
	return func() {
		defer unix.Close(fd)
		// A busy loop: waking up would take too long.
		buf := make([]byte, 4096)
		for end := time.Now().Add(50 * time.Millisecond); time.Now().Before(end); {
			if n, err := unix.Read(fd, buf); err == nil && n > 0 {
				return
			}
		}
	}, nil
}
