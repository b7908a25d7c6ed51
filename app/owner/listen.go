package owner

import (
	"crypto/rand"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"time"
)

// ours accepts only connections from this user's processes.
type ours struct{ *net.UnixListener }

func (l ours) Accept() (net.Conn, error) {
	for {
		c, err := l.AcceptUnix()
		if err != nil {
			return nil, err
		}
		if _, err := trusted(c); err == nil {
			return c, nil
		}
		_ = c.Close() // strangers get no answer
	}
}

// trusted returns the process at the other end, if it belongs to this user.
func trusted(c *net.UnixConn) (pid int, err error) {
	pid, uid, err := peer(c)
	if err != nil {
		return 0, &RefusedError{Why: "at " + c.RemoteAddr().String() + " cannot be told from another user's: " + err.Error(),
			Next: "close it, or remove that file"}
	}
	if uid != os.Geteuid() {
		// under sudo, the user who called it
		return 0, &RefusedError{PID: pid, Why: "is another user's", Next: "run this as that user, or close it there"}
	}
	return pid, nil
}

// socketName returns a name that no other process uses.
func socketName(key string) string {
	return fmt.Sprintf("%-12.12s-%.8s.sock", key, rand.Text())
}

// listen opens a socket in the place. Nobody knows its address yet.
func (p Place) listen() (net.Listener, string, error) {
	addr := filepath.Join(p.dir, socketName(p.key))
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: addr, Net: "unix"})
	if err != nil {
		return nil, "", err
	}
	if err := os.Chmod(addr, 0o600); err != nil {
		_ = l.Close() // nobody knows its address
		return nil, "", err
	}
	return ours{l}, addr, nil
}

// dial connects to a socket. That never blocks: the kernel accepts connections even for a process
// that hangs.
func dial(addr string) (*net.UnixConn, error) {
	d := net.Dialer{Timeout: time.Second}
	c, err := d.Dial("unix", addr)
	if err != nil {
		return nil, err
	}
	return c.(*net.UnixConn), nil
}
