// Package testdir provides folders for tests.
package testdir

import (
	"os"
	"syscall"
	"testing"
)

// mayWrite asks access(2) whether files can be made.
const mayWrite = 2

// room is the free space that a file system in memory must have for tests to use it.
const room = 2 << 30

// Memory returns a folder in a file system in memory with enough room, or "". Most tests of
// the history would wait for the disk more than half of their time and test nothing that a
// disk does; those that do mount one. With WAFERPAIR_DISK=1, all tests use the disk.
func Memory() string {
	const dir = "/dev/shm"
	var fs syscall.Statfs_t
	if os.Getenv("WAFERPAIR_DISK") != "" || syscall.Access(dir, mayWrite) != nil || syscall.Statfs(dir, &fs) != nil ||
		fs.Bavail*uint64(fs.Bsize) < room {
		return ""
	}
	return dir
}

// InMemory returns the path of an empty folder in Memory, or else of t.TempDir. It is
// removed when the test ends.
func InMemory(t testing.TB) string {
	t.Helper()
	if Memory() == "" {
		return t.TempDir()
	}
	dir, err := os.MkdirTemp(Memory(), "waferpair-test-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Errorf("remove the test's folder: %v", err)
		}
	})
	return dir
}
