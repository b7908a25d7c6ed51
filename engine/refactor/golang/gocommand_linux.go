package golang

import "golang.org/x/sys/unix"

const (
	lowPriority = 15
	whoGroup    = 2       // IOPRIO_WHO_PGRP
	idleDisk    = 3 << 13 // IOPRIO_CLASS_IDLE
)

// lower gives a group of processes what others leave of processors and disks.
// Where that is not allowed, it goes on as it is.
func lower(group int) {
	_ = unix.Setpriority(unix.PRIO_PGRP, group, lowPriority) // see above
	_, _, _ = unix.Syscall(unix.SYS_IOPRIO_SET, whoGroup, uintptr(group), idleDisk)
}
