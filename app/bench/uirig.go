package bench

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"waferpair/app/bench/webdriver"
)

// uiRig is the real window on a display of its own, controlled through WebDriver.
type uiRig struct {
	binary  string // a build that allows automation
	home    string // HOME of the window; its XDG folders are inside
	desktop *webdriver.Desktop
	driver  *webdriver.Driver
	started string // the file with the time of the last start
}

//go:embed uiprobe.js
var uiProbe string

// rig starts a display and a driver. The window's settings and histories are below the
// benchmark's folder.
func (e *Env) rig(ctx context.Context) (*uiRig, error) {
	r := &uiRig{binary: e.Window, home: filepath.Join(e.Dir, "home"), started: filepath.Join(e.Dir, "started")}
	if r.binary == "" {
		r.binary = filepath.Join(filepath.Dir(e.Program), "..", ".cache", "e2e", "waferpair")
	}
	if _, err := os.Stat(r.binary); err != nil {
		return nil, fmt.Errorf("the benchmark drives a window that allows automation: build it with 'make .cache/e2e/waferpair', or name it with --window: %w", err)
	}
	if err := r.wrap(e); err != nil {
		return nil, err
	}
	var err error
	if r.desktop, err = webdriver.StartDesktop(ctx, 1280, 800); err != nil {
		return nil, err
	}
	if r.driver, err = webdriver.StartDriver(ctx, append(r.desktop.Env(), r.env()...)); err != nil {
		r.Close()
		return nil, err
	}
	return r, nil
}

func (r *uiRig) env() []string {
	return []string{"HOME=" + r.home, "XDG_DATA_HOME=" + r.data(), "XDG_CONFIG_HOME=" + filepath.Join(r.home, "config"),
		"XDG_STATE_HOME=" + filepath.Join(r.home, "state"), "XDG_CACHE_HOME=" + filepath.Join(r.home, "cache"),
		"XDG_RUNTIME_DIR=" + r.home}
}

func (r *uiRig) data() string { return filepath.Join(r.home, "data") }

// wrap replaces the binary with a script that records the time and starts the binary, so
// that measured times include loading the program.
func (r *uiRig) wrap(e *Env) error {
	if err := os.MkdirAll(r.home, 0o700); err != nil {
		return err
	}
	binary, err := filepath.Abs(r.binary)
	if err != nil {
		return err
	}
	r.binary = filepath.Join(e.Dir, "window")
	script := fmt.Sprintf("#!/bin/sh\ndate +%%s%%N > %q\nexec %q \"$@\"\n", r.started, binary)
	return os.WriteFile(r.binary, []byte(script), 0o755)
}

// startedAt returns when the window's process started, in ms since 1970.
func (r *uiRig) startedAt() (float64, error) {
	b, err := os.ReadFile(r.started)
	if err != nil {
		return 0, err
	}
	var ns int64
	_, err = fmt.Sscan(string(b), &ns)
	return float64(ns) / 1e6, err
}

// open opens a project in a window and installs the probe.
func (r *uiRig) open(ctx context.Context, project string) (*webdriver.Window, error) {
	w, err := r.driver.Open(ctx, r.binary, project)
	if err != nil {
		return nil, err
	}
	err = errors.Join(w.Await(ctx, "performance.getEntriesByName('shown').length > 0", patience),
		w.Run(ctx, uiProbe, nil))
	if err != nil {
		w.Close(ctx)
		return nil, err
	}
	return w, nil
}

// Close stops the driver, with its windows, and the display.
func (r *uiRig) Close() {
	if r.driver != nil {
		r.driver.Close()
	}
	r.desktop.Close()
}

// since returns the time from the process's start to a performance mark of the page.
func (r *uiRig) since(ctx context.Context, w *webdriver.Window, mark string) (time.Duration, error) {
	start, err := r.startedAt()
	if err != nil {
		return 0, err
	}
	var at float64
	err = w.Run(ctx, "return performance.timeOrigin + performance.getEntriesByName(arguments[0])[0].startTime", &at, mark)
	return msOf(at - start), err
}
