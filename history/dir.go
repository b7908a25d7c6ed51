package history

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"
)

// makeDir creates the folder of a history. Before the first database is in it, makeDir
// syncs the folder's name and those above it: SQLite syncs the folder's entries but not the
// path to it, so that a power cut could take a whole history of acknowledged edits.
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

// isOneOf reports errors of a sync that do not matter: a folder that may not be opened is
// not ours and existed before, and some file systems cannot sync a folder.
func isOneOf(err error, fine ...error) bool {
	return slices.ContainsFunc(fine, func(f error) bool { return errors.Is(err, f) })
}
