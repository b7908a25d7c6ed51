//go:build !linux

package history

import "os"

// reserve allocates n bytes of disk space to f by writing them.
func reserve(f *os.File, n int64) error {
	zeros := make([]byte, 1<<20)
	for ; n > 0; n -= int64(len(zeros)) {
		if _, err := f.Write(zeros); err != nil {
			return err
		}
	}
	return nil
}
