//go:build !unix

package watch

import (
	"os"
	"sync/atomic"
)

// fileID identifies watched directories. Without inodes every check of a directory gives it
// a new ID, so that its watch is renewed each time and a moved directory is not recognized;
// the events of the move arrive anyway.
type fileID struct {
	device, inode uint64
}

var lastID atomic.Uint64

func idOf(info os.FileInfo) fileID {
	if !info.IsDir() {
		return fileID{}
	}
	return fileID{1, lastID.Add(1)}
}
