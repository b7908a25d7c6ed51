// Package testdir has folders for tests.
package testdir

import (
	"os"
	"syscall"
	"testing"
)

// room is the free space from which on tests may have their folders in memory.
const room = 2 << 30

// Memory is a folder of a file system in memory with much room, or "": most tests
// of what is recorded would wait for the disk more than half of their time, and
// look at nothing that a disk does; those that do mount one. WAFERPAIR_DISK=1 has
// all of them on disk.
func Memory() string {
	const dir = "/dev/shm"
	var fs syscall.Statfs_t
	if os.Getenv("WAFERPAIR_DISK") != "" || syscall.Statfs(dir, &fs) != nil || fs.Bavail*uint64(fs.Bsize) < room {
		return ""
	}
	return dir
}

// InMemory returns the path of an empty folder in Memory, or else of t.TempDir. It
// is removed when the test ends.
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
