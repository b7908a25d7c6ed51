package workspace

import (
	"errors"
	"fmt"
	"io/fs"
	"syscall"
)

// Error is a failed operation on a file or on the folder: the operation, the path, the
// cause, and what the user can do about it.
type Error struct {
	Op   string
	Path string
	Err  error
	Hint string
}

func (e *Error) Error() string {
	s := fmt.Sprintf("%s %s: %v", e.Op, e.Path, e.Err)
	if e.Hint != "" {
		s += "; " + e.Hint
	}
	return s
}

func (e *Error) Unwrap() error { return e.Err }

// PathError means that a path is refused. Nothing on disk was touched.
type PathError struct {
	Path   string
	Reason string
}

func (e *PathError) Error() string {
	return fmt.Sprintf("path %q refused: %s", e.Path, e.Reason)
}

// StaleError means that a file does not have the content that the caller's write is based
// on. Nothing was written to that file. Disk is its present content, or nil if it does not
// exist.
type StaleError struct {
	Path string
	Want [32]byte
	Disk *File
}

func (e *StaleError) Error() string {
	switch {
	case e.Disk == nil:
		return fmt.Sprintf("save %s: the file is gone from disk; reload it before saving", e.Path)
	case e.Want == [32]byte{}:
		return fmt.Sprintf("save %s: a file of that name exists already; read it first, then change it", e.Path)
	}
	return fmt.Sprintf("save %s: the file was changed on disk by another program; reload it before saving", e.Path)
}

var (
	errNotRegular   = errors.New("not a regular file")
	errIsDir        = errors.New("a directory is there now")
	errReadOnly     = fmt.Errorf("the file is read-only: %w", fs.ErrPermission)
	errImmutable    = fmt.Errorf("the file is immutable (chattr +i): %w", fs.ErrPermission)
	errAppendOnly   = fmt.Errorf("the file can only be appended to (chattr +a): %w", fs.ErrPermission)
	errImmutableDir = fmt.Errorf("its directory allows no such change (chattr +i or +a): %w", fs.ErrPermission)
	errTooLarge     = errors.New("the file is larger than the limit for editing")
	errClosed       = errors.New("the folder is closed")
	errSymlink      = errors.New("it is a symbolic link")
	errTwice        = errors.New("the batch writes this file twice")
)

// fail wraps err as an Error with the next step that its cause suggests. It returns errors
// that already have all this unchanged.
func fail(op, path string, err error) error {
	var full *Error
	var stale *StaleError
	var refused *PathError
	if err == nil || errors.As(err, &full) || errors.As(err, &stale) || errors.As(err, &refused) {
		return err
	}
	return &Error{Op: op, Path: path, Err: err, Hint: hint(err)}
}

var hints = []struct {
	err  error
	hint string
}{
	{syscall.ENOSPC, "the original is intact; free some disk space and save again"},
	{syscall.EDQUOT, "the original is intact; your disk quota is used up: free some space and save again"},
	{syscall.EFBIG,
		"the original is intact; the file size limit (ulimit -f) or the filesystem does not allow a file this large"},
	{syscall.EROFS, "the filesystem is mounted read-only; remount it writable and save again"},
	{syscall.EIO, "the disk reports a fault; check it (dmesg) and copy your work elsewhere"},
	{syscall.ETXTBSY, "the program is running; stop it and save again"},
	{syscall.EMFILE, "too many files are open; close some or raise the limit (ulimit -n)"},
	{syscall.ENAMETOOLONG, "shorten the name"},
	{syscall.ELOOP, "its symbolic links form a loop; remove one of them"},
	{syscall.ESTALE, "the network filesystem lost the file; reload it"},
	{errIsDir, "the file was replaced by a directory; rename one of them"},
	{syscall.ENOTDIR, "a file is where the path needs a directory; rename one of them"},
	{errReadOnly, "make it writable first (chmod u+w) if it is meant to change"},
	{errImmutable, "allow changes first (chattr -i) if it is meant to change"},
	{errAppendOnly, "allow changes first (chattr -a) if it is meant to change"},
	{errImmutableDir, "allow changes of the directory first (chattr -i -a)"},
	{errTooLarge, "raise the limit in the settings to edit it"},
	{fs.ErrPermission, "check the permissions of the file and of its directory"},
}

func hint(err error) string {
	for _, h := range hints {
		if errors.Is(err, h.err) {
			return h.hint
		}
	}
	return ""
}
