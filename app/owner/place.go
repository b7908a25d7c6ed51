package owner

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// Place is where the processes of one user with the same settings find each other.
type Place struct {
	dir string // belongs to the user, mode 0700
	key string // identifies the settings
}

// Dir returns the folder of the place.
func (p Place) Dir() string { return p.dir }

// maxSocket bounds the length of a socket's path.
const maxSocket = 107

// Find returns the place for some settings, in the first usable runtime folder:
// XDG_RUNTIME_DIR, the folder that the system makes for each user (programs started remotely
// may lack the variable), or a folder in /tmp.
func Find(settings []string) (Place, error) {
	sum := sha256.Sum256([]byte(strings.Join(settings, "\x00")))
	p := Place{key: hex.EncodeToString(sum[:6])}
	var errs []error
	for _, dir := range runtimeDirs() {
		err := own(dir)
		if err == nil {
			p.dir = dir
			return p, nil
		}
		errs = append(errs, err)
	}
	return p, fmt.Errorf("no runtime folder that waferpair's processes can share: %w", errors.Join(errs...))
}

func runtimeDirs() []string {
	uid := strconv.Itoa(os.Geteuid())
	var dirs []string
	for _, dir := range []string{os.Getenv("XDG_RUNTIME_DIR"), "/run/user/" + uid} {
		dir = filepath.Join(dir, "waferpair")
		if filepath.IsAbs(dir) && len(dir)+len("/")+len(socketName("")) <= maxSocket {
			dirs = append(dirs, dir)
		}
	}
	return append(dirs, "/tmp/waferpair-"+uid)
}

// own makes sure that a folder exists, belongs to us, and is closed to everybody else. In /tmp
// anybody can create one with our name: it counts only if it is not a link and we own it.
// Elsewhere the folder is created only below folders of ours: under sudo the runtime folder is
// the user's, who could not use what root creates there.
func own(dir string) error {
	if parent := filepath.Dir(dir); parent != "/tmp" && ownerOf(parent) != os.Geteuid() {
		return fmt.Errorf("%s is not there, or belongs to another user", parent)
	}
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, os.ErrExist) {
		return err
	}
	info, err := os.Lstat(dir)
	if err != nil {
		return err
	}
	switch {
	case !info.IsDir():
		return fmt.Errorf("%s is not a folder; remove it", dir)
	case ownerOf(dir) != os.Geteuid():
		return fmt.Errorf("%s belongs to another user; have it removed", dir)
	case info.Mode().Perm()&0o077 != 0:
		if err := os.Chmod(dir, 0o700); err != nil {
			return fmt.Errorf("restrict %s to its owner: %w", dir, err)
		}
	}
	return unix.Access(dir, unix.W_OK|unix.X_OK)
}

// ownerOf returns the user who owns a file; -1 when it does not exist.
func ownerOf(path string) int {
	info, err := os.Lstat(path)
	if err != nil {
		return -1
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return -1
	}
	return int(st.Uid)
}

// settings are the variables that change what a command does: where it stores things, what is
// ignored, and which tools it finds. The umask and the file size limit count as well: see bounds.
var settings = []string{"HOME", "PATH", "XDG_CONFIG_HOME", "XDG_STATE_HOME",
	"GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM",
	"GO111MODULE", "GOENV", "GOEXPERIMENT", "GOFLAGS", "GOMODCACHE", "GOPATH", "GOPROXY", "GOROOT", "GOTOOLCHAIN",
	"GOWORK", "GOOS", "GOARCH", "CGO_ENABLED"}

// Settings returns the settings of this process, with a data folder. Processes with different
// settings do not open projects for each other.
func Settings(dataHome string) []string {
	out := []string{dataHome}
	for _, name := range settings {
		v, set := os.LookupEnv(name)
		out = append(out, fmt.Sprintf("%s=%t:%s", name, set, v))
	}
	return append(out, bounds()...)
}

// bounds returns the limits of this process, which another process must share to work for it.
func bounds() []string {
	var size unix.Rlimit
	_ = unix.Getrlimit(unix.RLIMIT_FSIZE, &size) // 0 where it is not known
	out := []string{fmt.Sprint("size=", size.Cur)}
	status, _ := os.ReadFile("/proc/self/status")
	for line := range strings.Lines(string(status)) {
		if strings.HasPrefix(line, "Umask:") {
			out = append(out, strings.TrimSpace(line))
		}
	}
	return out
}

// claim is the role of the owner: a flock, which the kernel releases however the process ends. The
// locked file contains the owner's address.
type claim struct{ f *os.File }

func (p Place) claimFile() string { return filepath.Join(p.dir, p.key+".owner") }

// claim takes the role for the process that listens at addr; nil when another one has it. A
// file that its owner has just removed does not count.
func (p Place) claim(addr string) (*claim, error) {
	for {
		c, err := p.tryClaim(addr)
		if c == nil || err != nil || c.stands(p.claimFile()) {
			return c, err
		}
		_ = c.f.Close() // nobody can find this file any more
	}
}

// stands reports whether the claimed file is still the one at the path.
func (c *claim) stands(path string) bool {
	mine, err := c.f.Stat()
	if err != nil {
		return false
	}
	there, err := os.Lstat(path)
	return err == nil && os.SameFile(mine, there)
}

func (p Place) tryClaim(addr string) (*claim, error) {
	f, err := os.OpenFile(p.claimFile(), os.O_RDWR|os.O_CREATE|syscall.O_NOFOLLOW, 0o600)
	if err != nil {
		return nil, err
	}
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		_ = f.Close() // nothing was written
		if errors.Is(err, unix.EWOULDBLOCK) {
			return nil, nil
		}
		return nil, err
	}
	err = f.Truncate(0)
	if err == nil {
		_, err = f.WriteAt([]byte(addr+"\n"), 0)
	}
	if err != nil {
		_ = f.Close() // the failed write matters more
		return nil, err
	}
	return &claim{f}, nil
}

// release gives up the role.
func (c *claim) release() {
	if c != nil {
		_ = os.Remove(c.f.Name()) // it is locked, and so ours
		_ = c.f.Close()           // closing releases the lock
	}
}

// Owner returns the owner's address; "" when there is none. A killed owner leaves its address
// behind, at which nobody answers.
func (p Place) Owner() string {
	if p.dir == "" {
		return ""
	}
	b, err := os.ReadFile(p.claimFile())
	addr, whole := strings.CutSuffix(string(b), "\n")
	if err != nil || !whole || !filepath.IsAbs(addr) {
		return ""
	}
	return addr
}

// sweep removes the files of killed processes, whatever their settings.
func (p Place) sweep() {
	p.sweepSockets()
	p.sweepClaims()
}

// sweepClaims removes claims that nobody holds. It removes them while it has them locked, so that
// another process either finds the claim taken, and tries again, or sees that it does not stand.
func (p Place) sweepClaims() {
	claims, _ := filepath.Glob(filepath.Join(p.dir, "*.owner"))
	for _, name := range claims {
		f, err := os.OpenFile(name, os.O_RDWR|syscall.O_NOFOLLOW, 0)
		if err != nil {
			continue
		}
		c := &claim{f}
		if unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB) == nil && c.stands(name) {
			c.release()
			continue
		}
		_ = f.Close()
	}
}

// sweepSockets removes sockets without a listener, except young ones, whose process may be about to
// listen.
func (p Place) sweepSockets() {
	sockets, _ := filepath.Glob(filepath.Join(p.dir, "*.sock"))
	for _, s := range sockets {
		if st, err := os.Lstat(s); err != nil || time.Since(st.ModTime()) < time.Minute {
			continue
		}
		if conn, err := dial(s); err == nil {
			_ = conn.Close() // this was only a test for a listener
		} else if errors.Is(err, syscall.ECONNREFUSED) {
			_ = os.Remove(s)
		}
	}
}
