package spark

import (
	"slices"
	"sync"

	"waferpair/engine/model"
	"waferpair/engine/spark/link"
)

// tables keeps the newest symbol tables: to index a hundred thousand symbols takes a good part of a
// second, and the composer asks at every pause.
type tables struct {
	mu   sync.Mutex
	kept []keptTable // of the projects that were asked about last, the newest last
}

// mostTables is how many projects have their table kept.
const mostTables = 3

type keptTable struct {
	root    string
	symbols []model.Symbol
	files   []string
	table   *link.Table
}

// of returns the table of a project. A SymbolSource returns the same slice as long as nothing changed,
// so that the slice stands for the version.
func (t *tables) of(root string, symbols []model.Symbol, files []string) *link.Table {
	t.mu.Lock()
	defer t.mu.Unlock()
	i := slices.IndexFunc(t.kept, func(k keptTable) bool { return k.root == root })
	if i >= 0 && same(t.kept[i].symbols, symbols) && slices.Equal(t.kept[i].files, files) {
		return t.kept[i].table
	}
	if i >= 0 {
		t.kept = slices.Delete(t.kept, i, i+1)
	} else if len(t.kept) == mostTables {
		t.kept = slices.Delete(t.kept, 0, 1)
	}
	k := keptTable{root, symbols, files, tableOf(symbols, files)}
	t.kept = append(t.kept, k)
	return k.table
}

// same reports whether two slices are one.
func same(a, b []model.Symbol) bool {
	return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0])
}
