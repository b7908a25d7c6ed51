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

// core is handed to every part of a project: the folder, its history and the listeners.
// Open fills it in. Afterwards only the fields with their own lock change.
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

	appended atomic.Int64 // the number of recorded operations
	recorded func()       // called after each one: a file may be due for a save
}

// Root is the project folder, absolute, links resolved.
func (c *core) Root() string { return c.folder.Root() }

// ReadOnly reports whether nothing can be changed.
func (c *core) ReadOnly() bool { return c.store.ReadOnly() }

// Path makes a path relative to the project folder. It refuses a path outside the folder.
func (c *core) Path(name string) (string, error) { return c.folder.Path(name) }

func (c *core) notice(s string) { c.opt.Notice(s) }

// trouble notifies once of a lasting problem with a file.
func (c *core) trouble(path string, err error) {
	if c.reported.isNew(path, err) {
		c.notice(err.Error())
	}
}

// writable refuses changes by a second instance, on a full disk, and until the history
// has been compared with the disk.
func (c *core) writable() error {
	if err := c.ready.refuses(); err != nil {
		return err
	}
	return c.recordable()
}

// recording refuses work that would be useless while nothing can be recorded.
func (c *core) recording() error {
	if err := c.writable(); err != nil {
		return err
	}
	if err := c.store.Stalled(); err != nil {
		return fmt.Errorf("the history cannot be written, so nothing was started: %w", err)
	}
	return nil
}

// IsReady reports whether Ready would return at once.
func (c *core) IsReady() bool { return !errors.Is(c.ready.refuses(), errNotReady) }

// records reports whether changes of a file that is opened now can be recorded.
func (c *core) records() bool { return c.ready.is() && !c.store.ReadOnly() }

// recordable refuses changes by a second instance, and on a full disk.
func (c *core) recordable() error {
	err := c.store.ReadOnlyReason()
	if errors.Is(err, history.ErrReadOnly) {
		return fmt.Errorf("%w; close that one, or wait until it is done, and try again", ErrReadOnly)
	}
	return err
}

// append records an operation and notifies the listener. The caller holds the locks of
// the operation's files, or works alone. Another program's change of files that a turn
// has claimed is recorded as that turn's.
func (c *core) append(ctx context.Context, op history.Op) (history.Receipt, error) {
	defer c.appended.Add(1) // after the append: a plan made on the history has the operation, or is made again
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

// troubles are the current problems with files, by path.
type troubles struct {
	mu   sync.Mutex
	says map[string]string
}

// isNew notes the current problem of a file, and reports whether it is a new one.
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

// noteDisk records the content on disk. The files are already written and recorded: if
// this fails, nothing is lost, and the next start compares them.
func (p *core) noteDisk(ctx context.Context, states ...history.DiskState) {
	if err := p.store.SetDisk(ctx, states); err != nil && p.store.Stalled() == nil {
		p.notice(fmt.Sprintf("note what is on disk: %v; the next start compares the files", err))
	}
}
