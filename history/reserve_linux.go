package history

import (
	"os"

	"golang.org/x/sys/unix"
)

// reserve gives f n bytes of allocated space.
func reserve(f *os.File, n int64) error { return unix.Fallocate(int(f.Fd()), 0, 0, n) }
