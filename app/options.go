package app

import (
	"errors"
	"time"

	"github.com/adrg/xdg"

	"waferpair/app/disk"
	"waferpair/engine"
	"waferpair/engine/local"
)

// LargerModelHint says how to go beyond the built-in model.
const LargerModelHint = "For anything larger, connect a language model ('waferpair models add --help'), hand a " +
	"patch to 'waferpair apply', or replay an answer with --model script:FILE."

// ConnectHint says how to get a model that answers questions.
const ConnectHint = "Ask a language model with --model NAME: 'waferpair models list' has those that there are, " +
	"'waferpair models add' adds one."

// Options configure an open project. The zero value is what the command line uses.
type Options struct {
	DataHome string           // where histories are kept; the user's data directory when empty
	Notice   func(string)     // receives messages for the user; may be called from any goroutine
	Progress func(Progress)   // receives the progress of long work
	Models   *engine.Registry // Models of a shelf of its own when nil
	Listener Listener         // receives what happened, for pages; nil: nobody
	Early    bool             // Open returns when files can be read; see Compare
	Reach    string           // the address for other processes, see package owner

	// UseFolder accepts the folder although it is not the one that was at this path
	// before; see OtherFolderError.
	UseFolder bool

	Now func() time.Time // the clock of the history; time.Now when nil. It may go backwards.

	// StateHome is the folder for typing that the history cannot record; the user's state
	// folder when empty. If it has no space, other places are tried.
	StateHome string
}

// Progress describes how far long work has come.
type Progress struct {
	What        string
	Done, Total int  // Total is 0 while it is unknown; Done then counts seconds
	Model       bool // a model does it, or is waiting for it
}

// OtherFolderError says that another folder than before is at the project's path. Nothing
// was recorded.
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
		o.Models = Models(&local.Shelf{})
	}
	return o
}
