package history

import (
	"os"

	"golang.org/x/sys/unix"
)

// reserve allocates n bytes of disk space to f.
func reserve(f *os.File, n int64) error { return unix.Fallocate(int(f.Fd()), 0, 0, n) }
