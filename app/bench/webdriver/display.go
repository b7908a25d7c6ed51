package webdriver

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"
)

// Desktop is a virtual X display with a session bus.
type Desktop struct {
	display, bus *process
	env          []string
}

// needed names the Debian package of each program.
var needed = map[string]string{"Xvfb": "xvfb", "dbus-daemon": "dbus", "WebKitWebDriver": "webkit2gtk-driver"}

func lookup(name string) (string, error) {
	path, err := exec.LookPath(name)
	if err != nil {
		return "", fmt.Errorf("%s is not installed: install the package %s", name, needed[name])
	}
	return path, nil
}

// StartDesktop starts a display of the given size on a free number.
func StartDesktop(ctx context.Context, width, height int) (*Desktop, error) {
	d := &Desktop{}
	number, err := d.startDisplay(ctx, width, height)
	if err == nil {
		err = d.startBus(ctx, number)
	}
	if err != nil {
		d.Close()
		return nil, err
	}
	return d, nil
}

// startDisplay lets Xvfb choose the number, which it writes to a pipe.
func (d *Desktop) startDisplay(ctx context.Context, width, height int) (string, error) {
	xvfb, err := lookup("Xvfb")
	if err != nil {
		return "", err
	}
	r, w, err := os.Pipe()
	if err != nil {
		return "", err
	}
	defer r.Close()
	cmd := exec.CommandContext(ctx, xvfb, "-displayfd", "3", "-screen", "0", fmt.Sprintf("%dx%dx24", width, height),
		"-nolisten", "tcp", "-noreset")
	cmd.ExtraFiles = []*os.File{w}
	d.display, err = start(cmd)
	_ = w.Close()
	if err != nil {
		return "", err
	}
	number, err := firstLine(r, 20*time.Second)
	if err != nil {
		return "", fmt.Errorf("start a display (Xvfb): %w: %s", err, d.display.out.String())
	}
	return number, nil
}

func (d *Desktop) startBus(ctx context.Context, number string) error {
	daemon, err := lookup("dbus-daemon")
	if err != nil {
		return err
	}
	r, w, err := os.Pipe()
	if err != nil {
		return err
	}
	defer r.Close()
	cmd := exec.CommandContext(ctx, daemon, "--session", "--nofork", "--nopidfile", "--print-address=3")
	cmd.ExtraFiles = []*os.File{w}
	d.bus, err = start(cmd)
	_ = w.Close()
	if err != nil {
		return err
	}
	address, err := firstLine(r, 20*time.Second)
	if err != nil {
		return fmt.Errorf("start a session bus (dbus-daemon): %w: %s", err, d.bus.out.String())
	}
	d.env = []string{"DISPLAY=:" + number, "DBUS_SESSION_BUS_ADDRESS=" + address, "NO_AT_BRIDGE=1", "GDK_BACKEND=x11"}
	return nil
}

func firstLine(r *os.File, within time.Duration) (string, error) {
	if err := r.SetReadDeadline(time.Now().Add(within)); err != nil {
		return "", err
	}
	line, err := bufio.NewReader(r).ReadString('\n')
	return strings.TrimSpace(line), err
}

// Env returns the environment that a program needs to appear on this display.
func (d *Desktop) Env() []string { return d.env }

// Close ends the display and the bus.
func (d *Desktop) Close() {
	d.bus.stop()
	d.display.stop()
}
