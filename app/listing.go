package app

import (
	"slices"
	"strings"
	"sync"

	"waferpair/history"
)

// listing is the files of the project as they were seen last. It is safe for
// concurrent use.
type listing struct {
	mu    sync.Mutex
	files []string // text files that are kept, sorted
	known map[string]history.FileState
}

// set takes the outcome of a look through the folder, which is its own from here on.
func (l *listing) set(files []string, known map[string]history.FileState) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.files, l.known = files, known
}

// all lists the files. The list is the caller's own.
func (l *listing) all() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.files)
}

// below adds the known files below each path: what was a directory may be gone, or
// a file, or another directory.
func (l *listing) below(paths []string) []string {
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

// state is what history and disk had of a file; false for one that was not seen.
func (l *listing) state(path string) (history.FileState, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	st, ok := l.known[path]
	return st, ok
}

// head is what history had of a file; zero where it had none.
func (l *listing) head(path string) history.Hash {
	st, _ := l.state(path)
	return st.Head
}

// disk is what was on disk of a file; zero where there was none.
func (l *listing) disk(path string) history.Hash {
	st, _ := l.state(path)
	return st.Disk
}

// know remembers that history and disk have this version of a file that is not open.
func (l *listing) know(path string, h history.Hash) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.known == nil {
		l.known = map[string]history.FileState{}
	}
	st := l.known[path]
	st.Head, st.Disk = h, h
	l.known[path] = st
}

// has reports whether a file is known, and among the files of the project.
func (l *listing) has(name string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	_, known := l.known[name]
	_, found := slices.BinarySearch(l.files, name)
	return known && found
}

// add adds a file to the list.
func (l *listing) add(name string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if i, found := slices.BinarySearch(l.files, name); !found {
		l.files = slices.Insert(l.files, i, name)
	}
}

// drop takes files from the list that are gone, or not text.
func (l *listing) drop(names ...string) {
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
