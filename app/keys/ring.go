package keys

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/godbus/dbus/v5"
	"github.com/zalando/go-keyring"
)

// ring is a keyring.
type ring interface {
	get(ctx context.Context, account string) (string, error)
	set(ctx context.Context, account, text string) error
	remove(ctx context.Context, account string) error
}

// ErrNoKeyring says that this desktop has no keyring.
var ErrNoKeyring = errors.New("there is no keyring here")

// ErrLocked says that the keyring is locked, and was not unlocked.
var ErrLocked = errors.New("the keyring is locked; unlock it (log in to the desktop, or seahorse) and try again")

var errNotFound = keyring.ErrNotFound

// service is our name in the keyring.
const service = "waferpair"

// desktop is the keyring of the desktop.
type desktop struct{}

func (desktop) get(ctx context.Context, account string) (text string, err error) {
	err = asked(ctx, func() (err error) { text, err = keyring.Get(service, account); return err })
	if err != nil {
		return "", err // text may still be written
	}
	return text, nil
}

func (desktop) set(ctx context.Context, account, text string) error {
	return asked(ctx, func() error { return keyring.Set(service, account, text) })
}

func (desktop) remove(ctx context.Context, account string) error {
	return asked(ctx, func() error { return keyring.Delete(service, account) })
}

// patience is how long a keyring may take, if ctx has no end: its user may have to unlock it.
const patience = 60 * time.Second

// asked asks the keyring. It does not wait longer than ctx for one that does not answer; the library
// cannot be stopped, so that call goes on.
func asked(ctx context.Context, ask func() error) error {
	if !reachable() {
		return ErrNoKeyring
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	done := make(chan error, 1)
	go func() { done <- ask() }()
	select {
	case err := <-done:
		return explained(err)
	case <-ctx.Done():
		return fmt.Errorf("the keyring does not answer (%w); unlock it and try again", ctx.Err())
	}
}

// explained is ErrNoKeyring when the bus has no keyring.
func explained(err error) error {
	var no dbus.Error
	if err == nil || errors.Is(err, errNotFound) {
		return err
	}
	if errors.As(err, &no) && (strings.HasSuffix(no.Name, ".ServiceUnknown") || strings.HasSuffix(no.Name, ".NoReply") ||
		strings.Contains(no.Name, ".Spawn.") || strings.HasSuffix(no.Name, ".NoSuchObject")) {
		return fmt.Errorf("%w: %s", ErrNoKeyring, no.Name)
	}
	// go-keyring's words
	if strings.HasPrefix(err.Error(), "failed to unlock") || strings.HasSuffix(no.Name, ".IsLocked") {
		return ErrLocked
	}
	if _, dead := errors.AsType[*os.SyscallError](err); dead {
		return fmt.Errorf("%w: the session bus does not answer", ErrNoKeyring)
	}
	return err
}

// reachable reports whether there is a session bus. Without an address, the library would start a bus,
// which would outlive the program.
func reachable() bool {
	if runtime.GOOS != "linux" {
		return true
	}
	address := os.Getenv("DBUS_SESSION_BUS_ADDRESS")
	switch {
	case strings.HasPrefix(address, "unix:path="):
		path, _, _ := strings.Cut(strings.TrimPrefix(address, "unix:path="), ",")
		return isSocket(path)
	case address != "":
		return strings.HasPrefix(address, "unix:") || strings.HasPrefix(address, "tcp:")
	}
	return isSocket(filepath.Join("/run/user", strconv.Itoa(os.Getuid()), "bus")) // where the library looks, too
}

func isSocket(path string) bool {
	st, err := os.Stat(path)
	return err == nil && st.Mode().Type() == os.ModeSocket
}
