package app

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/adrg/xdg"

	"waferpair/history"
	"waferpair/workspace"
	"waferpair/workspace/ignore"
)

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
	p.keeper.start(p.keep)
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
