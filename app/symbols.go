package app

import (
	"context"
	"runtime"
	"sync"

	"golang.org/x/sync/errgroup"

	"waferpair/app/fuzzy"
	"waferpair/history"
	"waferpair/workspace"
)

// Symbol is something that a file declares.
type Symbol struct {
	Name      string `json:"name"`
	Kind      string `json:"kind"` // func, method, type, field, var, const, heading
	Container string `json:"container"`
	Path      string `json:"path"`
	Line      int    `json:"line"` // from 1
	EndLine   int    `json:"endLine"`
}

// Symbols lists what one file declares, in its order; or, with path "", what the
// project declares that fits the query, best first.
func (p *Project) Symbols(ctx context.Context, query, path string, limit int) ([]Symbol, error) {
	if path == "" {
		return p.projectSymbols(ctx, query, limit)
	}
	b, err := p.Read(path)
	if err != nil {
		return nil, err
	}
	return outline(path, b)
}

// projectSymbols searches all files. The first call reads them all; later ones
// read what has changed.
func (p *Project) projectSymbols(ctx context.Context, query string, limit int) ([]Symbol, error) {
	ix := &p.reads.symbols
	ix.mu.Lock()
	defer ix.mu.Unlock()
	if err := p.refreshSymbols(ctx, ix); err != nil {
		return nil, err
	}
	hits, _ := fuzzy.Search(query, ix.names, limit)
	out := make([]Symbol, len(hits))
	for i, h := range hits {
		out[i] = ix.all[h.Index]
	}
	return out, nil
}

// symbolIndex are the symbols of all files.
type symbolIndex struct {
	mu    sync.Mutex
	files map[string]*fileSymbols
	all   []Symbol
	names []fuzzy.Name // of all, containers in front
}

// fileSymbols are the symbols of a file, as of a version of it.
type fileSymbols struct {
	seen    fileStamp
	symbols []Symbol
	names   []fuzzy.Name
}

// fileStamp changes with a file's content: a version of the open text, or what
// history and disk have of it.
type fileStamp struct {
	buffer  *workspace.Buffer
	version workspace.Version
	known   history.FileState
}

// refreshSymbols reads the files that have changed and forgets those that are gone.
func (p *Project) refreshSymbols(ctx context.Context, ix *symbolIndex) error {
	files, stamps, err := p.stamps(ctx)
	if err != nil {
		return err
	}
	var stale []int
	now := make(map[string]*fileSymbols, len(files))
	for i, f := range files {
		if old := ix.files[f]; old != nil && old.seen == stamps[i] {
			now[f] = old
		} else {
			stale = append(stale, i)
		}
	}
	if len(stale) == 0 && len(now) == len(ix.files) {
		return nil
	}
	fresh := make([]*fileSymbols, len(stale))
	var g errgroup.Group
	g.SetLimit(max(2, runtime.GOMAXPROCS(0)))
	for k, i := range stale {
		g.Go(func() error {
			fresh[k] = p.symbolsOf(files[i], stamps[i])
			return ctx.Err()
		})
	}
	if err := g.Wait(); err != nil {
		return err
	}
	for k, i := range stale {
		now[files[i]] = fresh[k]
	}
	ix.set(files, now)
	return nil
}

// symbolsOf reads one file. One that cannot be read any more has no symbols.
func (p *Project) symbolsOf(path string, stamp fileStamp) *fileSymbols {
	f := &fileSymbols{seen: stamp}
	b, err := p.Read(path)
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

func (ix *symbolIndex) set(files []string, now map[string]*fileSymbols) {
	ix.files, ix.all, ix.names = now, nil, nil
	for _, f := range files {
		ix.all = append(ix.all, now[f].symbols...)
		ix.names = append(ix.names, now[f].names...)
	}
}

// stamps lists the files that may have symbols.
func (p *Project) stamps(ctx context.Context) (files []string, stamps []fileStamp, err error) {
	all, err := p.Files(ctx)
	if err != nil {
		return nil, nil, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, f := range all {
		if !hasOutline(f) {
			continue
		}
		s := fileStamp{known: p.list.known[f]}
		if d := p.docs[f]; d != nil {
			_, v := d.buffer.Snapshot()
			s = fileStamp{buffer: d.buffer, version: v}
		}
		files, stamps = append(files, f), append(stamps, s)
	}
	return files, stamps, nil
}
