package app

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
)

// Each file has its own lock, whether it is open or not. The lock guards the document
// that is open of the file, and the choice of that document: so no two can open a file at
// once, and the lock keeps its place in the order when the file is renamed. Whoever works
// on several files takes their locks at once, in the order of their paths. If another one
// turns out to be needed, *missingLocks asks for it, and the work starts over. While a
// lock is held, only those below it here may be taken:
//
//	saving      a save, and whatever must not meet one        saver
//	  batch       the files that the folder writes at once    workspace.Folder
//	    files       some files, or all                        fileLocks
//	      table       open files and their claims             table
//	        leaves      buffers, claims, listing, history: they take no other
//
// With -race, taking one out of order panics (lockorder_race.go).
//
// Work on the whole project holds all files at once: switching forks, a purge, the end of
// a stall. It waits for everybody who holds a file, and everybody who comes later waits
// for it. So it takes saving first, where it waits for whoever works on several files.
// Everything else waits only for the files it works on. The autosaver, pages and readers
// do not wait even for these, see tryWith, Show and table.
type fileLocks struct {
	all  sync.RWMutex // held for reading by whoever holds a file
	mu   sync.Mutex
	list map[string]*fileLock
}

// fileLock is the lock of one file.
type fileLock struct {
	sync.Mutex
	users int // the number of holders and waiters; guarded by fileLocks.mu
}

// lockSet is a set of held file locks, in the order of their paths.
type lockSet struct {
	locks    *fileLocks
	paths    []string
	all      bool
	appended int // the number of operations that the holder recorded meanwhile
}

// lock takes the locks of some files; it waits for them.
func (l *fileLocks) lock(paths []string) *lockSet {
	h := &lockSet{locks: l, paths: slices.Compact(slices.Sorted(slices.Values(paths)))}
	takes(filesRank)
	l.all.RLock()
	for _, path := range h.paths {
		l.of(path).Lock()
	}
	return h
}

// try takes the lock of a file if that needs no waiting; otherwise it returns nil.
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

// lockAll takes all files; it waits for them.
func (l *fileLocks) lockAll() *lockSet {
	takes(filesRank)
	l.all.Lock()
	return &lockSet{locks: l, all: true}
}

// of returns the lock of a file, and counts a user of it; leave releases it.
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

// has reports whether the set contains the lock of a file.
func (h *lockSet) has(path string) bool {
	if h == nil || h.all {
		return h != nil
	}
	_, found := slices.BinarySearch(h.paths, path)
	return found
}

// missingLocks asks for the locks of further files.
type missingLocks struct{ paths []string }

func (e *missingLocks) Error() string {
	return fmt.Sprintf("%s: somebody works on it", strings.Join(e.paths, ", "))
}

type lockSetKey struct{}

// locksOf returns the locks that the work under a context holds; nil: none.
func locksOf(ctx context.Context) *lockSet {
	h, _ := ctx.Value(lockSetKey{}).(*lockSet)
	return h
}

// needs returns *missingLocks for files whose locks are not held. It is called before
// anything is changed.
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
