//go:build desktop || dev

package window

/*
#cgo pkg-config: gtk+-3.0 webkit2gtk-4.1
#include <webkit2/webkit2.h>
#include "gtk.h"
*/
import "C"

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"strconv"
	"sync"
	"syscall"
	"unsafe"

	"github.com/wailsapp/wails/v2"
	"github.com/wailsapp/wails/v2/pkg/options"
	"github.com/wailsapp/wails/v2/pkg/options/assetserver"
	"github.com/wailsapp/wails/v2/pkg/options/linux"
	wailsrt "github.com/wailsapp/wails/v2/pkg/runtime"
)

// Here reports whether this build has the window.
const Here = true

// Usable returns why there can be no window with this use of the graphics card; nil when there
// can. It ties the calling goroutine to its thread, which becomes GTK's: Run must be called
// from the same one.
func Usable(gpu GPU) error {
	runtime.LockOSThread()
	if sessionBusAddress() == "" {
		startNoBus()
	}
	if gpu == GPUNever {
		leaveGPU()
	}
	if err := Display(); err != nil {
		return err
	}
	if C.wp_init() == 0 {
		return &Unavailable{fmt.Sprintf("the display cannot be opened (DISPLAY=%q WAYLAND_DISPLAY=%q)", os.Getenv("DISPLAY"),
			os.Getenv("WAYLAND_DISPLAY"))}
	}
	return nil
}

// startNoBus keeps GTK from starting a session bus for the accessibility service; that would
// outlive the program.
func startNoBus() {
	for _, v := range [][2]string{{busVariable, "disabled:"}, {"NO_AT_BRIDGE", "1"}} {
		_ = os.Setenv(v[0], v[1]) // fails only for invalid names
	}
}

// Versions returns the versions of the window's libraries.
func Versions() string {
	return fmt.Sprintf("GTK %d.%d.%d, WebKitGTK %d.%d.%d", C.gtk_get_major_version(), C.gtk_get_minor_version(),
		C.gtk_get_micro_version(), C.webkit_get_major_version(), C.webkit_get_minor_version(), C.webkit_get_micro_version())
}

// win is an open window.
type win struct {
	opt       Options
	flushed   chan struct{} // closed when the page has sent everything
	flushOnce sync.Once
	closeOnce sync.Once
	closeErr  error

	mu      sync.Mutex
	state   state
	desktop *desktopBus
}

// Run shows the window until it is closed or ctx ends, then closes the project.
func Run(ctx context.Context, opt Options) error {
	saveMemory()
	C.wp_begin(automation(), C.int(boolInt(opt.GPU != GPUNever)))
	w := &win{opt: opt, flushed: make(chan struct{}), state: loadState(opt.State)}
	if w.state.Dark {
		C.wp_prefer_dark(1)
	}
	while, end := context.WithCancel(ctx)
	defer end()
	go keepSignals(while)
	go w.followDesktop(while)
	go raise(while, opt.Raise)
	if err := wails.Run(w.options(ctx)); err != nil {
		return fmt.Errorf("open the window: %w", err)
	}
	w.remember()
	return w.closeErr
}

// raise brings the window to the front on request.
func raise(ctx context.Context, asked <-chan struct{}) {
	for {
		select {
		case <-asked:
			C.wp_present()
		case <-ctx.Done():
			return
		}
	}
}

// pageRAM is the memory that the page's JavaScript engine believes to have.
const pageRAM = 256 << 20

// saveMemory makes the engine collect garbage earlier. A page that streams produces much
// garbage, which the engine keeps while the computer has memory to spare: 100,000 tokens took
// over 200 MB of which 7 were in use.
func saveMemory() {
	const name = "JSC_forceRAMSize"
	if os.Getenv(name) == "" {
		_ = os.Setenv(name, strconv.Itoa(pageRAM)) // fails only for invalid names
	}
}

func (w *win) options(ctx context.Context) *options.App {
	native := &Native{win: w}
	r, g, b := w.state.background()
	start := options.Normal
	if w.state.Maximised {
		start = options.Maximised
	}
	return &options.App{
		Title: name, Width: w.state.Width, Height: w.state.Height, MinWidth: minWidth, MinHeight: minHeight,
		WindowStartState: start,
		BackgroundColour: options.NewRGB(r, g, b),
		AssetServer:      &assetserver.Options{Handler: seal(w.opt.Handler)},
		DragAndDrop:      &options.DragAndDrop{EnableFileDrop: true},
		Linux:            &linux.Options{ProgramName: "waferpair", WebviewGpuPolicy: gpuPolicy(w.opt.GPU)},
		Bind:             append([]any{native}, probes(&native.ctx)...),
		OnStartup:        func(wctx context.Context) { native.ctx = wctx; w.started(ctx, wctx) },
		OnDomReady:       func(context.Context) { w.loaded() },
		OnBeforeClose:    w.close,
	}
}

func gpuPolicy(g GPU) linux.WebviewGpuPolicy {
	switch g {
	case GPUAlways:
		return linux.WebviewGpuPolicyAlways
	case GPUOnDemand:
		return linux.WebviewGpuPolicyOnDemand
	}
	return linux.WebviewGpuPolicyNever
}

func (w *win) started(ctx, wctx context.Context) {
	C.wp_adopt(C.int(boolInt(w.state.Placed)), C.int(w.state.X), C.int(w.state.Y))
	if icon := w.opt.Icon; len(icon) > 0 {
		C.wp_icon(unsafe.Pointer(&icon[0]), C.long(len(icon)))
	}
	takeSignals(wctx)
	context.AfterFunc(ctx, func() { wailsrt.Quit(wctx) })
}

// takeSignals replaces Wails' own handler, which prints, and ignores SIGHUP. A second signal
// ends the process at once; acknowledged edits are safe.
func takeSignals(wctx context.Context) {
	asked := []os.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP}
	signal.Reset(asked...)
	c := make(chan os.Signal, 2)
	signal.Notify(c, asked...)
	go func() {
		<-c
		wailsrt.Quit(wctx)
		<-c
		os.Exit(130)
	}()
}

func (w *win) loaded() {
	repairSignals()
	if w.opt.Ready != nil {
		w.opt.Ready()
	}
}

// close runs before the window closes: the page sends everything, the window disappears, the
// project is closed. That happens once, however often the user asks; only then close returns
// false.
func (w *win) close(wctx context.Context) (prevent bool) {
	prevent = true
	w.closeOnce.Do(func() {
		w.askPage(wctx)
		wailsrt.WindowHide(wctx)
		w.closeErr = closeWithin(w.opt.Close, closeLimit)
		prevent = false
	})
	return prevent
}

// followDesktop connects to the session bus and keeps the page's colours as the desktop
// prefers. GTK 3 alone does not know the preference.
func (w *win) followDesktop(ctx context.Context) {
	bus, err := connectDesktop(ctx)
	if err != nil {
		return // doctor reports it; nothing here depends on it
	}
	w.mu.Lock()
	w.desktop = bus
	w.mu.Unlock()
	dark := func(dark bool) {
		w.change(func(s *state) { s.Dark = dark })
		C.wp_prefer_dark(C.int(boolInt(dark)))
	}
	if err := bus.watch(dark, func() { C.wp_present() }); err != nil {
		w.opt.Errors(err)
	}
}

func (w *win) bus() *desktopBus {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.desktop
}

func (w *win) change(f func(*state)) state {
	w.mu.Lock()
	defer w.mu.Unlock()
	f(&w.state)
	return w.state
}

// remember stores the window's last place. A window that was never shown has none.
func (w *win) remember() {
	p := C.wp_last_place()
	s := w.change(func(s *state) {
		s.Maximised = p.maximised != 0
		if p.known != 0 {
			s.Placed, s.X, s.Y, s.Width, s.Height = true, int(p.x), int(p.y), int(p.width), int(p.height)
		}
	})
	if err := s.save(w.opt.State); err != nil {
		w.opt.Errors(err)
	}
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}
