package keys

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/godbus/dbus/v5"
)

const hush = "sk-hush-0123"

// TestSecretsDoNotPrint prints a key in every way, also inside other values.
func TestSecretsDoNotPrint(t *testing.T) {
	k, err := New(" " + hush + "\n")
	if err != nil || k.Reveal() != hush {
		t.Fatal(err)
	}
	in := struct {
		Key  Secret
		Ptr  *Secret
		Keys map[string]Secret
		any
	}{k, &k, map[string]Secret{"a": k}, k}
	var b bytes.Buffer
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "%d", "%T"} {
		fmt.Fprintf(&b, verb+verb+verb, k, &k, in)
	}
	fmt.Fprintln(&b, errors.New("the key "+k.String()), k.GoString())
	slog.New(slog.NewTextHandler(&b, nil)).Info("x", "key", k, "in", in)
	slog.New(slog.NewJSONHandler(&b, nil)).Info("x", "key", k, "in", in.Keys)
	j, err := json.Marshal(map[string]any{"key": k, "ptr": &k, "keys": in.Keys})
	if err != nil {
		t.Fatal(err)
	}
	b.Write(j)
	hex := fmt.Sprintf("%x", hush)
	if out := b.String(); strings.Contains(out, hush) || strings.Contains(strings.ToLower(out), hex) ||
		!strings.Contains(out, hidden) {
		t.Error(out)
	}
}

func TestNewRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"": "is empty", " \n": "is empty", "sk-hush\nmore": "a line break", "sk-hush\x1b[0m": "control character",
		"sk hush": "a space", "sk-hushé": "a letter that keys do not have", strings.Repeat("hush", 1000): "more than the",
	} {
		if _, err := New(text); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "hush") {
			t.Errorf("%.20q: %v", text, err)
		}
	}
	if k, err := New("a\r\n"); err != nil || k.Reveal() != "a" {
		t.Error("a key from a Windows file", err)
	}
}

// fakeRing is a keyring in memory.
type fakeRing struct {
	of    map[string]string
	err   error
	asked int
}

func (r *fakeRing) get(_ context.Context, account string) (string, error) {
	r.asked++
	if v, ok := r.of[account]; ok {
		return v, nil
	}
	return "", errors.Join(r.err, errNotFound)
}

func (r *fakeRing) set(_ context.Context, account, text string) error {
	if r.err == nil {
		r.of[account] = text
	}
	return r.err
}

func (r *fakeRing) remove(_ context.Context, account string) error {
	delete(r.of, account)
	return r.err
}

func find(t *testing.T, s *Store, ctx context.Context, f For, text string, at Place) {
	t.Helper()
	k, p, err := s.Find(ctx, f)
	if err != nil || k.Reveal() != text || p != at {
		t.Errorf("found %q in %s (%v), want %q in %s", k.Reveal(), p, err, text, at)
	}
}

func TestOrder(t *testing.T) {
	r := &fakeRing{of: map[string]string{}}
	s := &Store{ring: r, mem: map[string]Secret{}}
	f := For{Provider: "p", Origin: "https://a", EnvKey: "KEYS_TEST_KEY"}
	ctx := t.Context()
	find(t, s, ctx, f, "", Missing)
	k, err := New("ring")
	if err != nil {
		t.Fatal(err)
	}
	if at, why := s.Keep(ctx, f, k); at != Keyring || why != nil {
		t.Error(at, why)
	}
	find(t, s, ctx, f, "ring", Keyring)
	t.Setenv("KEYS_TEST_KEY", "env")
	find(t, s, ctx, f, "env", Env)
	own := WithEnv(ctx, func(name string) (string, bool) { return "client", name == "KEYS_TEST_KEY" })
	find(t, s, own, f, "client", Env)
	t.Setenv("KEYS_TEST_KEY", "sk-hush\x07")
	if _, _, err := s.Find(ctx, f); err == nil || !strings.Contains(err.Error(), "KEYS_TEST_KEY") ||
		strings.Contains(err.Error(), "hush") {
		t.Error(err)
	}
	t.Setenv("KEYS_TEST_KEY", "")
	// another server does not get the key
	other := f
	other.Origin = "https://b"
	find(t, s, ctx, other, "", Missing)
	// a server that needs no key does not ask the keyring
	r.asked = 0
	find(t, s, ctx, For{Provider: "p", Origin: "https://a"}, "", None)
	if r.asked != 0 {
		t.Error("the keyring was asked")
	}
	find(t, s, ctx, For{Provider: "p", Origin: "https://a", Ring: true}, "ring", Keyring)
	if err := s.Forget(ctx, f); err != nil {
		t.Error(err)
	}
	find(t, s, ctx, f, "", Missing)
	// without a keyring
	r.err = ErrNoKeyring
	if at, why := s.Keep(ctx, f, k); at != Memory || !errors.Is(why, ErrNoKeyring) {
		t.Error(at, why)
	}
	find(t, s, ctx, f, "ring", Memory)
	if err := s.Forget(ctx, f); err != nil {
		t.Error(err)
	}
	find(t, s, ctx, f, "", Missing)
}

func TestNoBus(t *testing.T) {
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", "unix:path="+filepath.Join(t.TempDir(), "bus"))
	if err := NewStore().CheckKeyring(t.Context()); !errors.Is(err, ErrNoKeyring) {
		t.Error(err)
	}
}

// TestLocked says what to do about a keyring that nobody unlocked.
func TestLocked(t *testing.T) {
	for _, err := range []error{errors.New("failed to unlock correct collection '/org/x/login'"),
		dbus.Error{Name: "org.freedesktop.Secret.Error.IsLocked"}} {
		if got := explained(err); !errors.Is(got, ErrLocked) || strings.Contains(got.Error(), "/org") {
			t.Error(got)
		}
	}
}

// TestGnomeKeyring uses the real keyring of a session bus of its own.
func TestGnomeKeyring(t *testing.T) {
	for _, program := range []string{"dbus-daemon", "gnome-keyring-daemon"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("%v: install dbus and gnome-keyring to test with a real keyring", err)
		}
	}
	dir := t.TempDir()
	address := startBus(t, dir)
	for name, v := range map[string]string{"DBUS_SESSION_BUS_ADDRESS": address, "HOME": dir,
		"XDG_DATA_HOME": dir + "/data", "XDG_RUNTIME_DIR": dir} {
		t.Setenv(name, v)
	}
	if err := NewStore().CheckKeyring(t.Context()); !errors.Is(err, ErrNoKeyring) {
		t.Error("a bus without a keyring:", err)
	}
	daemon := exec.Command("gnome-keyring-daemon", "--foreground", "--unlock", "--components=secrets")
	daemon.Stdin = strings.NewReader("password")
	start(t, daemon)
	awaitKeyring(t, address)
	s, ctx := NewStore(), t.Context()
	f := For{Provider: "p", Origin: "https://a", Ring: true}
	if err := s.CheckKeyring(ctx); err != nil {
		t.Fatal(err)
	}
	find(t, s, ctx, f, "", Missing)
	k, err := New(hush)
	if err != nil {
		t.Fatal(err)
	}
	if at, why := s.Keep(ctx, f, k); at != Keyring {
		t.Fatal(at, why)
	}
	find(t, NewStore(), ctx, f, hush, Keyring) // as another process does
	f.Origin = "https://b"
	find(t, s, ctx, f, "", Missing)
	f.Origin = "https://a"
	if err := s.Forget(ctx, f); err != nil {
		t.Error(err)
	}
	find(t, s, ctx, f, "", Missing)
	err = filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		b, err := os.ReadFile(path)
		if bytes.Contains(b, []byte(hush)) {
			t.Errorf("%s has the key in plain text", path)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// awaitKeyring waits until the keyring is on the bus.
func awaitKeyring(t *testing.T, address string) {
	conn, err := dbus.Connect(address)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	for end := time.Now().Add(20 * time.Second); ; time.Sleep(5 * time.Millisecond) {
		var there bool
		err := conn.BusObject().Call("org.freedesktop.DBus.NameHasOwner", 0, "org.freedesktop.secrets").Store(&there)
		if err != nil || time.Now().After(end) {
			t.Fatal("gnome-keyring-daemon did not come to the bus", err)
		}
		if there {
			return
		}
	}
}

// startBus starts a session bus that starts nothing by itself.
func startBus(t *testing.T, dir string) string {
	conf := filepath.Join(dir, "bus.conf")
	body := fmt.Sprintf(`<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig><type>session</type><listen>unix:dir=%s</listen><policy context="default">
<allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/><allow own="*"/></policy></busconfig>`, dir)
	if err := os.WriteFile(conf, []byte(body), 0o600); err != nil {
		t.Fatal(err)
	}
	bus := exec.Command("dbus-daemon", "--nofork", "--print-address", "--config-file", conf)
	out, err := bus.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	start(t, bus)
	address, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(address)
}

func start(t *testing.T, c *exec.Cmd) {
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = c.Process.Kill()
		_ = c.Wait()
	})
}
