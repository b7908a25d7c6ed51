package window

import (
	"context"
	"net/http"
	"os"
	"time"
)

// Options configure the window.
type Options struct {
	Handler http.Handler                // serves the page and its reads
	Close   func(context.Context) error // closes the project; the window is gone by then
	State   string                      // the file that stores size, position and background
	GPU     GPU                         // when WebKit may use the graphics card
	Icon    []byte                      // SVG or PNG
	Near    func() string               // the folder in which the folder dialog begins; "" leaves it to GTK
	Errors  func(error)                 // receives errors that end nothing
	Ready   func()                      // called when the page is loaded; may be nil
	Raise   <-chan struct{}             // requests to bring the window to the front; may be nil
}

// Unavailable says why there can be no window.
type Unavailable struct{ Reason string }

func (e *Unavailable) Error() string { return e.Reason }

// Display returns an error when the environment names no display.
func Display() error {
	if os.Getenv("DISPLAY") == "" && os.Getenv("WAYLAND_DISPLAY") == "" {
		return &Unavailable{"there is no display (neither DISPLAY nor WAYLAND_DISPLAY is set)"}
	}
	return nil
}

const (
	name        = "Waferpair"
	flushWithin = time.Second     // for the page to send everything
	closeLimit  = 5 * time.Second // for closing the project
)
