package app

import (
	"maps"
	"slices"
	"strings"

	"waferpair/app/live"
	"waferpair/history"
)

// table knows the open files, and the running turn that has claimed each. Its methods
// never wait. Callers hold the lock of a file while they add or remove it.
type table struct {
	mu    ordered
	docs  map[string]*live.Document
	typed map[*live.Document]bool   // documents with unrecorded changes, for the autosaver
	taken map[string]history.TurnID // see hold
}

func newTable() table {
	return table{mu: ordered{rank: tableRank}, docs: map[string]*live.Document{}, typed: map[*live.Document]bool{},
		taken: map[string]history.TurnID{}}
}

// at returns the open document of a path; nil: none.
func (t *table) at(path string) *live.Document {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.docs[path]
}

// all returns the open documents, by path.
func (t *table) all() map[string]*live.Document {
	t.mu.Lock()
	defer t.mu.Unlock()
	return maps.Clone(t.docs)
}

// find returns the path of an open document for which is returns true; false: none. is
// must read only what needs no file lock.
func (t *table) find(is func(*live.Document) bool) (string, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for path, d := range t.docs {
		if is(d) {
			return path, true
		}
	}
	return "", false
}

// pathOf returns the current path of a document; false when it is no longer open.
func (t *table) pathOf(d *live.Document) (string, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return d.Path, t.docs[d.Path] == d
}

func (t *table) put(d *live.Document) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.docs[d.Path] = d
}

func (t *table) drop(d *live.Document) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.docs[d.Path] == d {
		delete(t.docs, d.Path)
	}
}

// rename gives a document another path. A turn that has claimed the file then has both
// paths, so that nobody creates another file under the old one meanwhile.
func (t *table) rename(d *live.Document, to string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.docs, d.Path)
	if turn := t.taken[d.Path]; turn != 0 {
		t.taken[to] = turn
	}
	d.Path = to
	t.docs[to] = d
}

// typing lists the documents with unrecorded changes, by path.
func (t *table) typing() []*live.Document {
	t.mu.Lock()
	defer t.mu.Unlock()
	// closed documents have everything recorded
	maps.DeleteFunc(t.typed, func(d *live.Document, _ bool) bool { return t.docs[d.Path] != d })
	return slices.SortedFunc(maps.Keys(t.typed), func(a, b *live.Document) int { return strings.Compare(a.Path, b.Path) })
}

// types notes whether a document has unrecorded changes.
func (t *table) types(d *live.Document, typed bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if typed {
		t.typed[d] = true
	} else {
		delete(t.typed, d)
	}
}

// turnOf returns the running turn that has claimed a file; 0: none.
func (t *table) turnOf(path string) history.TurnID {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.taken[path]
}

// takenBy lists the files that a turn has claimed.
func (t *table) takenBy(turn history.TurnID) (paths []string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for path, by := range t.taken {
		if by == turn {
			paths = append(paths, path)
		}
	}
	slices.Sort(paths)
	return paths
}

// take claims a file for a turn, unless another turn has it or free returns an error. It
// returns the turn that had the file before.
func (t *table) take(path string, turn history.TurnID, free func() error) (had history.TurnID, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if had = t.taken[path]; had != 0 && had != turn {
		return had, nil
	}
	if err = free(); err == nil {
		t.taken[path] = turn
	}
	return had, err
}

// ifNoneTaken calls do with the claims, while no turn can claim a file.
func (t *table) ifNoneTaken(do func(taken map[string]history.TurnID) error) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	return do(t.taken)
}

// give releases a claimed file.
func (t *table) give(path string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.taken, path)
}
