package spare

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// replace writes a private file durably and atomically.
func replace(name string, data []byte) error {
	dir := filepath.Dir(name)
	if err := privateFolder(dir); err != nil {
		return err
	}
	f, err := os.CreateTemp(dir, "new-*") // mode 0600
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	err = errors.Join(err, f.Sync(), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), name)
	}
	if err != nil {
		_ = os.Remove(f.Name()) // the reason of the failed write matters more
		return err
	}
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// privateFolder creates a folder that only the user can access; a folder that exists in a shared
// place might be somebody else's.
func privateFolder(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	st, err := os.Lstat(dir)
	switch {
	case err != nil:
		return err
	case !st.IsDir() || !ownedByUser(st):
		return fmt.Errorf("%s is not a folder of yours", dir)
	case st.Mode().Perm()&0o022 != 0:
		return fmt.Errorf("%s can be written by others", dir)
	}
	return nil
}
