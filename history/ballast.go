package history

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// The ballast is a file of allocated blocks that is deleted when the disk is full, so that
// what the user has just typed can still be recorded. It is created when the writer is
// idle, not at Open.

const ballastSize = 16 << 20

func isNoSpace(err error) bool {
	return errors.Is(err, unix.ENOSPC) || errors.Is(err, unix.EDQUOT) || errors.Is(err, unix.EFBIG)
}

// makeBallast creates the ballast if it does not exist. It leaves none on a disk without
// enough space: the ballast must not be what fills the disk.
func makeBallast(path string) error {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := reserve(f, ballastSize); err != nil {
		_ = os.Remove(path) // an empty one takes no space either
		return err
	}
	return nil
}

// dropBallast deletes the ballast and reports whether there was one.
func dropBallast(path string) bool { return os.Remove(path) == nil }
