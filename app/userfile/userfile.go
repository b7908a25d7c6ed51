// Package userfile replaces small files of the user: preferences, config.toml, what was learned
// about a provider.
//
//	lock -> read -> change -> write a temporary file -> sync -> rename
//
// Readers see the old or the new content, and no other waferpair's change is lost. A file that is
// a link stays one: the file that it leads to is replaced.
package userfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// Replace applies change to the content of a file, which may not exist. The file gets mode 0600. It
// is not written when change fails.
func Replace(path string, change func(old []byte) ([]byte, error)) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	lock, err := os.OpenFile(filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+".lock"),
		os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	defer lock.Close()
	if err := unix.Flock(int(lock.Fd()), unix.LOCK_EX); err != nil {
		return fmt.Errorf("lock %s: %w", lock.Name(), err)
	}
	if st, err := os.Stat(path); err == nil && !st.Mode().IsRegular() { // reading it could wait forever
		return fmt.Errorf("%s is no file; move it away", path)
	}
	old, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	body, err := change(old)
	if err != nil {
		return err
	}
	if to, err := filepath.EvalSymlinks(path); err == nil {
		path = to
	} else if to, err := os.Readlink(path); err == nil { // it leads to a file that is still to be made
		if path = filepath.Join(filepath.Dir(path), to); filepath.IsAbs(to) {
			path = to
		}
	}
	return writeWhole(path, body)
}

// writeWhole replaces a file atomically.
func writeWhole(path string, body []byte) (err error) {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = os.Remove(f.Name()) // the failed write matters more
		}
	}()
	_, err = f.Write(body)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}
