package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// writeFile writes a file completely or not at all: the old content stays until the new one is
// complete. "-" is standard output; devices and pipes are written in place.
func (e *env) writeFile(flag, path string, write func(io.Writer) error) error {
	if strings.TrimSpace(path) == "" {
		return usageError("%s: the file name is empty; give one, or - for standard output", flag)
	}
	if path == "-" {
		return unlessClosed(write(e.out))
	}
	if err := replaceFile(path, write); err != nil {
		return e.cannotWrite(flag, path, err)
	}
	return nil
}

// unlessClosed drops the error of a pipe whose reader has seen enough.
func unlessClosed(err error) error {
	if errors.Is(err, syscall.EPIPE) {
		return nil
	}
	return err
}

// pipe is a writer whose reader may have seen enough; programs that write to it then end with
// errors of their own.
type pipe struct {
	io.Writer
	closed bool
}

func (p *pipe) Write(b []byte) (int, error) {
	n, err := p.Writer.Write(b)
	p.closed = p.closed || errors.Is(err, syscall.EPIPE)
	return n, err
}

// checkFile finds out early that a file cannot be written.
func (e *env) checkFile(flag, path string) error {
	if path == "-" || strings.TrimSpace(path) == "" {
		return e.writeFile(flag, path, func(io.Writer) error { return nil })
	}
	if info, err := os.Stat(path); err == nil && !info.IsDir() && !info.Mode().IsRegular() {
		return nil
	}
	probe := errors.New("it could be written")
	err := replaceFile(path, func(io.Writer) error { return probe })
	if errors.Is(err, probe) {
		return nil
	}
	return e.cannotWrite(flag, path, err)
}

func (e *env) cannotWrite(flag, path string, err error) error {
	return fmt.Errorf("write %s: %w; give %s another place, or - for standard output", path, reason(err), flag)
}

func replaceFile(path string, write func(io.Writer) error) error {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	info, err := os.Stat(path)
	switch {
	case err == nil && info.IsDir():
		return errors.New("it is a folder")
	case err == nil && !info.Mode().IsRegular():
		return writeInPlace(path, write)
	case err == nil && info.Mode().Perm()&0o200 == 0:
		return errors.New("the file is there and write-protected")
	}
	return writeBeside(path, info, write)
}

func writeInPlace(path string, write func(io.Writer) error) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	return errors.Join(write(f), f.Close())
}

// writeBeside writes a file in the same folder, and renames it when it is complete.
func writeBeside(path string, old os.FileInfo, write func(io.Writer) error) error {
	mode := fs.FileMode(0o666)
	if old != nil {
		mode = old.Mode().Perm()
	}
	draft := filepath.Join(filepath.Dir(path), fmt.Sprintf(".%s.%d.tmp", filepath.Base(path), os.Getpid()))
	f, err := os.OpenFile(draft, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	err = errors.Join(write(f), f.Sync(), f.Close())
	if err == nil {
		err = os.Rename(draft, path)
	}
	if err != nil {
		_ = os.Remove(draft)
	}
	return err
}

// reason removes the path from an error, because it is that of a temporary file.
func reason(err error) error {
	if e := (*fs.PathError)(nil); errors.As(err, &e) {
		return e.Err
	}
	if e := (*os.LinkError)(nil); errors.As(err, &e) {
		return e.Err
	}
	return err
}
