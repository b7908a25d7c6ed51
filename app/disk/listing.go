package disk

import (
	"slices"
	"strings"
	"sync"

	"waferpair/history"
)

// Listing is the project's files in their last known state. It is safe for concurrent use.
type Listing struct {
	mu      sync.Mutex
	files   []string // tracked text files, sorted
	known   map[string]history.FileState
	changes int64
}

// Version is another number after each change.
func (l *Listing) Version() int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.changes
}

// Set replaces the listing with the result of a scan, and takes ownership of both arguments.
func (l *Listing) Set(files []string, known map[string]history.FileState) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.changes++
	l.files, l.known = files, known
}

// Learn adds what history has of listed files of which nothing was known.
func (l *Listing) Learn(states map[string]history.FileState) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.changes++
	if l.known == nil {
		l.known = map[string]history.FileState{}
	}
	for _, name := range l.files {
		_, known := l.known[name]
		if st, is := states[name]; is && !known {
			l.known[name] = st
		}
	}
}

// All lists the files. The caller owns the list.
func (l *Listing) All() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.files)
}

// Below adds the known files below each path, because a path may have been a folder that
// another program removed or replaced.
func (l *Listing) Below(paths []string) []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	out := slices.Clone(paths)
	for _, name := range paths {
		i, _ := slices.BinarySearch(l.files, name+"/")
		for ; i < len(l.files) && strings.HasPrefix(l.files[i], name+"/"); i++ {
			out = append(out, l.files[i])
		}
	}
	return out
}

// State returns the last known state of a file; false for an unknown file.
func (l *Listing) State(path string) (history.FileState, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	st, ok := l.known[path]
	return st, ok
}

// Head returns the hash that history last had of a file; zero for none.
func (l *Listing) Head(path string) history.Hash {
	st, _ := l.State(path)
	return st.Head
}

// Disk returns the hash that the disk last had of a file; zero for none.
func (l *Listing) Disk(path string) history.Hash {
	st, _ := l.State(path)
	return st.Disk
}

// Know sets the version that history and disk have of a file that is not open.
func (l *Listing) Know(path string, h history.Hash) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.changes++
	if l.known == nil {
		l.known = map[string]history.FileState{}
	}
	st := l.known[path]
	st.Head, st.Disk = h, h
	l.known[path] = st
}

// Has reports whether a file is known and listed.
func (l *Listing) Has(name string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	_, known := l.known[name]
	_, found := slices.BinarySearch(l.files, name)
	return known && found
}

// Add adds a file.
func (l *Listing) Add(name string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.changes++
	if i, found := slices.BinarySearch(l.files, name); !found {
		l.files = slices.Insert(l.files, i, name)
	}
}

// Drop removes files that are gone, or not text.
func (l *Listing) Drop(names ...string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.changes++
	if len(names) == 1 {
		if i, found := slices.BinarySearch(l.files, names[0]); found {
			l.files = slices.Delete(l.files, i, i+1)
		}
		return
	}
	out := make(map[string]bool, len(names))
	for _, name := range names {
		out[name] = true
	}
	l.files = slices.DeleteFunc(l.files, func(name string) bool { return out[name] })
}
