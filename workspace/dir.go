//go:build unix

package workspace

import (
	"errors"
	"io/fs"
	"time"

	"golang.org/x/sys/unix"
)

// calls are the system calls that tests replace to provoke failures.
type calls struct {
	exchange  func(d *dir, a, b string) error
	leaseRead func(fd int) writers
	fsync     func(fd int) error
}

var kernel = calls{exchange, leaseRead, fsync}

func fsync(fd int) error { return retry(func() error { return unix.Fsync(fd) }) }

// dir is an open directory. Files are named relative to it, so that a directory that is
// moved or replaced meanwhile cannot redirect a write.
type dir struct {
	fd   int
	path string // relative to the root, link-free; "" is the root
}

func openRootDir(path string) (*dir, error) {
	fd, err := open(unix.AT_FDCWD, path, unix.O_RDONLY|unix.O_DIRECTORY, 0)
	if err != nil {
		return nil, err
	}
	return &dir{fd: fd}, nil
}

func (d *dir) close() error { return unix.Close(d.fd) }

func (d *dir) dup() (*dir, error) {
	fd, err := unix.FcntlInt(uintptr(d.fd), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	return &dir{fd: fd, path: d.path}, nil
}

// join returns the path of a name in d, relative to the root.
func (d *dir) join(name string) string {
	if d.path == "" {
		return name
	}
	return d.path + "/" + name
}

// sub opens a directory in d, never through a link.
func (d *dir) sub(name string) (*dir, error) {
	fd, err := open(d.fd, name, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW, 0)
	if err != nil {
		return nil, err
	}
	return &dir{fd: fd, path: d.join(name)}, nil
}

func (d *dir) lstat(name string) (st unix.Stat_t, err error) {
	err = retry(func() error { return unix.Fstatat(d.fd, name, &st, unix.AT_SYMLINK_NOFOLLOW) })
	return st, err
}

func (d *dir) readlink(name string) (string, error) {
	buf := make([]byte, unix.PathMax)
	n, err := unix.Readlinkat(d.fd, name, buf)
	if err != nil {
		return "", err
	}
	return string(buf[:n]), nil
}

func (d *dir) unlink(name string) error {
	return retry(func() error { return unix.Unlinkat(d.fd, name, 0) })
}

func (d *dir) rename(from string, to *dir, name string) error {
	return retry(func() error { return unix.Renameat(d.fd, from, to.fd, name) })
}

// renameNew renames without ever replacing. If the kernel or the filesystem cannot do that,
// it uses a hard link, which fails if the name exists.
func (d *dir) renameNew(from string, to *dir, name string) error {
	err := renameNoReplace(d, from, to, name)
	if !unsupported(err) {
		return err
	}
	if err := unix.Linkat(d.fd, from, to.fd, name, 0); err != nil {
		return err
	}
	return d.unlink(from)
}

func (d *dir) sync() error { return fsync(d.fd) }

// open opens name below dirfd. O_NONBLOCK keeps a FIFO in place of a file from blocking us;
// it has no effect on regular files.
func open(dirfd int, name string, flags int, perm uint32) (fd int, err error) {
	err = retry(func() error {
		fd, err = unix.Openat(dirfd, name, flags|unix.O_CLOEXEC|unix.O_NONBLOCK|unix.O_NOCTTY, perm)
		return err
	})
	return fd, err
}

// retry repeats a call that a signal interrupted.
func retry(call func() error) error {
	for {
		if err := call(); !errors.Is(err, unix.EINTR) {
			return err
		}
	}
}

// unsupported reports whether err means that the kernel or the filesystem does not know the
// call or its flags, as opposed to refusing this file.
func unsupported(err error) bool {
	return errors.Is(err, unix.EINVAL) || errors.Is(err, unix.ENOSYS) || errors.Is(err, unix.ENOTSUP) ||
		errors.Is(err, unix.EOPNOTSUPP)
}

// Kind is the type of a directory entry.
type Kind uint8

// The kinds of entries.
const (
	Missing Kind = iota
	Regular
	Directory
	Symlink
	Special // FIFO, socket, device: never opened
)

func (k Kind) String() string {
	return [...]string{"missing", "file", "directory", "symbolic link", "special file"}[k]
}

// Entry is a file as its directory describes it.
type Entry struct {
	Path    string // relative to the root
	Kind    Kind
	Mode    fs.FileMode // permissions with setuid, setgid and sticky bits
	Size    int64
	ModTime time.Time
	Inode   uint64
	Dev     uint64
	Nlink   uint64
	UID     uint32
	GID     uint32
}

// SameFile reports whether both are the same file on disk with the same content, as far as
// the directory entry shows: then it need not be read again.
func (e Entry) SameFile(o Entry) bool {
	return e.Kind == o.Kind && e.Inode == o.Inode && e.Dev == o.Dev && e.Size == o.Size && e.ModTime.Equal(o.ModTime)
}

func entryOf(path string, st *unix.Stat_t) Entry {
	return Entry{
		Path: path, Kind: kindOf(uint32(st.Mode)), Mode: modeOf(uint32(st.Mode)),
		Size: st.Size, ModTime: time.Unix(st.Mtim.Unix()),
		Inode: st.Ino, Dev: uint64(st.Dev), Nlink: uint64(st.Nlink),
		UID: st.Uid, GID: st.Gid,
	}
}

func kindOf(mode uint32) Kind {
	switch mode & unix.S_IFMT {
	case unix.S_IFREG:
		return Regular
	case unix.S_IFDIR:
		return Directory
	case unix.S_IFLNK:
		return Symlink
	}
	return Special
}

func modeOf(mode uint32) fs.FileMode {
	m := fs.FileMode(mode & 0o777)
	for _, bit := range modeBits {
		if mode&bit.unix != 0 {
			m |= bit.fs
		}
	}
	return m
}

// unixMode is the inverse of modeOf.
func unixMode(m fs.FileMode) uint32 {
	u := uint32(m.Perm())
	for _, bit := range modeBits {
		if m&bit.fs != 0 {
			u |= bit.unix
		}
	}
	return u
}

var modeBits = []struct {
	unix uint32
	fs   fs.FileMode
}{
	{unix.S_ISUID, fs.ModeSetuid}, {unix.S_ISGID, fs.ModeSetgid}, {unix.S_ISVTX, fs.ModeSticky},
}
