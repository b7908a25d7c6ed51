package history

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"
)

// makeDir makes the folder of a history. Before the first database is in it, its
// name and those of the folders above it are synced: SQLite syncs what it puts
// into a folder, and not the way there, so that a power cut could take a whole
// history with every edit in it that was acknowledged.
func makeDir(dir, database string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	if _, err := os.Stat(database); err == nil {
		return nil
	}
	for at := filepath.Clean(dir); filepath.Dir(at) != at; at = filepath.Dir(at) {
		err := syncFile(filepath.Dir(at))
		if err != nil && !isOneOf(err, fs.ErrPermission, syscall.EINVAL, syscall.ENOTSUP, syscall.EROFS) {
			return err
		}
	}
	return nil
}

// isOneOf: a folder that may not be opened is not ours, and was there before; some
// file systems cannot sync a folder.
func isOneOf(err error, fine ...error) bool {
	return slices.ContainsFunc(fine, func(f error) bool { return errors.Is(err, f) })
}
