package cli

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"waferpair/app/window"
	"waferpair/frontend"
)

// examineWindow checks the requirements of the window. No finding is a failure: commands
// work without a window, and 'waferpair serve' shows the same page.
func examineWindow(ctx context.Context) []finding {
	return slices.Concat([]finding{examinePage()}, examineShown(ctx), []finding{examineDesktop(),
		program("xdg-open", "links in the window open in your browser with it (Debian: xdg-utils)"),
		examineInotify("/proc/sys/fs/inotify")})
}

// examineShown checks the program that draws the page. A build without the window runs the
// doctor of the window's program.
func examineShown(ctx context.Context) []finding {
	if window.Here {
		return []finding{{"window", true, window.Versions(), ""}, examineDisplay(),
			examineGraphics(os.Getenv, "/dev/dri")}
	}
	path, err := windowProgram()
	var found []finding
	if err == nil {
		found, err = examineProgram(ctx, path)
	}
	if err != nil {
		return []finding{{"window", true, err.Error(), advice(err)}, {"display", true, "not checked without a window", ""},
			examineGraphics(os.Getenv, "/dev/dri")}
	}
	return found
}

// examineTests checks the further requirements of 'make test'.
func examineTests() []finding {
	chromium := program("chromium", "tests run the page in it")
	if chromium.Next != "" && os.Getenv("WAFERPAIR_CHROMIUM") != "" {
		chromium = finding{"chromium", true, os.Getenv("WAFERPAIR_CHROMIUM") + " (WAFERPAIR_CHROMIUM)", ""}
	}
	return []finding{program("node", "it builds the page and runs its tests; Node 22 or newer"), chromium,
		program("WebKitWebDriver", "it drives the window in tests (Debian: webkit2gtk-driver)"),
		program("Xvfb", "the window is tested on a display of its own (Debian: xvfb)"),
		program("dbus-daemon", "the window is tested on a session bus of its own"),
		program("gnome-keyring-daemon",
			"keys of providers are kept in a keyring of its own in tests (Debian: gnome-keyring)"),
		program("xdotool", "it moves the window in tests")}
}

func examinePage() finding {
	if _, err := fs.Stat(frontend.Page(), "index.html"); err != nil {
		return finding{"page", true, "not in this build: neither the window nor 'waferpair serve' can show anything",
			"build with 'make build', which builds the page, too"}
	}
	return finding{"page", true, "in this build", ""}
}

func examineDisplay() finding {
	if err := window.Usable(window.GPUAlways); err != nil {
		return finding{"display", true, err.Error(), "use 'waferpair serve', or connect with a display (ssh -X)"}
	}
	for _, name := range []string{"WAYLAND_DISPLAY", "DISPLAY"} {
		if v := os.Getenv(name); v != "" {
			return finding{"display", true, name + "=" + v, ""}
		}
	}
	return finding{"display", true, "there is one", ""}
}

// workarounds are variables of WebKit, for graphics drivers that draw nothing or flicker.
var workarounds = []string{"WEBKIT_DISABLE_DMABUF_RENDERER", "WEBKIT_DISABLE_COMPOSITING_MODE"}

func examineGraphics(env func(string) string, dri string) finding {
	gpu, err := window.ParseGPU(env(window.GPUVariable))
	if err != nil {
		return finding{"graphics", false, err.Error(), "unset " + window.GPUVariable}
	}
	nodes, err := filepath.Glob(filepath.Join(dri, "renderD*"))
	if err != nil {
		nodes = nil // the pattern is well-formed unless dri is not
	}
	var set []string
	for _, w := range workarounds {
		if v := env(w); v != "" {
			set = append(set, w+"="+v)
		}
	}
	f := finding{What: "graphics", OK: true, Says: "the processor draws the window, which is the default"}
	if gpu != window.GPUNever {
		f.Says = fmt.Sprintf("the graphics card may draw the window (%s=%s; %d render devices)", window.GPUVariable,
			env(window.GPUVariable), len(nodes))
		f.Next = "if the window stays blank, flickers or is slow: unset " + window.GPUVariable + ", or set " +
			strings.Join(workarounds, "=1 or ") + "=1"
		if len(nodes) == 0 {
			f.Next = "there is no graphics card to use, and this makes the window slow: unset " + window.GPUVariable
		}
	}
	if len(set) > 0 {
		f.Says += "; WebKit is told " + strings.Join(set, " ")
	}
	return f
}

func examineDesktop() finding {
	if err := window.CheckDesktop(); err != nil {
		return finding{"desktop", true, err.Error(), "without a session bus there are no notifications, and the window " +
			"does not follow light and dark; start it with dbus-run-session"}
	}
	return finding{"desktop", true, "the session bus answers", ""}
}

// enoughWatches is enough for a large project with its dependencies; older systems allow
// 8192.
const enoughWatches = 65536

func examineInotify(dir string) finding {
	watches, err := readNumber(filepath.Join(dir, "max_user_watches"))
	if err != nil {
		return finding{"watching", true, "no inotify here; folders are polled every few seconds", ""}
	}
	instances, err := readNumber(filepath.Join(dir, "max_user_instances"))
	if err != nil {
		return finding{"watching", true, err.Error(), ""}
	}
	f := finding{"watching", true, fmt.Sprintf("up to %d folders by %d programs at once (inotify)",
		watches, instances), ""}
	if watches < enoughWatches {
		f.Next = fmt.Sprintf("large projects need more: sudo sysctl fs.inotify.max_user_watches=%d", 8*enoughWatches)
	}
	return f
}

func readNumber(path string) (int, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return 0, err
	}
	return strconv.Atoi(strings.TrimSpace(string(b)))
}
