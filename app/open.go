package app

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"waferpair/app/disk"
	"waferpair/app/items"
	"waferpair/history"
	"waferpair/workspace"
	"waferpair/workspace/ignore"
)

// Open opens the project folder, recovers after a crash, and records other programs'
// changes since the last time. The first opening stores a baseline of every file; in a
// large folder that continues in the background, and Close waits for it. With
// Options.Early, Compare does all of this later.
func Open(ctx context.Context, dir string, opt Options) (*Project, error) {
	p := newProject(opt.withDefaults())
	c := p.core
	if err := p.openFolder(dir); err != nil {
		return nil, err
	}
	if err := p.openStore(ctx); err != nil {
		_ = c.folder.Close() // nothing was done in the folder yet
		return nil, err
	}
	if err := p.lockFolder(); err != nil {
		return nil, errors.Join(err, c.folder.Close(), c.store.Close())
	}
	c.initDisk()
	c.ready = newReadiness(ctx)
	p.query = newQuery(p)
	p.sessions.query = p.query
	p.autosaver.start(p.autosaver.keep)
	if opt.Early {
		return p, nil
	}
	p.Compare()
	if <-c.ready.done; c.ready.err != nil {
		err := c.ready.err
		_ = p.Close() // the reason of the failed opening matters more
		return nil, err
	}
	return p, nil
}

func (p *Project) openFolder(dir string) error {
	c := p.core
	real, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	if r, err := filepath.EvalSymlinks(real); err == nil {
		real = r
	}
	c.ignore = ignore.New(real)
	c.folder, err = workspace.Open(dir, workspace.Options{
		Ignored:  c.ignore.Ignored,
		Journal:  disk.Journal{Core: &c.disk},
		Preserve: p.docs.preserve,
		Notify:   func(n workspace.Notice) { c.notice(n.String()) },
	})
	return err
}

func (p *Project) openStore(ctx context.Context) error {
	c := p.core
	dir, err := c.historyDir()
	if err != nil {
		return err
	}
	store, err := history.Open(ctx, history.Options{Dir: dir, Root: c.folder.Root(), Reach: c.opt.Reach, Now: c.opt.Now,
		Notice: c.notice, Items: items.Old, Stalled: func(error) { p.autosaver.nudge() }})
	if err != nil {
		return fmt.Errorf("open the history of %s: %w", c.folder.Root(), err)
	}
	c.store = store
	for _, n := range store.Notices() {
		c.notice(n)
	}
	return nil
}

// historyDir returns the folder of the project's history.
func (c *core) historyDir() (string, error) {
	dir := history.Dir(c.opt.DataHome, c.folder.Root())
	if inside(c.folder.Root(), dir) {
		return dir,
			fmt.Errorf("open %s: the history would lie inside the project, at %s; set XDG_DATA_HOME to a folder outside of it",
				c.folder.Root(), dir)
	}
	return dir, nil
}

// initDisk gives package disk its dependencies.
func (c *core) initDisk() {
	c.disk = disk.Core{
		Folder: c.folder, Store: c.store, Ignore: c.ignore, Spares: c.spares(),
		Excluded: c.exclusion, Append: c.append, Notice: c.notice,
		Progress:    func(what string, done, total int) { c.opt.Progress(Progress{What: what, Done: done, Total: total}) },
		Another:     func() { c.opt.Listener.FolderGone(true) },
		TakeAnother: c.opt.UseFolder,
	}
}

// lockFolder refuses a folder that another instance has open by another path, and so with
// another history. If another instance has it open by the same path, that one holds the
// history, and this one only reads.
func (p *Project) lockFolder() error {
	if p.core.store.ReadOnly() {
		return nil
	}
	return p.core.folder.Lock()
}

// Close saves everything unsaved and closes the project.
func (p *Project) Close() error {
	p.turns.declared.close()
	p.core.ready.stop()
	p.autosaver.stop()
	err := p.intake.Stored()
	p.core.ready.cancel()
	if errors.Is(err, context.Canceled) {
		err = nil // the user stopped it
	}
	if !p.core.store.ReadOnly() {
		_ = p.core.store.Retry(context.Background()) // what cannot be recorded is kept below
		err = errors.Join(err, p.Settle(context.Background()), p.stall.leaveUnrecorded(context.Background()))
	}
	return errors.Join(err, p.core.folder.Close(), p.core.store.Close())
}

// Baseline waits until the first opening has stored every file.
func (p *Project) Baseline() error { return p.intake.Stored() }

func inside(root, path string) bool {
	rel, err := filepath.Rel(root, path)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, "../")
}
