package query

import (
	"context"
	"slices"
	"sync"

	"waferpair/app/fuzzy"
	"waferpair/history"
)

// Found is the result of a file search.
type Found struct {
	Files []FoundFile `json:"files"` // best first
	Total int         `json:"total"` // how many files match
}

// FoundFile is one matching file.
type FoundFile struct {
	Path  string `json:"path"`
	Score int    `json:"score"` // see package fuzzy
	Match []int  `json:"match"` // the matched letters, as byte offsets in the path
}

// finder caches names that are prepared for searching.
type finder struct {
	core  Core
	names nameIndex
	early earlyFiles
}

// Find returns the text files of the project that match a query, best first. An empty query
// returns the first files by path. Until the folder has been compared with its history, it
// searches the files that were there the last time.
func (f *finder) Find(ctx context.Context, query string, limit int) (Found, error) {
	files, err := f.findable(ctx)
	if err != nil {
		return Found{}, err
	}
	names := f.names.of(files)
	hits, total := fuzzy.Search(query, names, limit)
	q, out := fuzzy.NewQuery(query), Found{Files: make([]FoundFile, len(hits)), Total: total}
	for i, h := range hits {
		n := &names[h.Index]
		out.Files[i] = FoundFile{Path: n.Text(), Score: h.Score, Match: q.Match(n)}
	}
	return out, ctx.Err()
}

// findable returns the files to search. Before the comparison it asks the history once, so
// that nobody who types has to wait; only an empty history waits.
func (f *finder) findable(ctx context.Context) ([]string, error) {
	if !f.core.Live.Compared() {
		files, err := f.early.of(ctx, f.core.History)
		if err != nil || len(files) > 0 {
			return files, err
		}
		if err := f.core.Live.Ready(ctx); err != nil {
			return nil, err
		}
	}
	return f.core.Live.Files(ctx)
}

// EndEarly ends the answers from before the comparison, and reports whether the file lists
// differ.
func (f *finder) EndEarly(files []string) (other bool) { return f.early.end(files) }

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

// nameIndex caches the prepared names of the last file list.
type nameIndex struct {
	mu    sync.Mutex
	files []string
	names []fuzzy.Name
}

// of prepares the names of a sorted list of files, and reuses those of the last list.
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
