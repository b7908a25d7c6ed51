//go:build desktop || dev

package window

import (
	"context"
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/wailsapp/wails/v2/pkg/runtime"
)

// Native has the functions that only a window can offer. The page calls its exported methods as
// window.go.window.Native (frontend/src/native.ts is the other half).
type Native struct {
	ctx  context.Context // Wails' own; set before the page can call
	win  *win
	busy sync.Mutex // one dialog at a time
}

// OpenFolder asks for a folder; "" when the user chose none.
func (n *Native) OpenFolder() (string, error) {
	if !n.busy.TryLock() {
		return "", nil // the dialog is open already
	}
	defer n.busy.Unlock()
	dir, err := runtime.OpenDirectoryDialog(n.ctx, runtime.OpenDialogOptions{
		Title: "Open a project folder", DefaultDirectory: n.win.opt.Near(), CanCreateDirectories: true})
	if err != nil {
		return "", fmt.Errorf("choose a folder: %w", err)
	}
	return dir, nil
}

// SaveText asks for a file and writes a text into it; false when the user chose none.
func (n *Native) SaveText(name, text string) (bool, error) {
	if !n.busy.TryLock() {
		return false, nil // a dialog is open already
	}
	defer n.busy.Unlock()
	file, err := runtime.SaveFileDialog(n.ctx, runtime.SaveDialogOptions{Title: "Export", DefaultFilename: name,
		DefaultDirectory: n.win.opt.Near(), CanCreateDirectories: true})
	if err != nil {
		return false, fmt.Errorf("choose a file: %w", err)
	}
	if file == "" {
		return false, nil
	}
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil { // the dialog has asked before it replaces one
		return false, fmt.Errorf("export: %w; choose another place", err)
	}
	return true, nil
}

// SetTitle sets the window's title.
func (n *Native) SetTitle(wanted string) { runtime.WindowSetTitle(n.ctx, title(wanted)) }

// SetBackground sets the page's background colour, "#rrggbb". The window shows it wherever the
// page has not painted yet, also at the next start.
func (n *Native) SetBackground(hex string) error {
	if !colour.MatchString(hex) {
		return fmt.Errorf("set the background: %.20q is no colour of the form #rrggbb", hex)
	}
	s := n.win.change(func(s *state) { s.Background = hex })
	r, g, b := s.background()
	runtime.WindowSetBackgroundColour(n.ctx, r, g, b, 255)
	return nil
}

// Quit closes the window like its button.
func (n *Native) Quit() { runtime.Quit(n.ctx) }

// Flushed is called by the page when it has sent everything.
func (n *Native) Flushed() { n.win.flushOnce.Do(func() { close(n.win.flushed) }) }

// OpenExternal opens a web page in the user's browser.
func (n *Native) OpenExternal(link string) error { return openLink(link) }

// Notify shows a notification on the desktop.
func (n *Native) Notify(title, body string) error { return n.win.bus().notify(title, body) }

// askPage asks the page to send everything because the window is closing, and waits for that.
func (w *win) askPage(ctx context.Context) {
	runtime.WindowExecJS(ctx, "window.dispatchEvent(new Event('waferpair:closing'))")
	select {
	case <-w.flushed:
	case <-time.After(flushWithin):
	}
}
