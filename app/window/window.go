package window

import (
	"context"
	"net/http"
	"time"
)

// Options configure the window.
type Options struct {
	Handler http.Handler                // serves the page and its reads
	Close   func(context.Context) error // closes the project; the window is gone by then
	State   string                      // file that remembers size, position and background
	GPU     GPU                         // when WebKit may use the graphics card
	Icon    []byte                      // SVG or PNG
	Near    func() string               // where the dialog that asks for a folder begins; "" leaves it to GTK
	Errors  func(error)                 // told what went wrong but does not end anything
	Ready   func()                      // the page was loaded; may be nil
	Raise   <-chan struct{}             // the window is to come to the front; may be nil
}

// Unavailable says why there can be no window.
type Unavailable struct{ Reason string }

func (e *Unavailable) Error() string { return e.Reason }

const (
	name        = "Waferpair"
	flushWithin = time.Second     // for the page to hand over what it has not sent
	closeLimit  = 5 * time.Second // for the project to be closed
)
