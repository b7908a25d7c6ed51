//go:build unix

package watch

import (
	"os"
	"syscall"
)

// fileID identifies files independently of their names.
type fileID struct {
	device, inode uint64
}

func idOf(info os.FileInfo) fileID {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return fileID{uint64(st.Dev), uint64(st.Ino)}
	}
	return fileID{}
}
