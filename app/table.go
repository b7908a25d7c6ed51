package app

import (
	"maps"
	"slices"
	"strings"

	"waferpair/app/live"
	"waferpair/history"
)

// table says which files are open, and which running turn has which. Asking it never
// means to wait. What is put there or taken away is under the lock of its file too.
type table struct {
	mu    ordered
	docs  map[string]*live.Document
	typed map[*live.Document]bool   // with something that is not recorded, for the autosaver
	taken map[string]history.TurnID // see hold
}

func newTable() table {
	return table{mu: ordered{rank: tableRank}, docs: map[string]*live.Document{}, typed: map[*live.Document]bool{},
		taken: map[string]history.TurnID{}}
}

// at is the open document of a path; nil: none.
func (t *table) at(path string) *live.Document {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.docs[path]
}

// all are the open documents, by path, as they are now.
func (t *table) all() map[string]*live.Document {
	t.mu.Lock()
	defer t.mu.Unlock()
	return maps.Clone(t.docs)
}

// find is the path of an open document that is so; false: none. It is asked for what may
// be looked at without the lock of the file.
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

// pathOf is where an open document is now; false when it is not open any more.
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

// rename gives a document another name. A turn that has it keeps it: it then has both
// names, so that nobody else makes another file under the old one meanwhile.
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

// typing are the documents with something that is not recorded, by path.
func (t *table) typing() []*live.Document {
	t.mu.Lock()
	defer t.mu.Unlock()
	// closed: all of it is recorded
	maps.DeleteFunc(t.typed, func(d *live.Document, _ bool) bool { return t.docs[d.Path] != d })
	return slices.SortedFunc(maps.Keys(t.typed), func(a, b *live.Document) int { return strings.Compare(a.Path, b.Path) })
}

// types notes that there is something in a document that is not recorded, or nothing any more.
func (t *table) types(d *live.Document, typed bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if typed {
		t.typed[d] = true
	} else {
		delete(t.typed, d)
	}
}

// turnOf is the running turn that has a file; 0: none.
func (t *table) turnOf(path string) history.TurnID {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.taken[path]
}

// takenBy are the files that a turn has.
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

// take makes a file a turn's, unless another one has it or it is not free otherwise,
// and says which turn had it before.
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

// ifNoneTaken does something while no turn takes a file, with who has which.
func (t *table) ifNoneTaken(do func(taken map[string]history.TurnID) error) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	return do(t.taken)
}

// give gives a file back.
func (t *table) give(path string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.taken, path)
}
