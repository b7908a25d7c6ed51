package query

import (
	"context"
	"runtime"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"

	"waferpair/app/fuzzy"
)

// symbols are those of all files.
type symbols struct {
	core Core

	mu    sync.Mutex
	files map[string]*fileSymbols
	all   []Symbol
	names []fuzzy.Name // of all, containers in front
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

// ofProject searches all files. The first call reads them all; later ones
// read what has changed.
func (x *symbols) ofProject(ctx context.Context, query string, limit int) ([]Symbol, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if err := x.refresh(ctx); err != nil {
		return nil, err
	}
	hits, _ := fuzzy.Search(query, x.names, limit)
	out := make([]Symbol, len(hits))
	for i, h := range hits {
		out[i] = x.all[h.Index]
	}
	return out, nil
}

// fileSymbols are the symbols of a file, as of a version of it.
type fileSymbols struct {
	seen    Stamp
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
	fresh := make([]*fileSymbols, len(stale))
	var g errgroup.Group
	g.SetLimit(max(2, runtime.GOMAXPROCS(0)))
	for k, i := range stale {
		g.Go(func() error {
			fresh[k] = x.core.symbolsOf(files[i], stamps[i])
			return ctx.Err()
		})
	}
	if err := g.Wait(); err != nil {
		return err
	}
	for k, i := range stale {
		now[files[i]] = fresh[k]
	}
	x.set(files, now)
	return nil
}

// symbolsOf reads one file. One that cannot be read any more has no symbols.
func (c Core) symbolsOf(path string, stamp Stamp) *fileSymbols {
	f := &fileSymbols{seen: stamp}
	b, err := c.Live.Read(path)
	if err != nil {
		return f
	}
	if f.symbols, err = outline(path, b); err != nil {
		return f
	}
	for _, s := range f.symbols {
		full, last := s.Name, 0
		if s.Container != "" {
			full, last = s.Container+"."+s.Name, len(s.Container)+1
		}
		f.names = append(f.names, fuzzy.NewNameAt(full, last))
	}
	return f
}

func (x *symbols) set(files []string, now map[string]*fileSymbols) {
	x.files, x.all, x.names = now, nil, nil
	for _, f := range files {
		x.all = append(x.all, now[f].symbols...)
		x.names = append(x.names, now[f].names...)
	}
}
