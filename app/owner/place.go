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

// Place is where the processes of one user and one set of settings find each other.
type Place struct {
	dir string // the user's own, mode 0700
	key string // of the settings
}

// Dir is the folder of the place.
func (p Place) Dir() string { return p.dir }

// maxSocket is how long the path of a socket may be.
const maxSocket = 107

// Find finds the place for some settings, in the first runtime folder that can be
// used: XDG_RUNTIME_DIR, the one that the system makes for each user (which programs
// that were started from afar are not told of), or one in /tmp.
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

// own makes sure that a folder is there, ours, and closed to everybody else. In /tmp
// anybody can make one by our name: it counts only when it is no link and we own it.
// Elsewhere it is made only where all is ours: under sudo the runtime folder is that
// of the user, who could not use what root makes there.
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

// ownerOf is the user whose a file is; -1 when there is none.
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

// settings are the variables that change what a command does: which folders it keeps
// things in, what is ignored, and which tools it finds. The mask of new files, and how
// large they may be, count as well: see bounds.
var settings = []string{"HOME", "PATH", "XDG_CONFIG_HOME", "XDG_STATE_HOME",
	"GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM",
	"GO111MODULE", "GOENV", "GOEXPERIMENT", "GOFLAGS", "GOMODCACHE", "GOPATH", "GOPROXY", "GOROOT", "GOTOOLCHAIN",
	"GOWORK", "GOOS", "GOARCH", "CGO_ENABLED"}

// Settings are those of this process, with this data folder. Processes of others do
// not open projects for each other.
func Settings(dataHome string) []string {
	out := []string{dataHome}
	for _, name := range settings {
		v, set := os.LookupEnv(name)
		out = append(out, fmt.Sprintf("%s=%t:%s", name, set, v))
	}
	return append(out, bounds()...)
}

// bounds are what this process may not do, and others may: they could do it for it.
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

// claim is the role of the owner. It is a flock, which the kernel releases when the
// process ends in whatever way; the file says where the owner listens.
type claim struct{ f *os.File }

func (p Place) claimFile() string { return filepath.Join(p.dir, p.key+".owner") }

// claim takes the role for the process that listens at addr; nil when another one has
// it. A file that its owner has just removed counts for nothing.
func (p Place) claim(addr string) (*claim, error) {
	for {
		c, err := p.tryClaim(addr)
		if c == nil || err != nil || c.stands(p.claimFile()) {
			return c, err
		}
		_ = c.f.Close() // it is no file that anybody finds
	}
}

// stands reports whether a claim is on the file that others find.
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
		_ = f.Close() // why it could not be written says more
		return nil, err
	}
	return &claim{f}, nil
}

// release gives the role up.
func (c *claim) release() {
	if c != nil {
		_ = os.Remove(c.f.Name()) // while it is locked: nobody else's
		_ = c.f.Close()           // the lock goes with it in any case
	}
}

// Owner is where the owner listens; "" when there is none. One that was killed has
// left its address behind: nobody answers there.
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

// sweep removes what processes left behind that were killed, whatever their settings.
func (p Place) sweep() {
	p.sweepSockets()
	p.sweepClaims()
}

// sweepClaims removes the claims that nobody holds: while they are locked, so that
// whoever claims one at the same time either finds it taken, and comes again, or sees
// that it does not stand.
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

// sweepSockets removes those at which nobody listens. A young one may be of a process
// that is about to.
func (p Place) sweepSockets() {
	sockets, _ := filepath.Glob(filepath.Join(p.dir, "*.sock"))
	for _, s := range sockets {
		if st, err := os.Lstat(s); err != nil || time.Since(st.ModTime()) < time.Minute {
			continue
		}
		if conn, err := dial(s); err == nil {
			_ = conn.Close() // it was only to see whether somebody answers
		} else if errors.Is(err, syscall.ECONNREFUSED) {
			_ = os.Remove(s)
		}
	}
}
