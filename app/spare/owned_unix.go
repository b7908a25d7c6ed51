//go:build unix

package spare

import (
	"io/fs"
	"os"
	"syscall"
)

func ownedByUser(st fs.FileInfo) bool {
	sys, ok := st.Sys().(*syscall.Stat_t)
	return !ok || int(sys.Uid) == os.Getuid()
}
