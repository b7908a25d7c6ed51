package app

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
)

// Each file has a lock of its own, whether it is open or not: it guards the document
// that is open of it, and which one that is. So it also keeps two from opening a file
// at once, and its place in the order stays when a file is renamed. Whoever works on
// several files takes their locks at once, in the order of their paths; one that turns
// out to be needed meanwhile is asked for by *unheld, and all is begun anew. A lock may
// be taken while one of those above it is held, and no other:
//
//	saving      a save, and whoever must not meet one         saver
//	  batch       what the folder writes at once              workspace.Folder
//	    files       of some files, or of all                  fileLocks
//	      table       what is open, and who has it            table
//	        leaves      buffers, claims, listing, history: they take no other
//
// With -race, taking one out of that order is a panic (lockorder_race.go).
//
// All files at once are held by what is about the whole project: another fork, a purge,
// the end of a stall. It waits for everybody who holds a file, and everybody who comes
// then for it: so it takes saving first, where who works on several files is waited for.
// Everything else waits for the files that it is about, and for no other. The autosaver,
// pages and readers do not even wait for these, see tryWith, Show and table.
type fileLocks struct {
	all  sync.RWMutex // held for reading by whoever holds a file
	mu   sync.Mutex
	list map[string]*fileLock
}

// fileLock is the lock of one file.
type fileLock struct {
	sync.Mutex
	users int // who holds it or waits for it; fileLocks.mu guards it
}

// lockSet are the locks of some files, in the order of their paths.
type lockSet struct {
	locks    *fileLocks
	paths    []string
	all      bool
	appended int // how many operations were recorded meanwhile, by who holds them
}

// lock waits for some files.
func (l *fileLocks) lock(paths []string) *lockSet {
	h := &lockSet{locks: l, paths: slices.Compact(slices.Sorted(slices.Values(paths)))}
	takes(filesRank)
	l.all.RLock()
	for _, path := range h.paths {
		l.of(path).Lock()
	}
	return h
}

// try takes a file, unless that would mean to wait: then it is nil.
func (l *fileLocks) try(path string) *lockSet {
	if !l.all.TryRLock() {
		return nil
	}
	if !l.of(path).TryLock() {
		l.leave(path)
		l.all.RUnlock()
		return nil
	}
	takes(filesRank)
	return &lockSet{locks: l, paths: []string{path}}
}

// lockAll waits for all files.
func (l *fileLocks) lockAll() *lockSet {
	takes(filesRank)
	l.all.Lock()
	return &lockSet{locks: l, all: true}
}

// of is the lock of a file, which leave gives back.
func (l *fileLocks) of(path string) *fileLock {
	l.mu.Lock()
	defer l.mu.Unlock()
	one := l.list[path]
	if one == nil {
		if l.list == nil {
			l.list = map[string]*fileLock{}
		}
		one = &fileLock{}
		l.list[path] = one
	}
	one.users++
	return one
}

func (l *fileLocks) leave(path string) *fileLock {
	l.mu.Lock()
	defer l.mu.Unlock()
	one := l.list[path]
	if one.users--; one.users == 0 {
		delete(l.list, path)
	}
	return one
}

func (h *lockSet) unlock() {
	defer gives(filesRank)
	if h.all {
		h.locks.all.Unlock()
		return
	}
	for _, path := range slices.Backward(h.paths) {
		h.locks.leave(path).Unlock()
	}
	h.locks.all.RUnlock()
}

// has reports whether the lock of a file is among them.
func (h *lockSet) has(path string) bool {
	if h == nil || h.all {
		return h != nil
	}
	_, found := slices.BinarySearch(h.paths, path)
	return found
}

// missingLocks asks for the locks of files that turned out to be needed.
type missingLocks struct{ paths []string }

func (e *missingLocks) Error() string {
	return fmt.Sprintf("%s: somebody works on it", strings.Join(e.paths, ", "))
}

type lockSetKey struct{}

// locksOf are the locks that whoever works with a context holds; nil: none.
func locksOf(ctx context.Context) *lockSet {
	h, _ := ctx.Value(lockSetKey{}).(*lockSet)
	return h
}

// needs asks for the locks of files that are not held. Whoever calls it, or opens a
// file, has changed nothing by then.
func needs(ctx context.Context, paths ...string) error {
	h := locksOf(ctx)
	missing := slices.DeleteFunc(slices.Clone(paths), h.has)
	if len(missing) > 0 {
		return &missingLocks{missing}
	}
	return nil
}

// during does something with the locks, and gives them back.
func (h *lockSet) during(ctx context.Context, do func(context.Context) error) error {
	defer h.unlock()
	return do(context.WithValue(ctx, lockSetKey{}, h))
}
