package app

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"waferpair/app/disk"
	"waferpair/engine"
	"waferpair/history"
	"waferpair/workspace"
	"waferpair/workspace/ignore"
)

// core is what each part of a project is handed: the folder, its history, and who
// is told. Open fills it, and nothing of it changes afterwards but what has a lock
// of its own.
type core struct {
	opt      Options
	folder   *workspace.Folder
	store    *history.Store
	ignore   *ignore.Matcher
	models   *engine.Registry
	ready    *readiness
	reported troubles
	claims   claims
	disk     disk.Core // the same for package disk

	appended atomic.Int64 // how many operations were recorded
	recorded func()       // called when one was: some file may have to be saved
}

// Root is the project folder, absolute, links resolved.
func (c *core) Root() string { return c.folder.Root() }

// ReadOnly reports whether nothing can be changed.
func (c *core) ReadOnly() bool { return c.store.ReadOnly() }

// Path makes a path relative to the project folder, or refuses it.
func (c *core) Path(name string) (string, error) { return c.folder.Path(name) }

func (c *core) notice(s string) { c.opt.Notice(s) }

// trouble tells once what goes wrong with a file while it goes wrong.
func (c *core) trouble(path string, err error) {
	if c.reported.isNew(path, err) {
		c.notice(err.Error())
	}
}

// writable refuses changes by a second instance, on a full disk, and until the
// history is known to have what is on disk.
func (c *core) writable() error {
	if err := c.ready.refuses(); err != nil {
		return err
	}
	return c.recordable()
}

// recording refuses work that is of no use while nothing can be recorded.
func (c *core) recording() error {
	if err := c.writable(); err != nil {
		return err
	}
	if err := c.store.Stalled(); err != nil {
		return fmt.Errorf("the history cannot be written, so nothing was started: %w", err)
	}
	return nil
}

// IsReady reports whether Ready would not wait.
func (c *core) IsReady() bool { return !errors.Is(c.ready.refuses(), errNotReady) }

// records reports whether what is opened now can be recorded.
func (c *core) records() bool { return c.ready.is() && !c.store.ReadOnly() }

// recordable refuses changes by a second instance, and on a full disk.
func (c *core) recordable() error {
	err := c.store.ReadOnlyReason()
	if errors.Is(err, history.ErrReadOnly) {
		return fmt.Errorf("%w; close that one, or wait until it is done, and try again", ErrReadOnly)
	}
	return err
}

// append records an operation and tells the listener. Nobody else changes what it
// is about meanwhile: the caller holds the lock of its files, or is alone. What
// another program did to files that a turn has claimed is that turn's.
func (c *core) append(ctx context.Context, op history.Op) (history.Receipt, error) {
	defer c.appended.Add(1) // not before: who plans on the history then has it in there, or plans again
	if h := locksOf(ctx); h != nil {
		h.appended++
	}
	var under *claim
	if op.Author == history.Outside {
		if under = c.claims.of(op); under != nil {
			op.Author, op.Turn, op.Note = history.Model, under.hold.turn, ""
		}
	}
	r, err := c.store.Append(ctx, op)
	if ids := r.IDs(); err == nil && len(ids) > 0 {
		c.opt.Listener.Recorded(ids[len(ids)-1])
		c.recorded()
		if under != nil {
			err = c.claims.recorded(under, op, r)
		}
	}
	return r, err
}

// troubles is what goes wrong with files, by path.
type troubles struct {
	mu   sync.Mutex
	says map[string]string
}

// isNew notes what is wrong with a file now, and reports whether that is to be told.
func (t *troubles) isNew(path string, err error) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if err == nil {
		delete(t.says, path)
		return false
	}
	if t.says[path] == err.Error() {
		return false
	}
	if t.says == nil {
		t.says = map[string]string{}
	}
	t.says[path] = err.Error()
	return true
}

// noteDisk remembers what is on disk now. The files are written and recorded
// before: where this cannot be noted, the next start compares, and nothing failed.
func (p *core) noteDisk(ctx context.Context, states ...history.DiskState) {
	if err := p.store.SetDisk(ctx, states); err != nil && p.store.Stalled() == nil {
		p.notice(fmt.Sprintf("note what is on disk: %v; the next start compares the files", err))
	}
}
