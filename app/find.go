package app

import (
	"context"
	"slices"
	"sync"

	"waferpair/app/fuzzy"
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
// empty query gives the first files by path.
func (p *Project) Find(ctx context.Context, query string, limit int) (Found, error) {
	files, err := p.Files(ctx)
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
