package query

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

// finder keeps names that are prepared for the next letter.
type finder struct {
	core  Core
	names nameIndex
	early earlyFiles
}

// Find finds the text files of the project that a query means, best first. An
// empty query gives the first files by path. Before the folder has been compared
// with its history, it finds the files that were there the last time.
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

// findable are the files to search. What the history knows is asked once; nobody
// who types waits for the comparison, unless there is nothing yet.
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

// EndEarly ends the answers from before the comparison, and reports whether they
// were about other files than those that it found.
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
