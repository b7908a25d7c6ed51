package app

import (
	"context"
	"slices"
	"sync"

	"waferpair/app/fuzzy"
	"waferpair/history"
)

// Found is what a few typed letters may mean.
type Found struct {
	Files []FoundFile `json:"files"` // best first
	Total int         `json:"total"` // how many files fit at all
}

// FoundFile is one file that fits.
type FoundFile struct {
	Path  string `json:"path"`
	Score int    `json:"score"` // see package fuzzy
	Match []int  `json:"match"` // where the letters are, in bytes of the path
}

// Find finds the text files of the project that a query means, best first. An
// empty query gives the first files by path. Before the folder has been compared
// with its history, it finds the files that were there the last time.
func (p *Project) Find(ctx context.Context, query string, limit int) (Found, error) {
	files, err := p.findable(ctx)
	if err != nil {
		return Found{}, err
	}
	names := p.reads.names.of(files)
	hits, total := fuzzy.Search(query, names, limit)
	q, out := fuzzy.NewQuery(query), Found{Files: make([]FoundFile, len(hits)), Total: total}
	for i, h := range hits {
		n := &names[h.Index]
		out.Files[i] = FoundFile{Path: n.Text(), Score: h.Score, Match: q.Match(n)}
	}
	return out, ctx.Err()
}

// findable are the files to search. What the history knows is asked once; nobody
// who types waits for the comparison, unless there is nothing yet.
func (p *Project) findable(ctx context.Context) ([]string, error) {
	if !p.ready.is() {
		files, err := p.reads.early.of(ctx, p.store)
		if err != nil || len(files) > 0 {
			return files, err
		}
		if err := p.Ready(ctx); err != nil {
			return nil, err
		}
	}
	return p.Files(ctx)
}

// foundOther ends the early answers, and reports whether they were others than
// those that there are now.
func (p *Project) foundOther() bool {
	p.mu.Lock()
	files := p.list.files
	p.mu.Unlock()
	return p.reads.early.end(files)
}

// earlyFiles are the files that were on disk when the project was last open.
type earlyFiles struct {
	mu    sync.Mutex
	asked bool
	files []string
}

func (e *earlyFiles) of(ctx context.Context, s *history.Store) (files []string, err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if !e.asked {
		e.files, err = s.OnDisk(ctx)
		e.asked = err == nil
	}
	return e.files, err
}

func (e *earlyFiles) end(files []string) (other bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	other = e.files != nil && !slices.Equal(e.files, files)
	e.asked, e.files = true, nil
	return other
}

// nameIndex are the prepared names of the files that were asked for last.
type nameIndex struct {
	mu    sync.Mutex
	files []string
	names []fuzzy.Name
}

// of prepares the names of a sorted list of files; those of the list before are
// used again.
func (ix *nameIndex) of(files []string) []fuzzy.Name {
	ix.mu.Lock()
	defer ix.mu.Unlock()
	if slices.Equal(ix.files, files) && ix.names != nil {
		return ix.names
	}
	names := make([]fuzzy.Name, len(files))
	old := 0
	for i, f := range files {
		for old < len(ix.files) && ix.files[old] < f {
			old++
		}
		if old < len(ix.files) && ix.files[old] == f {
			names[i] = ix.names[old]
		} else {
			names[i] = fuzzy.NewName(f)
		}
	}
	ix.files, ix.names = files, names
	return names
}
