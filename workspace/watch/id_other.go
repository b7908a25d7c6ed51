//go:build !unix

package watch

import (
	"os"
	"sync/atomic"
)

// fileID tells watched directories apart. Without inodes every look at a directory
// gives it a new one, so that its watch is renewed each time and a moved directory
// is not recognized; the news of the move come anyway.
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
