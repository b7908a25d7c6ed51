package app

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/adrg/xdg"

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

// Open opens the project folder, recovers what a crash left, and records what
// happened outside since the last time. The first opening stores a baseline of
// every file; in a large folder that goes on in the background, and Close
// waits for it. With Options.Early all of that is left to Compare.
func Open(ctx context.Context, dir string, opt Options) (*Project, error) {
	p := &Project{opt: opt.withDefaults(), docs: map[string]*document{}}
	p.models = p.opt.Models
	if err := p.openFolder(dir); err != nil {
		return nil, err
	}
	if err := p.openStore(ctx); err != nil {
		p.folder.Close()
		return nil, err
	}
	if err := p.lockFolder(); err != nil {
		return nil, errors.Join(err, p.folder.Close(), p.store.Close())
	}
	p.query = newQuery(p)
	p.ready = newReadiness(ctx)
	p.keeper.start(p)
	if opt.Early {
		return p, nil
	}
	p.Compare()
	if <-p.ready.done; p.ready.err != nil {
		err := p.ready.err
		p.Close()
		return nil, err
	}
	return p, nil
}

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
		o.Listener = nobody{}
	}
	if o.Models == nil {
		o.Models = Models()
	}
	return o
}

func (p *Project) openFolder(dir string) error {
	real, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	if r, err := filepath.EvalSymlinks(real); err == nil {
		real = r
	}
	p.ignore = ignore.New(real)
	p.folder, err = workspace.Open(dir, workspace.Options{
		Ignored:  p.ignore.Ignored,
		Journal:  journal{p},
		Preserve: p.preserve,
		Notify:   func(n workspace.Notice) { p.notice(n.String()) },
	})
	return err
}

func (p *Project) openStore(ctx context.Context) error {
	dir := history.Dir(p.opt.DataHome, p.folder.Root())
	if inside(p.folder.Root(), dir) {
		return fmt.Errorf("open %s: the history would lie inside the project, at %s; set XDG_DATA_HOME to a folder outside of it", p.folder.Root(), dir)
	}
	store, err := history.Open(ctx, history.Options{Dir: dir, Root: p.folder.Root(), Now: p.opt.Now, Notice: p.notice, Stalled: func(error) { p.keeper.nudge() }})
	if err != nil {
		return fmt.Errorf("open the history of %s: %w", p.folder.Root(), err)
	}
	p.store = store
	for _, n := range store.Notices() {
		p.notice(n)
	}
	return nil
}

// lockFolder refuses a folder that another instance has open by another path,
// and so with another history. One by the same path holds the history, and this
// one only reads.
func (p *Project) lockFolder() error {
	if p.store.ReadOnly() {
		return nil
	}
	return p.folder.Lock()
}

func inside(root, path string) bool {
	rel, err := filepath.Rel(root, path)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, "../")
}

// start recovers and reconciles. A second instance only reads.
func (p *Project) start(ctx context.Context) error {
	if err := p.store.ReadOnlyReason(); err != nil {
		if errors.Is(err, history.ErrReadOnly) {
			err = ErrReadOnly
		}
		p.notice(fmt.Sprintf("%v: the history can be read, and nothing is changed", err))
		return p.listFiles(ctx)
	}
	return p.reconcile(ctx)
}

// Close saves what is not on disk yet and closes the project.
func (p *Project) Close() error {
	p.ready.stop()
	p.keeper.stop()
	err := p.baseline.wait()
	p.ready.cancel()
	if errors.Is(err, context.Canceled) {
		err = nil // stopped by the user, who knows
	}
	if !p.store.ReadOnly() {
		err = errors.Join(err, p.Settle(context.Background()), p.leaveUnrecorded(context.Background()))
	}
	return errors.Join(err, p.folder.Close(), p.store.Close())
}

// Baseline waits until a first opening has stored every file.
func (p *Project) Baseline() error { return p.baseline.wait() }

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

// recordable refuses changes by a second instance, and on a full disk.
func (p *Project) recordable() error {
	err := p.store.ReadOnlyReason()
	if errors.Is(err, history.ErrReadOnly) {
		return fmt.Errorf("%w; close it, or wait until it is done, and try again", ErrReadOnly)
	}
	return err
}
