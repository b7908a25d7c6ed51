package app

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"waferpair/app/query"
	"waferpair/engine/model"
	"waferpair/history"
	"waferpair/workspace"
	"waferpair/workspace/ignore"
)

// LargerModelHint tells how to go beyond the built-in model.
const LargerModelHint = "For anything larger, ask a model of your choice for a patch and hand it to 'waferpair apply', or replay its answer with --model script:FILE."

// Options configure an open project. The zero value is what the command line uses.
type Options struct {
	DataHome string          // where histories are kept; the user's data directory when empty
	Notice   func(string)    // told what the user should know; may be called from any goroutine
	Progress func(Progress)  // told how far long work has got
	Models   *model.Registry // Models() when nil
	Listener Listener        // told what happened, for pages; nil: nobody listens
	Early    bool            // Open answers when files can be looked at; see Compare

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
	Done, Total int // Total is 0 while it is unknown; Done then counts seconds
}

// Project is an open project. Its methods are safe for concurrent use.
type Project struct {
	opt    Options
	folder *workspace.Folder
	store  *history.Store
	ignore *ignore.Matcher
	models *model.Registry

	mu   sync.Mutex // guards docs and list
	docs map[string]*document
	list fileList // what the last reconcile saw

	appended atomic.Int64 // how many operations were recorded

	owed atomic.Pointer[map[string]error] // files that recovery could not put back, see owes

	saver    saver
	keeper   keeper
	away     bool               // the project folder is gone; mu guards it
	found    workspace.Identity // of another folder that is at its path; mu guards it
	use      workspace.Identity // of the one that the user says is to be used; mu guards it
	watchers atomic.Int32       // how many Watch calls are under way
	ready    *readiness
	baseline background
	query    *query.Reader

	unrecorded unrecorded
}

// ErrReadOnly says that another instance has the project open.
var ErrReadOnly = errors.New("another waferpair has this project open")

// Root is the project folder, absolute, links resolved.
func (p *Project) Root() string { return p.folder.Root() }

// History is the project's history, for reading.
func (p *Project) History() *history.Store { return p.store }

// Models is where models are found by name.
func (p *Project) Models() *model.Registry { return p.models }

// ReadOnly reports whether nothing can be changed, because another instance
// has the project open or the disk of the history is full.
func (p *Project) ReadOnly() bool { return p.store.ReadOnly() }

// Path makes a path relative to the project folder, or refuses it.
func (p *Project) Path(name string) (string, error) { return p.folder.Path(name) }

func (p *Project) notice(s string) { p.opt.Notice(s) }

// trouble tells once what goes wrong with a file while it goes wrong. p.mu is held.
func (p *Project) trouble(path string, err error) {
	if err == nil {
		delete(p.keeper.told, path)
		return
	}
	if says := err.Error(); p.keeper.told[path] != says {
		p.keeper.told[path] = says
		p.notice(says)
	}
}

// writable refuses changes by a second instance, on a full disk, and until the
// history is known to have what is on disk.
func (p *Project) writable() error {
	if err := p.ready.refuses(); err != nil {
		return err
	}
	return p.recordable()
}

// recording refuses work that is of no use while nothing can be recorded.
func (p *Project) recording() error {
	if err := p.writable(); err != nil {
		return err
	}
	if err := p.store.Stalled(); err != nil {
		return fmt.Errorf("nothing can be recorded, so nothing is begun: %w", err)
	}
	return nil
}

// IsReady reports whether Ready would not wait.
func (p *Project) IsReady() bool { return !errors.Is(p.ready.refuses(), errNotReady) }

// records reports whether what is opened now can be recorded.
func (p *Project) records() bool { return p.ready.is() && !p.store.ReadOnly() }

// recordable refuses changes by a second instance, and on a full disk.
func (p *Project) recordable() error {
	err := p.store.ReadOnlyReason()
	if errors.Is(err, history.ErrReadOnly) {
		return fmt.Errorf("%w; close it, or wait until it is done, and try again", ErrReadOnly)
	}
	return err
}

// fileList is the folder as the last reconcile saw it.
type fileList struct {
	files []string // text files that are kept, sorted
	known map[string]history.FileState
}

// append records an operation and tells the listener. p.mu is held, or nobody
// else can change anything yet.
func (p *Project) append(ctx context.Context, op history.Op) (history.Receipt, error) {
	p.appended.Add(1)
	r, err := p.store.Append(ctx, op)
	if ids := r.IDs(); err == nil && len(ids) > 0 {
		p.opt.Listener.Recorded(ids[len(ids)-1])
	}
	return r, err
}
