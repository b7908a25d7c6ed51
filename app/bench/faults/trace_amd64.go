//go:build linux

package faults

import "golang.org/x/sys/unix"

// oldCalls are the system calls without a directory argument, which SQLite's C library
// uses.
var oldCalls = map[uint64]string{
	unix.SYS_MKDIR: "mkdir", unix.SYS_UNLINK: "unlink", unix.SYS_RMDIR: "rmdir", unix.SYS_RENAME: "rename",
	unix.SYS_LINK: "link",
}

const sysOpen = unix.SYS_OPEN
