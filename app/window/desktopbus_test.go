package window

import (
	"bufio"
	"context"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/godbus/dbus/v5"
)

// sessionBus starts a separate session bus for the test.
func sessionBus(t *testing.T) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "dbus-daemon", "--session", "--nofork", "--nopidfile", "--print-address")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatalf("start a session bus: %v; install dbus-daemon", err)
	}
	t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
	address, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", strings.TrimSpace(address))
}

// desktop plays a desktop's notification server and settings portal.
type desktop struct {
	conn  *dbus.Conn
	shown chan []string
	dark  uint32
}

func (d *desktop) Notify(app string, _ uint32, icon, title, body string, actions []string,
	hints map[string]dbus.Variant, _ int32) (uint32, *dbus.Error) {
	d.shown <- append([]string{app, icon, title, body, hints["desktop-entry"].Value().(string)}, actions...)
	return 7, nil
}

func (d *desktop) Read(namespace, key string) (dbus.Variant, *dbus.Error) {
	if namespace != appearance || key != scheme {
		return dbus.Variant{}, dbus.MakeFailedError(context.Canceled)
	}
	return dbus.MakeVariant(dbus.MakeVariant(d.dark)), nil
}

func startDesktop(t *testing.T) *desktop {
	t.Helper()
	conn, err := dbus.ConnectSessionBus()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	d := &desktop{conn: conn, shown: make(chan []string, 1), dark: 1}
	for _, e := range []struct{ name, path, ifc string }{{notifyName, notifyPath, notifyName},
		{portalName, portalPath, settingsIfc}} {
		if err := conn.Export(d, dbus.ObjectPath(e.path), e.ifc); err != nil {
			t.Fatal(err)
		}
		if _, err := conn.RequestName(e.name, dbus.NameFlagDoNotQueue); err != nil {
			t.Fatal(err)
		}
	}
	return d
}

func TestTheDesktopIsTold(t *testing.T) {
	sessionBus(t)
	if err := CheckDesktop(); err != nil {
		t.Error(err)
	}
	d := startDesktop(t)
	bus, err := connectDesktop(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := bus.notify("Turn 4\x1b ended", "5 files, <b>3</b> & more"); err != nil {
		t.Fatal(err)
	}
	want := []string{"Waferpair", "waferpair", "Turn 4 ended", "5 files, &lt;b&gt;3&lt;/b&gt; &amp; more", "waferpair",
		"default", "Show"}
	if got := <-d.shown; !slices.Equal(got, want) {
		t.Errorf("shown: %q", got)
	}
}

func TestTheDesktopsColoursAreFollowed(t *testing.T) {
	sessionBus(t)
	d := startDesktop(t)
	ctx, cancel := context.WithCancel(t.Context())
	bus, err := connectDesktop(ctx)
	if err != nil {
		t.Fatal(err)
	}
	seen := make(chan string, 4)
	ended := make(chan error, 1)
	go func() {
		ended <- bus.watch(func(dark bool) { seen <- map[bool]string{true: "dark", false: "light"}[dark] }, func() {
			seen <- "clicked"
		})
	}()
	expect := func(want string) {
		t.Helper()
		if got := awaitString(t, seen); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	emit := func(path, name string, body ...any) {
		t.Helper()
		if err := d.conn.Emit(dbus.ObjectPath(path), name, body...); err != nil {
			t.Fatal(err)
		}
	}
	expect("dark") // the value at the start
	emit(portalPath, settingsIfc+".SettingChanged", appearance, "accent-color", dbus.MakeVariant(uint32(1)))
	emit(portalPath, settingsIfc+".SettingChanged", appearance, scheme, dbus.MakeVariant(uint32(2)))
	expect("light")
	if err := bus.notify("done", ""); err != nil {
		t.Fatal(err)
	}
	emit(notifyPath, notifyName+".ActionInvoked", uint32(6), "default") // of another program
	emit(notifyPath, notifyName+".ActionInvoked", uint32(7), "default")
	expect("clicked")
	emit(portalPath, settingsIfc+".SettingChanged", appearance, scheme, dbus.MakeVariant(uint32(0)))
	expect("light")
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

func TestWithoutADesktopBusThereIsAReason(t *testing.T) {
	t.Setenv(busVariable, "")
	t.Setenv("XDG_RUNTIME_DIR", t.TempDir())
	if err := CheckDesktop(); err == nil || !strings.Contains(err.Error(), "no session bus") {
		t.Error(err)
	}
	t.Setenv(busVariable, "disabled:")
	if got := sessionBusAddress(); got != "" {
		t.Errorf("disabled: %q", got)
	}
	var none *desktopBus
	if err := none.notify("a", "b"); err == nil || !strings.Contains(err.Error(), "session bus") {
		t.Error(err)
	}
}
