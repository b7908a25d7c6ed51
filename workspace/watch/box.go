package watch

import (
	"maps"
	"slices"
	"sync"
	"time"
)

// A box gathers what is to be told and what is to be walked. Nobody waits at it,
// and both sets collapse into "everything" when they grow too large.
type box struct {
	wake chan struct{} // something to tell, or a new limit
	work chan struct{} // something to walk

	mu       sync.Mutex
	dirty    map[string]struct{}
	all      bool // the dirty paths are not enough: everything
	burst    bool // because there were too many
	err      error
	visit    map[string]struct{} // paths where a directory may have come or gone
	visitAll bool
	visitErr error // why
	limited  error
}

// maxPaths bounds both sets. From about here on, looking at everything costs the
// consumer no more than looking at each path.
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

// clear forgets everything.
func (b *box) clear() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.dirty, b.visit = map[string]struct{}{}, map[string]struct{}{}
	b.all, b.burst, b.visitAll = false, false, false
	b.err, b.visitErr, b.limited = nil, nil, nil
}

// touch says that paths may have changed.
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

// overflow says that changes may have gone unnoticed.
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

// has tells whether path is to be told anyway.
func (b *box) has(path string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	_, ok := b.dirty[path]
	return ok || b.all
}

// delay is how long to wait before telling. In a burst we wait longer, because
// what is told then is expensive and better told once.
func (b *box) delay(debounce time.Duration) time.Duration {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.burst {
		return 10 * debounce
	}
	return debounce
}

// take empties the part that is to be told.
func (b *box) take() (paths []string, all bool, err error) {
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

// requestFullVisit makes the walker go over the whole tree.
func (b *box) requestFullVisit(err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.visitAll = true
	if b.visitErr == nil {
		b.visitErr = err
	}
	signal(b.work)
}

// takeWork empties the part that is to be walked: shallow paths first.
func (b *box) takeWork() (paths []string, all bool, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	paths, all, err = slices.Sorted(maps.Keys(b.visit)), b.visitAll, b.visitErr
	b.visit, b.visitAll, b.visitErr = map[string]struct{}{}, false, nil
	return paths, all, err
}

// setLimit says why not everything is watched; nil: everything is.
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
