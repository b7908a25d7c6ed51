package workspace

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

// exchange swaps two names of one directory atomically.
func exchange(d *dir, a, b string) error {
	return retry(func() error { return unix.Renameat2(d.fd, a, d.fd, b, unix.RENAME_EXCHANGE) })
}

func renameNoReplace(from *dir, a string, to *dir, b string) error {
	return retry(func() error { return unix.Renameat2(from.fd, a, to.fd, b, unix.RENAME_NOREPLACE) })
}

// openBeneath opens a path without links in one call. After any error the caller walks the
// path instead, which handles links and explains what is wrong.
func openBeneath(d *dir, path string, flags int) (int, error) {
	how := unix.OpenHow{
		Flags:   uint64(flags | unix.O_CLOEXEC | unix.O_NONBLOCK | unix.O_NOCTTY),
		Resolve: unix.RESOLVE_BENEATH | unix.RESOLVE_NO_SYMLINKS | unix.RESOLVE_NO_MAGICLINKS,
	}
	return unix.Openat2(d.fd, path, &how)
}

// holder returns which process has a directory locked, if /proc shows it.
func holder(d *dir) string {
	st, err := stat(d.fd)
	if err != nil {
		return ""
	}
	locks, _ := os.ReadFile("/proc/locks")
	which := fmt.Sprintf("%02x:%02x:%d", unix.Major(st.Dev), unix.Minor(st.Dev), st.Ino)
	for line := range strings.Lines(string(locks)) {
		if f := strings.Fields(line); len(f) > 5 && f[1] == "FLOCK" && f[5] == which && f[4] > "0" {
			return " (process " + f[4] + ")"
		}
	}
	return ""
}

// born returns the birth time of a file in nanoseconds, or 0 if it is not stored.
func born(fd int) int64 {
	var st unix.Statx_t
	err := unix.Statx(fd, "", unix.AT_EMPTY_PATH, unix.STATX_BTIME, &st)
	if err != nil || st.Mask&unix.STATX_BTIME == 0 {
		return 0
	}
	return st.Btime.Sec*1e9 + int64(st.Btime.Nsec)
}

// writers says what is known about other programs that have a file open for writing.
type writers int

const (
	unknownWriters writers = iota // the filesystem or the file's owner does not allow leases
	noWriters
	someWriters
)

// leaseRead takes a read lease on fd, which the kernel grants exactly if nobody has the
// file open for writing or mapped writable. While it is held, a program that opens the file
// for writing waits for us; leaseHeld shows that.
func leaseRead(fd int) writers { return lease(fd, unix.F_RDLCK) }

// leaseWrite takes a write lease, which is granted if fd is the only open description of
// the file: until it is dropped, others wait in open.
func leaseWrite(fd int) writers { return lease(fd, unix.F_WRLCK) }

func lease(fd, kind int) writers {
	switch _, err := unix.FcntlInt(uintptr(fd), unix.F_SETLEASE, kind); {
	case err == nil:
		return noWriters
	case errors.Is(err, unix.EAGAIN):
		return someWriters
	}
	return unknownWriters
}

// leaseHeld reports whether no program has tried to open the file for writing since the
// lease was taken.
func leaseHeld(fd int) bool {
	kind, err := unix.FcntlInt(uintptr(fd), unix.F_GETLEASE, 0)
	return err == nil && kind != unix.F_UNLCK
}

// leaseDrop releases a lease; closing the file does so, too.
func leaseDrop(fd int) { _, _ = unix.FcntlInt(uintptr(fd), unix.F_SETLEASE, unix.F_UNLCK) }

// sealed reports what chattr(1) forbids: any change (i), or any but appending (a), which
// for a directory means new names. Permissions do not show it, and neither does access(2)
// through x/sys, which takes its EPERM for a filter of system calls. A filesystem without
// an answer has no such attributes.
func sealed(dirfd int, name string) (immutable, appendOnly bool) {
	var st unix.Statx_t
	err := retry(func() error {
		return unix.Statx(dirfd, name, unix.AT_SYMLINK_NOFOLLOW|unix.AT_EMPTY_PATH, unix.STATX_TYPE, &st)
	})
	if err != nil {
		return false, false
	}
	return st.Attributes&unix.STATX_ATTR_IMMUTABLE != 0, st.Attributes&unix.STATX_ATTR_APPEND != 0
}

// copyAttributes makes the extended attributes of to, including ACLs, equal to those of
// from.
func copyAttributes(from, to int) error {
	want, err := attributes(from)
	if err != nil {
		return err
	}
	have, err := attributes(to)
	if err != nil {
		return err
	}
	for name := range have {
		if _, ok := want[name]; !ok {
			if err := unix.Fremovexattr(to, name); err != nil {
				return err
			}
		}
	}
	for name, value := range want {
		if old, ok := have[name]; ok && old == value {
			continue
		}
		if err := unix.Fsetxattr(to, name, []byte(value), 0); err != nil {
			return err
		}
	}
	return nil
}

func attributes(fd int) (map[string]string, error) {
	names, err := attribute(func(buf []byte) (int, error) { return unix.Flistxattr(fd, buf) })
	if errors.Is(err, unix.ENOTSUP) || err == nil && names == "" {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	all := map[string]string{}
	for name := range strings.SplitSeq(strings.TrimSuffix(names, "\x00"), "\x00") {
		value, err := attribute(func(buf []byte) (int, error) { return unix.Fgetxattr(fd, name, buf) })
		if err != nil {
			return nil, err
		}
		all[name] = value
	}
	return all, nil
}

// attribute calls get with a growing buffer: an attribute may grow between the query of its
// size and the read.
func attribute(get func([]byte) (int, error)) (string, error) {
	for size := 256; ; size *= 4 {
		buf := make([]byte, size)
		n, err := get(buf)
		if errors.Is(err, unix.ERANGE) && size < 1<<20 {
			continue
		}
		if err != nil {
			return "", err
		}
		return string(buf[:n]), nil
	}
}

// hasDefaultACL reports whether what is made in a directory gets an ACL of its own.
func hasDefaultACL(dirfd int) bool {
	n, err := unix.Fgetxattr(dirfd, "system.posix_acl_default", nil)
	return err == nil && n > 0
}
