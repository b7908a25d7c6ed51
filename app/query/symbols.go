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

// symbols are those of all files.
type symbols struct {
	core Core

	mu    sync.Mutex
	files map[string]*fileSymbols
	all   []Symbol
	order []string     // the files, as their symbols stand in all
	names []fuzzy.Name // of all, containers in front; nil until something is searched
}

// Symbols lists what one file declares, in its order; or, with path "", what the
// project declares that fits the query, best first.
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

// ofProject searches all files. The first call takes what the history keeps of
// them and reads the others; later ones read what has changed.
func (x *symbols) ofProject(ctx context.Context, query string, limit int) ([]Symbol, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if err := x.refresh(ctx); err != nil {
		return nil, err
	}
	if fuzzy.NewQuery(query).Empty() {
		return slices.Clone(x.all[:max(0, min(limit, len(x.all)))]), nil
	}
	x.name()
	hits, _ := fuzzy.Search(query, x.names, limit)
	out := make([]Symbol, len(hits))
	for i, h := range hits {
		out[i] = x.all[h.Index]
	}
	return out, nil
}

// fileSymbols are the symbols of a file, as of a version of it: stretches of those
// of all, once they are among them.
type fileSymbols struct {
	seen    Stamp
	kept    keptOutline // what they are unpacked from
	symbols []Symbol
	names   []fuzzy.Name
}

// refresh reads the files that have changed and forgets those that are gone.
func (x *symbols) refresh(ctx context.Context) error {
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
	for { // once more for outlines that turn out to be damaged
		fresh := make([]*fileSymbols, len(stale))
		if err := inStretches(ctx, len(stale), func(k int) {
			if i := stale[k]; now[files[i]] == nil {
				fresh[k], read[k] = x.core.symbolsOf(files[i], stamps[i])
			}
		}); err != nil {
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

// recallFrom is for how many files the history is asked: fewer are read sooner.
const recallFrom = 32

// recall fills in what the history keeps of files that are not open and are on
// disk as history has them.
func (c Core) recall(ctx context.Context, files []string, stamps []Stamp, stale []int, into map[string]*fileSymbols) {
	if c.History == nil {
		return
	}
	by := make(map[history.Hash][]int, len(stale))
	for _, i := range stale {
		if h, ok := stamps[i].recorded(); ok {
			by[h] = append(by[h], i)
		}
	}
	_ = c.History.Outlines(ctx, outlineVersion(), func(h history.Hash, data []byte) { // what cannot be had is read from the file
		for _, i := range by[h] {
			if kept, ok := opened(h, files[i], data); ok {
				into[files[i]] = &fileSymbols{seen: stamps[i], kept: kept}
			}
		}
	})
}

// recorded is the hash of a file's content; false unless the history has that
// content, no more and no less: nothing in it is masked.
func (s Stamp) recorded() (history.Hash, bool) {
	return s.Known.Disk, s.Buffer == nil && s.Known.Disk == s.Known.Head && !s.Known.Disk.IsZero()
}

// keepingOutlines is called before files are read, and returns how to keep what is
// found in them.
func (c Core) keepingOutlines() func([]history.Outline) {
	if c.History == nil {
		return func([]history.Outline) {}
	}
	return c.History.KeepingOutlines(outlineVersion())
}

// symbolsOf reads one file, and says what the history may keep of it. One that
// cannot be read any more has no symbols.
func (c Core) symbolsOf(path string, stamp Stamp) (f *fileSymbols, o history.Outline) {
	f = &fileSymbols{seen: stamp}
	b, err := c.Live.Read(path)
	if err != nil {
		return f, o
	}
	if f.symbols, err = outline(path, b); err != nil {
		return f, o
	}
	if h, ok := stamp.recorded(); ok && h == history.HashBytes(b) { // it may have changed since
		o.Path, o.Hash = path, h
		o.Data, _ = packed(h, path, f.symbols)
	}
	return f, o
}

// settle moves the symbols to where they stand among all. It is false when they turn out to be damaged.
func (f *fileSymbols) settle(path string, symbols []Symbol) bool {
	if f.kept.n > 0 {
		if !f.kept.unpack(path, symbols) {
			return false
		}
		f.kept = keptOutline{}
	} else {
		copy(symbols, f.symbols)
	}
	f.symbols = symbols
	return true
}

// name prepares the symbols for searching, but for those of files that were before.
func (x *symbols) name() {
	if len(x.names) == len(x.all) {
		return
	}
	ends, total := make([]int, len(x.order)), 0
	for i, f := range x.order {
		total += len(x.files[f].symbols)
		ends[i] = total
	}
	x.names = make([]fuzzy.Name, total)
	// its only error is its context's, which never ends
	_ = inStretches(context.Background(), len(x.order), func(i int) {
		f, to := x.files[x.order[i]], ends[i]
		names := x.names[to-len(f.symbols) : to : to]
		if f.names != nil {
			copy(names, f.names)
		} else {
			nameSymbols(names, f.symbols)
		}
		f.names = names
	})
}

// nameSymbols makes the names under which the symbols are searched, their containers
// in front, of one piece of memory.
func nameSymbols(into []fuzzy.Name, list []Symbol) {
	var b strings.Builder
	size := 0
	for i := range list {
		size += len(list[i].Container) + 1 + len(list[i].Name)
	}
	b.Grow(size)
	for i := range list {
		if s := &list[i]; s.Container != "" {
			b.WriteString(s.Container)
			b.WriteByte('.')
		}
		b.WriteString(list[i].Name)
	}
	all := b.String()
	for i := range list {
		last := 0
		if n := len(list[i].Container); n > 0 {
			last = n + 1
		}
		end := last + len(list[i].Name)
		into[i], all = fuzzy.Late(all[:end], last), all[end:]
	}
}

// set puts the symbols of all files one after the other. It is false when those of
// some are to be read again, which it takes out.
func (x *symbols) set(files []string, now map[string]*fileSymbols) bool {
	ends, total := make([]int, len(files)), 0
	for i, f := range files {
		total += max(len(now[f].symbols), now[f].kept.n)
		ends[i] = total
	}
	all := make([]Symbol, total)
	damaged := make([]bool, len(files))
	// its only error is its context's, which never ends
	_ = inStretches(context.Background(), len(files), func(i int) {
		f, to := now[files[i]], ends[i]
		from := to - max(len(f.symbols), f.kept.n)
		damaged[i] = !f.settle(files[i], all[from:to:to])
	})
	for i, bad := range damaged {
		if bad {
			delete(now, files[i])
		}
	}
	if len(now) < len(files) {
		return false
	}
	x.files, x.order, x.all, x.names = now, files, all, nil
	return true
}
