//go:build unix

package workspace

import (
	"context"
	"io/fs"

	"golang.org/x/sys/unix"
)

// A process makes files for others, whose umask may be another one: what it makes for one
// of them gets the mode that it would get there. The kernel has one umask for a whole
// process, so the mode is given to what was made; until then it is no wider than either.

type umaskKey struct{}

// WithUmask says with which umask a Change makes files and directories.
func WithUmask(ctx context.Context, umask fs.FileMode) context.Context {
	return context.WithValue(ctx, umaskKey{}, &umask)
}

// UmaskOf returns what WithUmask said; nil is this process's own.
func UmaskOf(ctx context.Context) *fs.FileMode {
	umask, _ := ctx.Value(umaskKey{}).(*fs.FileMode)
	return umask
}

// newMode returns the mode of a file or directory that is made in d, of which all is the
// widest one; nil leaves it to the kernel. A default ACL counts in place of a umask.
func (d *dir) newMode(all fs.FileMode, umask *fs.FileMode) *fs.FileMode {
	if umask == nil || hasDefaultACL(d.fd) {
		return nil
	}
	mode := all &^ *umask
	return &mode
}

// makeSub makes a directory in d.
func (d *dir) makeSub(name string, umask *fs.FileMode) error {
	mode, perm := d.newMode(0o777, umask), uint32(0o777)
	if mode != nil {
		perm = unixMode(*mode)
	}
	if err := retry(func() error { return unix.Mkdirat(d.fd, name, perm) }); err != nil || mode == nil {
		return err
	}
	st, err := d.lstat(name)
	if now := uint32(st.Mode); err == nil && now&0o777 != perm {
		err = unix.Fchmodat(d.fd, name, now&0o7000|perm, 0)
	}
	return err
}

// modeOfNew is newMode for the file that a job creates.
func (j *job) modeOfNew() *fs.FileMode {
	if j.write.Op != Create || j.like != nil {
		return nil
	}
	return j.at.dir.newMode(0o666, j.write.Umask)
}
