package disk

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"waferpair/workspace"
	"waferpair/workspace/watch"
)

// OpenFiles is what a Watcher needs from the rest of the project.
type OpenFiles interface {
	// Outside records and merges other programs' changes of some files, open or not.
	Outside(ctx context.Context, paths []string) error
	// OutsideBut does the same, but leaves alone, and returns, the missing files that had text
	// and for which wait is true: they may have new names.
	OutsideBut(ctx context.Context, paths []string, wait func(path string) bool) ([]string, error)
	// HoldAgain closes the open files whose exclusion from the history changed.
	HoldAgain(context.Context)
	// Gone reports that the folder is missing, or back.
	Gone(gone bool)
	// Listed reports that the list of files may have changed.
	Listed()
}

// Watcher records and merges other programs' changes while the project is open.
type Watcher struct {
	*Recovery
	open    OpenFiles
	running atomic.Int32 // the number of running Watch calls

	looking sync.Mutex           // guards missing; nobody else changes it during a look
	missing map[string]time.Time // files, and when their deletion is recorded unless a new name is seen
}

// renameTime is how long after the disappearance of a file its new name may be seen. The
// events of both come together, but the first of them may be handled before the second has
// come, and a file may be gone before its event has come.
const renameTime = 500 * time.Millisecond

// NewWatcher returns the watcher of a project.
func NewWatcher(r *Recovery, open OpenFiles) *Watcher { return &Watcher{Recovery: r, open: open} }

// Watching reports whether the folder is watched.
func (w *Watcher) Watching() bool { return w.running.Load() > 0 }

// Watch keeps history and open files in step with other programs' changes in the folder,
// until ctx ends; while nothing can be recorded, only the open files. It returns early if
// watching cannot start.
func (w *Watcher) Watch(ctx context.Context) error {
	w.running.Add(1)
	events, err := watch.Start(ctx, w.Folder.Root(), watch.Options{Ignored: w.Ignore.Ignored, Ours: w.place.Ours})
	if err != nil {
		w.running.Add(-1)
		return fmt.Errorf("watch %s: %w", w.Folder.Root(), err)
	}
	go w.follow(ctx, events)
	return nil
}

func (w *Watcher) follow(ctx context.Context, events *watch.Watcher) {
	defer w.running.Add(-1)
	defer events.Close()
	w.forgetMissing() // of an earlier Watch; a Reconcile comes first
	report := func(err error) {
		if err != nil && ctx.Err() == nil {
			w.Notice(fmt.Sprintf("merge other programs' changes: %v", err))
		}
	}
	for {
		select {
		case <-ctx.Done():
			return
		case ev, ok := <-events.Events():
			if !ok {
				return
			}
			report(w.Handle(ctx, ev, events.Rescan))
		case <-w.due():
			report(w.look(ctx, nil))
		}
	}
}

func (w *Watcher) forgetMissing() {
	w.looking.Lock()
	defer w.looking.Unlock()
	w.missing = nil
}

// due returns when to look again at a file that is missing; nil if none is.
func (w *Watcher) due() <-chan time.Time {
	w.looking.Lock()
	defer w.looking.Unlock()
	if len(w.missing) == 0 {
		return nil
	}
	first := slices.MinFunc(slices.Collect(maps.Values(w.missing)), time.Time.Compare)
	return time.After(time.Until(first))
}

// Handle processes one event. If it changes which files are to be watched, it calls rescan.
func (w *Watcher) Handle(ctx context.Context, ev watch.Event, rescan func()) error {
	switch ev.Kind {
	case watch.Changed:
		return w.reconcilePaths(ctx, ev.Paths, rescan)
	case watch.Reconcile:
		paths, err := w.compareAll(ctx)
		if err != nil {
			return err
		}
		return w.look(ctx, paths)
	case watch.Suspended:
		w.Notice("the project folder is gone: watching is suspended; the history is untouched, and nothing counts as deleted")
		w.gone(true)
	case watch.Resumed:
		return w.back(ctx)
	case watch.Degraded:
		w.Notice(ev.Message)
	case watch.Restored:
		w.Notice("watching the whole folder again")
	}
	return nil
}

// gone notes that the folder is missing, or back. Typing is recorded meanwhile, and saved
// when the folder is back.
func (w *Watcher) gone(gone bool) {
	w.place.setGone(gone)
	w.open.Gone(gone)
}

// back continues with the folder that is there now: the project's own, or another one that
// the user accepted, whose differences count as other programs' changes.
func (w *Watcher) back(ctx context.Context) error {
	if errors.Is(w.Folder.CheckRoot(), workspace.ErrGone) {
		if err := w.place.renew(ctx); err != nil {
			return err
		}
	}
	w.Notice("the project folder is back")
	w.gone(false)
	return nil
}

// reconcilePaths compares some paths with the history.
func (w *Watcher) reconcilePaths(ctx context.Context, paths []string, rescan func()) error {
	if slices.ContainsFunc(paths, isIgnoreFile) {
		for _, name := range paths {
			w.Ignore.Invalidate(name)
		}
		w.open.HoldAgain(ctx)
		rescan() // newly visible files must be watched; a Reconcile follows
	}
	return w.look(ctx, paths)
}

// look records and merges the changes of some files, and of those that were missing before.
// The deletion of a file waits for renameTime: a new file with its content makes it a rename.
func (w *Watcher) look(ctx context.Context, paths []string) error {
	w.looking.Lock()
	defer w.looking.Unlock()
	if err := w.Folder.CheckRoot(); err != nil {
		w.missing = nil // suspended: the watcher notifies the user, and a Reconcile follows
		return nil
	}
	began := time.Now()
	missing, err := w.open.OutsideBut(ctx, w.andMissing(paths), func(name string) bool {
		until, again := w.missing[name]
		return !again || began.Before(until)
	})
	until := time.Now().Add(renameTime)
	next := make(map[string]time.Time, len(missing))
	for _, name := range missing {
		next[name] = until
		if earlier, again := w.missing[name]; again {
			next[name] = earlier
		}
	}
	w.missing = next
	return err
}

// andMissing adds the files that were missing at the last look.
func (w *Watcher) andMissing(paths []string) []string {
	if len(w.missing) == 0 {
		return paths
	}
	held := maps.Clone(w.missing)
	for _, name := range paths {
		delete(held, name)
	}
	return append(slices.Clone(paths), slices.Sorted(maps.Keys(held))...)
}

func isIgnoreFile(name string) bool {
	base := path.Base(name)
	return base == ".gitignore" || base == ".waferpairignore"
}

// Reconcile merges other programs' changes in the folder, whether it is watched or not. If
// the folder is missing or another one, it does nothing.
func (w *Watcher) Reconcile(ctx context.Context) error {
	if w.Folder.CheckRoot() != nil {
		return nil
	}
	return w.ReconcileAll(ctx)
}

// ReconcilePaths merges other programs' changes of some files.
func (w *Watcher) ReconcilePaths(ctx context.Context, paths []string) error {
	return w.open.Outside(ctx, paths)
}

// ReconcileAll compares the whole folder with the history.
func (w *Watcher) ReconcileAll(ctx context.Context) error {
	paths, err := w.compareAll(ctx)
	if err != nil {
		return err
	}
	return w.open.Outside(ctx, paths)
}

// compareAll lists the folder anew, and returns the files that differ from the history.
func (w *Watcher) compareAll(ctx context.Context) ([]string, error) {
	if err := w.Stored(); err != nil {
		return nil, err
	}
	paths, err := w.differing(ctx)
	if err == nil {
		w.open.Listed()
	}
	return paths, err
}
