package watch

import (
	"maps"
	"slices"
	"sync"
	"time"
)

// box collects changed paths and directories to walk. Adding to it never blocks, and both
// sets collapse into "everything" when they grow too large.
type box struct {
	wake chan struct{} // new changes, or a new limit
	work chan struct{} // directories to walk

	mu       sync.Mutex
	dirty    map[string]struct{}
	all      bool // the dirty paths are incomplete: everything may have changed
	burst    bool // because there were too many
	err      error
	visit    map[string]struct{} // paths where a directory may have appeared or disappeared
	visitAll bool
	visitErr error // the cause of visitAll
	limited  error
}

// maxPaths bounds both sets. From about here on, checking everything costs the consumer no
// more than checking each path.
const maxPaths = 8192

func newBox() *box {
	b := &box{wake: make(chan struct{}, 1), work: make(chan struct{}, 1)}
	b.clear()
	return b
}

func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// clear drops everything.
func (b *box) clear() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.dirty, b.visit = map[string]struct{}{}, map[string]struct{}{}
	b.all, b.burst, b.visitAll = false, false, false
	b.err, b.visitErr, b.limited = nil, nil, nil
}

// touch adds paths that may have changed.
func (b *box) touch(paths ...string) {
	if len(paths) == 0 {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, p := range paths {
		if b.all {
			break
		}
		b.dirty[p] = struct{}{}
		if len(b.dirty) > maxPaths {
			b.setAll(nil)
			b.burst = true
		}
	}
	signal(b.wake)
}

// overflow records that changes may have been missed.
func (b *box) overflow(err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.setAll(err)
	signal(b.wake)
}

func (b *box) setAll(err error) {
	b.all = true
	b.dirty = map[string]struct{}{}
	if b.err == nil {
		b.err = err
	}
}

// has reports whether path will be reported anyway.
func (b *box) has(path string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	_, ok := b.dirty[path]
	return ok || b.all
}

// delay returns how long to wait before reporting. In a burst it is longer, because a
// Reconcile is expensive and should happen once.
func (b *box) delay(debounce time.Duration) time.Duration {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.burst {
		return 10 * debounce
	}
	return debounce
}

// drain removes and returns the changes to report.
func (b *box) drain() (paths []string, all bool, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	paths, all, err = slices.Sorted(maps.Keys(b.dirty)), b.all, b.err
	b.dirty, b.all, b.burst, b.err = map[string]struct{}{}, false, false, nil
	return paths, all, err
}

// requestVisit makes the walker visit path.
func (b *box) requestVisit(path string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.visitAll {
		b.visit[path] = struct{}{}
		b.visitAll = len(b.visit) > maxPaths
	}
	signal(b.work)
}

// requestFullVisit makes the walker visit the whole tree.
func (b *box) requestFullVisit(err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.visitAll = true
	if b.visitErr == nil {
		b.visitErr = err
	}
	signal(b.work)
}

// drainWork removes and returns the paths to walk: shallow paths first.
func (b *box) drainWork() (paths []string, all bool, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	paths, all, err = slices.Sorted(maps.Keys(b.visit)), b.visitAll, b.visitErr
	b.visit, b.visitAll, b.visitErr = map[string]struct{}{}, false, nil
	return paths, all, err
}

// setLimit sets why not everything is watched; nil: everything is.
func (b *box) setLimit(err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.limited = err
	signal(b.wake)
}

func (b *box) limit() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.limited
}
