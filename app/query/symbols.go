package query

import (
	"context"
	"runtime"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"

	"waferpair/app/fuzzy"
	"waferpair/history"
)

// symbols caches the symbols of all files.
type symbols struct {
	core Core

	mu    sync.Mutex
	files map[string]*fileSymbols
	order []string     // the files; symbols are numbered in this order
	ends  []int        // the last number of each file
	names []fuzzy.Name // of all symbols, with containers in front; nil until the first search

	version int64 // counts how often the symbols were replaced
	seen    Generation
}

// Symbols lists the declarations of one file, in order; or, with path "", those of the project
// that match the query, best first.
func (x *symbols) Symbols(ctx context.Context, query, path string, limit int) ([]Symbol, error) {
	if path == "" {
		return x.ofProject(ctx, query, limit)
	}
	b, err := x.core.Live.Read(path)
	if err != nil {
		return nil, err
	}
	return outline(path, b)
}

// Declared lists all declarations of the project, with their version; nothing, if that is still the
// one that the caller has. The first version is 1.
func (x *symbols) Declared(ctx context.Context, have int64) (list []Symbol, version int64, err error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if err := x.refresh(ctx); err != nil || x.version == have {
		return nil, have, err
	}
	list = make([]Symbol, x.count())
	for i := range list {
		list[i] = x.symbol(i)
	}
	return list, x.version, nil
}

// ofProject searches all files. The first call uses the outlines in the history and parses the
// other files; later calls parse changed files.
func (x *symbols) ofProject(ctx context.Context, query string, limit int) ([]Symbol, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if err := x.refresh(ctx); err != nil {
		return nil, err
	}
	if fuzzy.NewQuery(query).Empty() {
		out := make([]Symbol, max(0, min(limit, x.count())))
		for i := range out {
			out[i] = x.symbol(i)
		}
		return out, nil
	}
	x.name()
	hits, _ := fuzzy.Search(query, x.names, limit)
	out := make([]Symbol, len(hits))
	for i, h := range hits {
		out[i] = x.symbol(h.Index)
	}
	return out, nil
}

// count returns the number of symbols.
func (x *symbols) count() int {
	if len(x.ends) == 0 {
		return 0
	}
	return x.ends[len(x.ends)-1]
}

// symbol returns a symbol by number.
func (x *symbols) symbol(n int) Symbol {
	i, _ := slices.BinarySearch(x.ends, n+1)
	f := x.files[x.order[i]]
	return f.symbol(x.order[i], n-(x.ends[i]-len(f.rows)))
}

// fileSymbols are the symbols of a file at one version.
type fileSymbols struct {
	seen Stamp
	kept keptOutline // the packed form of rows
	rowed
	names []fuzzy.Name // a part of symbols.names
}

// size returns the number of the file's symbols.
func (f *fileSymbols) size() int { return max(len(f.rows), f.kept.n) }

// refresh reads the files again, unless nothing has changed: to ask each of ten thousand costs milliseconds.
func (x *symbols) refresh(ctx context.Context) error {
	seen := x.core.Live.Generation() // first: what changes from here on is for the next reader
	if x.files != nil && seen == x.seen {
		return nil
	}
	if err := x.reread(ctx); err != nil {
		return err
	}
	x.seen = seen
	return nil
}

// reread parses the files that have changed and drops those that are gone.
func (x *symbols) reread(ctx context.Context) error {
	files, err := x.core.Live.Files(ctx)
	if err != nil {
		return err
	}
	files = slices.DeleteFunc(files, func(f string) bool { return !hasOutline(f) })
	stamps := x.core.Live.Stamps(files)
	var stale []int
	now := make(map[string]*fileSymbols, len(files))
	for i, f := range files {
		if old := x.files[f]; old != nil && old.seen == stamps[i] {
			now[f] = old
		} else {
			stale = append(stale, i)
		}
	}
	if len(stale) == 0 && len(now) == len(x.files) {
		return nil
	}
	keep := x.core.keepingOutlines()
	if len(stale) >= recallFrom || x.files == nil {
		x.core.recall(ctx, files, stamps, stale, now)
	}
	read := make([]history.Outline, len(stale))
	for { // a second time if outlines turn out to be damaged
		fresh := make([]*fileSymbols, len(stale))
		if err := inStretches(ctx, len(stale), func(k int) {
			if i := stale[k]; now[files[i]] == nil {
				fresh[k], read[k] = x.core.symbolsOf(files[i], stamps[i])
			}
		}); err != nil { // the next reader goes on from there
			keep(slices.DeleteFunc(read, func(o history.Outline) bool { return o.Data == nil }))
			return err
		}
		for k, f := range fresh {
			if f != nil {
				now[files[stale[k]]] = f
			}
		}
		if x.set(files, now) {
			break
		}
	}
	keep(slices.DeleteFunc(read, func(o history.Outline) bool { return o.Data == nil }))
	return nil
}

// inStretches calls fn with all numbers below n, on all processors.
func inStretches(ctx context.Context, n int, fn func(int)) error {
	const stretch = 16
	var g errgroup.Group
	g.SetLimit(max(2, runtime.GOMAXPROCS(0)))
	for from := 0; from < n; from += stretch {
		g.Go(func() error {
			for i := from; i < min(n, from+stretch) && ctx.Err() == nil; i++ {
				fn(i)
			}
			return ctx.Err()
		})
	}
	return g.Wait()
}

// recallFrom is the least number of files for which asking the history is faster than parsing.
const recallFrom = 32

// recall fills in the outlines in the history of files that are not open and are on disk as history
// has them.
func (c Core) recall(ctx context.Context, files []string, stamps []Stamp, stale []int, into map[string]*fileSymbols) {
	if c.History == nil {
		return
	}
	last := make(map[history.Hash]int, len(stale)) // the last file with that content
	before := make([]int, len(files))              // the file before it; -1: none
	for _, i := range stale {
		if h, ok := stamps[i].recorded(); ok {
			before[i] = -1
			if other, same := last[h]; same {
				before[i] = other
			}
			last[h] = i
		}
	}
	all := make([]fileSymbols, 0, len(stale))
	var texts shelf
	// on any error the file is parsed
	_ = c.History.Outlines(ctx, outlineVersion(), func(h history.Hash, data []byte) {
		i, asked := last[h]
		if !asked || !intact(h, data) {
			return
		}
		for body := texts.put(data[outlineHead:]); i >= 0; i = before[i] {
			if into[files[i]] != nil { // from the row of another file with the same content
				continue
			}
			if kept, ok := opened(files[i], body); ok {
				all = append(all, fileSymbols{seen: stamps[i], kept: kept})
				into[files[i]] = &all[len(all)-1]
			}
		}
	})
}

// shelf stores texts one after the other, in few pieces of memory.
type shelf struct{ b strings.Builder }

// shelfSize is the size of a piece.
const shelfSize = 256 << 10

func (s *shelf) put(text []byte) string {
	if s.b.Cap()-s.b.Len() < len(text) { // the current piece keeps its texts
		s.b = strings.Builder{}
		s.b.Grow(max(shelfSize, len(text)))
	}
	from := s.b.Len()
	s.b.Write(text)
	return s.b.String()[from:]
}

// recorded returns the hash of a file's content; false unless the history has exactly that content,
// without masks.
func (s Stamp) recorded() (history.Hash, bool) {
	return s.Known.Disk, s.Buffer == nil && s.Known.Disk == s.Known.Head && !s.Known.Disk.IsZero()
}

// keepingOutlines is called before files are parsed, and returns a function that stores their
// outlines.
func (c Core) keepingOutlines() func([]history.Outline) {
	if c.History == nil {
		return func([]history.Outline) {}
	}
	return c.History.KeepingOutlines(outlineVersion())
}

// symbolsOf parses one file, and returns the outline that the history may store. A file that can no
// longer be read has no symbols.
func (c Core) symbolsOf(path string, stamp Stamp) (f *fileSymbols, o history.Outline) {
	f = &fileSymbols{seen: stamp}
	b, err := c.Live.Read(path)
	if err != nil {
		return f, o
	}
	list, err := outline(path, b)
	if err != nil {
		return f, o
	}
	f.rowed = rowsOf(list)
	if h, ok := stamp.recorded(); ok && h == history.HashBytes(b) { // the file may have changed meanwhile
		o.Path, o.Hash = path, h
		o.Data, _ = packed(h, path, list)
	}
	return f, o
}

// name prepares the symbols for searching; it reuses unchanged files.
func (x *symbols) name() {
	if len(x.names) == x.count() {
		return
	}
	x.names = make([]fuzzy.Name, x.count())
	// its only error is its context\'s, which never ends
	_ = inStretches(context.Background(), len(x.order), func(i int) {
		f, to := x.files[x.order[i]], x.ends[i]
		names := x.names[to-len(f.rows) : to : to]
		if f.names != nil {
			copy(names, f.names)
		} else {
			f.name(names)
		}
		f.names = names
	})
}

// set replaces the symbols of all files. If some outlines are damaged, it drops them and returns
// false; then their files must be parsed.
func (x *symbols) set(files []string, now map[string]*fileSymbols) bool {
	ends, at, packed := make([]int, len(files)), make([]int, len(files)), 0
	total := 0
	for i, path := range files {
		f := now[path]
		total += f.size()
		ends[i], at[i] = total, packed
		packed += f.kept.n
	}
	rows := make([]row, packed) // for all files that are still packed
	damaged := make([]bool, len(files))
	// its only error is its context's, which never ends
	_ = inStretches(context.Background(), len(files), func(i int) {
		if f := now[files[i]]; f.kept.n > 0 {
			into := rows[at[i] : at[i]+f.kept.n : at[i]+f.kept.n]
			damaged[i] = !f.kept.unpack(into)
			f.rowed, f.kept = rowed{f.kept.text, into}, keptOutline{}
		}
	})
	for i, bad := range damaged {
		if bad {
			delete(now, files[i])
		}
	}
	if len(now) < len(files) {
		return false
	}
	x.files, x.order, x.ends, x.names = now, files, ends, nil
	x.version++
	return true
}
