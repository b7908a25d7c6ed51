package disk

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"sync/atomic"

	"waferpair/workspace"
	"waferpair/workspace/watch"
)

// OpenFiles is what a Watcher needs of the files that are open, and of what is to
// become of them.
type OpenFiles interface {
	// Outside takes in what other programs made of some files, open or not.
	Outside(ctx context.Context, paths []string) error
	// HoldAgain closes the open files that the rules for what is kept changed for.
	HoldAgain(context.Context)
	// Gone is told that the folder went, or is back.
	Gone(gone bool)
	// Listed is told that other files may be there than before.
	Listed()
}

// Watcher takes in what other programs do in the folder while it is open.
type Watcher struct {
	*Recovery
	open    OpenFiles
	running atomic.Int32 // how many Watch calls are under way
}

// NewWatcher is the watcher of a project.
func NewWatcher(r *Recovery, open OpenFiles) *Watcher { return &Watcher{Recovery: r, open: open} }

// Watching reports whether the folder is watched.
func (w *Watcher) Watching() bool { return w.running.Load() > 0 }

// Watch keeps history and the open files in step with what other programs do
// in the folder, until ctx ends; while nothing can be recorded, only the open
// files. It returns when watching cannot start.
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
	for {
		select {
		case <-ctx.Done():
			return
		case ev, ok := <-events.Events():
			if !ok {
				return
			}
			if err := w.Handle(ctx, ev, events.Rescan); err != nil && ctx.Err() == nil {
				w.Notice(fmt.Sprintf("merge other programs' changes: %v", err))
			}
		}
	}
}

// Handle takes in one event. Where other files are to be watched then, it calls
// rescan.
func (w *Watcher) Handle(ctx context.Context, ev watch.Event, rescan func()) error {
	switch ev.Kind {
	case watch.Changed:
		return w.reconcilePaths(ctx, ev.Paths, rescan)
	case watch.Reconcile:
		return w.ReconcileAll(ctx)
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

// gone says that the folder went, or is back. What is typed meanwhile is recorded,
// and saved when the folder is back.
func (w *Watcher) gone(gone bool) {
	w.place.setGone(gone)
	w.open.Gone(gone)
}

// back goes on with the folder that is there now: the one that was away, or another
// one in its place that the user wants used, whose files count as changed outside.
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

// reconcilePaths compares some paths with what history knows of them.
func (w *Watcher) reconcilePaths(ctx context.Context, paths []string, rescan func()) error {
	if slices.ContainsFunc(paths, isIgnoreFile) {
		for _, name := range paths {
			w.Ignore.Invalidate(name)
		}
		w.open.HoldAgain(ctx)
		rescan() // what is visible now must be watched; a Reconcile follows
	}
	if err := w.Folder.CheckRoot(); err != nil {
		return nil // suspended: the watcher says so
	}
	return w.open.Outside(ctx, paths)
}

func isIgnoreFile(name string) bool {
	base := path.Base(name)
	return base == ".gitignore" || base == ".waferpairignore"
}

// Reconcile takes in what other programs did in the folder, whether it is watched or not.
// While the folder is away, or another one, there is nothing to take in.
func (w *Watcher) Reconcile(ctx context.Context) error {
	if w.Folder.CheckRoot() != nil {
		return nil
	}
	return w.ReconcileAll(ctx)
}

// ReconcilePaths takes in what other programs made of some files.
func (w *Watcher) ReconcilePaths(ctx context.Context, paths []string) error {
	return w.open.Outside(ctx, paths)
}

// ReconcileAll compares the whole folder with what history knows.
func (w *Watcher) ReconcileAll(ctx context.Context) error {
	if err := w.Stored(); err != nil {
		return err
	}
	paths, err := w.differing(ctx)
	if err != nil {
		return err
	}
	w.open.Listed()
	return w.open.Outside(ctx, paths)
}
