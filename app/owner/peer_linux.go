package owner

import (
	"net"

	"golang.org/x/sys/unix"
)

// peer returns the process at the other end of a connection, from the kernel.
func peer(c *net.UnixConn) (pid, uid int, err error) {
	raw, err := c.SyscallConn()
	if err != nil {
		return 0, -1, err
	}
	var cred *unix.Ucred
	var cerr error
	if err := raw.Control(func(fd uintptr) {
		cred, cerr = unix.GetsockoptUcred(int(fd), unix.SOL_SOCKET,
			unix.SO_PEERCRED)
	}); err != nil {
		return 0, -1, err
	}
	if cerr != nil {
		return 0, -1, cerr
	}
	return int(cred.Pid), int(cred.Uid), nil
}
