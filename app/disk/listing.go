package disk

import (
	"slices"
	"strings"
	"sync"

	"waferpair/history"
)

// Listing is the files of the project as they were seen last. It is safe for
// concurrent use.
type Listing struct {
	mu    sync.Mutex
	files []string // text files that are kept, sorted
	known map[string]history.FileState
}

// Set takes the outcome of a look through the folder, which is its own from here on.
func (l *Listing) Set(files []string, known map[string]history.FileState) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.files, l.known = files, known
}

// All lists the files. The list is the caller's own.
func (l *Listing) All() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.files)
}

// Below adds the known files below each path: what was a directory may be gone, or
// a file, or another directory.
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

// State is what history and disk had of a file; false for one that was not seen.
func (l *Listing) State(path string) (history.FileState, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	st, ok := l.known[path]
	return st, ok
}

// Head is what history had of a file; zero where it had none.
func (l *Listing) Head(path string) history.Hash {
	st, _ := l.State(path)
	return st.Head
}

// Disk is what was on disk of a file; zero where there was none.
func (l *Listing) Disk(path string) history.Hash {
	st, _ := l.State(path)
	return st.Disk
}

// Know remembers that history and disk have this version of a file that is not open.
func (l *Listing) Know(path string, h history.Hash) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.known == nil {
		l.known = map[string]history.FileState{}
	}
	st := l.known[path]
	st.Head, st.Disk = h, h
	l.known[path] = st
}

// Has reports whether a file is known, and among the files of the project.
func (l *Listing) Has(name string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	_, known := l.known[name]
	_, found := slices.BinarySearch(l.files, name)
	return known && found
}

// Add adds a file to the list.
func (l *Listing) Add(name string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if i, found := slices.BinarySearch(l.files, name); !found {
		l.files = slices.Insert(l.files, i, name)
	}
}

// Drop takes files from the list that are gone, or not text.
func (l *Listing) Drop(names ...string) {
	l.mu.Lock()
	defer l.mu.Unlock()
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
