package window

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/godbus/dbus/v5"
)

// desktopBus connects to the desktop: for notifications, and its preference for dark colours.
// Both are optional: the window works without a session bus.
type desktopBus struct {
	conn  *dbus.Conn
	shown sync.Map // ids of our notifications: servers tell everybody about clicks
}

const (
	notifyName  = "org.freedesktop.Notifications"
	notifyPath  = "/org/freedesktop/Notifications"
	portalName  = "org.freedesktop.portal.Desktop"
	portalPath  = "/org/freedesktop/portal/desktop"
	settingsIfc = "org.freedesktop.portal.Settings"
	appearance  = "org.freedesktop.appearance"
	scheme      = "color-scheme" // 0 no preference, 1 dark, 2 light
	mostText    = 2000           // of a notification
)

// busVariable is the address of the session bus; GLib knows "disabled:".
const busVariable = "DBUS_SESSION_BUS_ADDRESS"

// sessionBusAddress returns the address of the session bus; "" when there is none.
func sessionBusAddress() string {
	if a := os.Getenv(busVariable); a != "" {
		return strings.TrimPrefix(a, "disabled:")
	}
	socket := filepath.Join(os.Getenv("XDG_RUNTIME_DIR"), "bus")
	if _, err := os.Stat(socket); err != nil || !filepath.IsAbs(socket) {
		return ""
	}
	return "unix:path=" + socket
}

// connectDesktop connects to the session bus until ctx ends. It does not start a bus, which
// would outlive the program.
func connectDesktop(ctx context.Context) (*desktopBus, error) {
	address := sessionBusAddress()
	if address == "" {
		return nil, errors.New("there is no session bus")
	}
	conn, err := dbus.Connect(address, dbus.WithContext(ctx))
	if err != nil {
		return nil, fmt.Errorf("talk to the desktop: %w", err)
	}
	return &desktopBus{conn: conn}, nil
}

// CheckDesktop returns why the desktop cannot be reached; nil when it can.
func CheckDesktop() error {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	_, err := connectDesktop(ctx)
	return err
}

// notify shows a notification; watch reports a click on it.
func (d *desktopBus) notify(title, body string) error {
	if d == nil {
		return errors.New("show a notification: there is no session bus (is " + busVariable + " set?)")
	}
	actions := []string{"default", "Show"}
	hints := map[string]dbus.Variant{"desktop-entry": dbus.MakeVariant("waferpair")}
	var id uint32
	err := d.conn.Object(notifyName, notifyPath).Call(notifyName+".Notify", 0,
		name, uint32(0), "waferpair", cut(plain(title)), escapeMarkup(cut(plain(body))), actions, hints, int32(-1)).Store(&id)
	if err != nil {
		return fmt.Errorf("show a notification: %w", err)
	}
	d.shown.Store(id, true)
	return nil
}

// watch reports whether the desktop prefers dark, now and at every change, and clicks on our
// notifications. It returns when the connection ends.
func (d *desktopBus) watch(dark func(bool), clicked func()) error {
	if err := d.subscribe(); err != nil {
		return fmt.Errorf("watch the desktop's settings: %w", err)
	}
	signals := make(chan *dbus.Signal, 16)
	d.conn.Signal(signals)
	var v dbus.Variant
	if d.conn.Object(portalName, portalPath).Call(settingsIfc+".Read", 0, appearance, scheme).Store(&v) == nil {
		tellScheme(v, dark)
	}
	for s := range signals {
		switch {
		case s.Name == settingsIfc+".SettingChanged" && isScheme(s.Body):
			tellScheme(s.Body[2].(dbus.Variant), dark)
		case s.Name == notifyName+".ActionInvoked" && d.isOurs(s.Body):
			clicked()
		}
	}
	return nil
}

func (d *desktopBus) subscribe() error {
	// Signals of notifications go to their sender only, settings to everybody.
	return errors.Join(
		d.conn.AddMatchSignal(dbus.WithMatchInterface(settingsIfc), dbus.WithMatchMember("SettingChanged"),
			dbus.WithMatchArg(0, appearance)),
		d.conn.AddMatchSignal(dbus.WithMatchInterface(notifyName), dbus.WithMatchMember("ActionInvoked")),
	)
}

func isScheme(body []any) bool {
	if len(body) != 3 || body[0] != appearance || body[1] != scheme {
		return false
	}
	_, ok := body[2].(dbus.Variant)
	return ok
}

func (d *desktopBus) isOurs(body []any) bool {
	if len(body) == 0 {
		return false
	}
	_, ours := d.shown.Load(body[0])
	return ours
}

// tellScheme unpacks the value, which older portals wrap twice.
func tellScheme(v dbus.Variant, dark func(bool)) {
	if inner, ok := v.Value().(dbus.Variant); ok {
		v = inner
	}
	if n, ok := v.Value().(uint32); ok {
		dark(n == 1)
	}
}
