package app

import (
	"errors"
	"time"

	"github.com/adrg/xdg"

	"waferpair/app/disk"
	"waferpair/engine"
)

// LargerModelHint tells how to go beyond the built-in model.
const LargerModelHint = "For anything larger, ask a model of your choice for a patch and hand it to 'waferpair apply', or replay its answer with --model script:FILE."

// Options configure an open project. The zero value is what the command line uses.
type Options struct {
	DataHome string           // where histories are kept; the user's data directory when empty
	Notice   func(string)     // told what the user should know; may be called from any goroutine
	Progress func(Progress)   // told how far long work has got
	Models   *engine.Registry // Models() when nil
	Listener Listener         // told what happened, for pages; nil: nobody listens
	Early    bool             // Open answers when files can be looked at; see Compare
	Reach    string           // where other processes can reach this one, see package owner

	// UseFolder takes the folder for the project although another one than
	// before is at its path; see OtherFolderError.
	UseFolder bool

	Now func() time.Time // the clock that the history goes by; time.Now when nil. It may go backwards.

	// StateHome is where what is typed is kept while the history cannot be
	// written; the user's state folder when empty. Without space there, other places are tried.
	StateHome string
}

// Progress is how far long work has got.
type Progress struct {
	What        string
	Done, Total int  // Total is 0 while it is unknown; Done then counts seconds
	Model       bool // a model does it, or waits for it
}

// OtherFolderError says that another folder than before is at the project's
// path. Nothing was recorded.
type OtherFolderError = disk.OtherFolderError

// ErrReadOnly says that another instance has the project open.
var ErrReadOnly = errors.New("this project is already open in another window or command")

func (o Options) withDefaults() Options {
	if o.DataHome == "" {
		o.DataHome = xdg.DataHome
	}
	if o.StateHome == "" {
		o.StateHome = xdg.StateHome
	}
	if o.Notice == nil {
		o.Notice = func(string) {}
	}
	if o.Progress == nil {
		o.Progress = func(Progress) {}
	}
	if o.Listener == nil {
		o.Listener = noListener{}
	}
	if o.Models == nil {
		o.Models = Models()
	}
	return o
}
