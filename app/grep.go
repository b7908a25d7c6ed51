package app

import (
	"context"
	"fmt"
	"runtime"
	"strings"

	"waferpair/engine/model"
	"waferpair/workspace/text"
)

// GrepQuery says what to look for in the project's text files.
type GrepQuery struct {
	Text  string   `json:"text"`
	Regex bool     `json:"regex"` // Text is a regular expression (RE2); it matches within a line
	Case  bool     `json:"case"`  // upper and lower case differ
	Word  bool     `json:"word"`  // only whole words
	Globs []string `json:"globs"` // "*.go", "src/**", a folder; "!" before one leaves its files out
	Limit int      `json:"limit"` // how many matches are enough; 0 is DefaultMatches
}

// DefaultMatches is how many matches a search gives when it does not say.
const DefaultMatches = 2000

// GrepMatch is one match. All counts are as a page counts, in UTF-16 units.
type GrepMatch struct {
	Path   string `json:"path"`
	Line   int    `json:"line"`   // from 1
	Column int    `json:"column"` // from 0
	Length int    `json:"length"`
	Text   string `json:"text"`   // the line, or the part of a long one around the match
	Offset int    `json:"offset"` // of Text in the line: the match is at Column-Offset of it
}

// GrepDone is what a search came to.
type GrepDone struct {
	Matches  int  `json:"matches"`
	Files    int  `json:"files"`    // with a match
	Searched int  `json:"searched"` // files
	More     bool `json:"more"`     // Limit was reached
}

// Grep looks through the files as they are now, open ones included, in the order
// of their paths, and hands each match over as it is found. Files that are binary,
// ignored or may hold secrets are left out. An error of emit ends the search.
func (p *Project) Grep(ctx context.Context, q GrepQuery, emit func(GrepMatch) error) (GrepDone, error) {
	find, err := q.finder()
	if err != nil {
		return GrepDone{}, err
	}
	files, err := p.grepFiles(ctx, q.Globs)
	if err != nil {
		return GrepDone{}, err
	}
	if q.Limit <= 0 {
		q.Limit = DefaultMatches
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var done GrepDone
	for r := range p.lookThrough(ctx, files, find, q.Limit) {
		r := <-r
		done.Searched++
		if len(r) > 0 {
			done.Files++
		}
		for _, m := range r {
			if done.Matches == q.Limit {
				done.More = true
				return done, nil
			}
			done.Matches++
			if err := emit(m); err != nil {
				return done, err
			}
		}
	}
	return done, ctx.Err()
}

// grepFiles are the files that the globs allow.
func (p *Project) grepFiles(ctx context.Context, globs []string) ([]string, error) {
	files, err := p.Files(ctx)
	if err != nil {
		return nil, err
	}
	var in, out model.Fence
	for _, g := range globs {
		g, without := strings.CutPrefix(strings.TrimSpace(g), "!")
		if err := model.CheckGlob(g); err != nil {
			return nil, fmt.Errorf("search: %w", err)
		}
		to := &in
		if without {
			to = &out
		}
		if g != "" {
			to.Globs = append(to.Globs, g, "**/"+g)
		}
	}
	var chosen []string
	for _, f := range files {
		if in.Allows(f) && (len(out.Globs) == 0 || !out.Allows(f)) {
			chosen = append(chosen, f)
		}
	}
	return chosen, nil
}

// grepAhead is how many files are searched ahead of the one whose matches are
// being handed over. It bounds what a slow receiver makes the search hold.
const grepAhead = 64

// lookThrough searches files concurrently and gives the results in their order.
func (p *Project) lookThrough(ctx context.Context, files []string, find finder, limit int) <-chan chan []GrepMatch {
	out := make(chan chan []GrepMatch, grepAhead)
	slots := make(chan struct{}, max(2, runtime.GOMAXPROCS(0)))
	go func() {
		defer close(out)
		for _, f := range files {
			r := make(chan []GrepMatch, 1)
			select {
			case out <- r:
			case <-ctx.Done():
				return
			}
			slots <- struct{}{}
			go func() {
				defer func() { <-slots }()
				r <- p.grepFile(ctx, f, find, limit)
			}()
		}
	}()
	return out
}

// grepFile is what is found in one file. One that cannot be read any more has
// nothing to be found.
func (p *Project) grepFile(ctx context.Context, path string, find finder, limit int) []GrepMatch {
	b, err := p.Read(path)
	if err != nil {
		return nil
	}
	if e := text.DetectEncoding(b); e != text.UTF8 {
		b = []byte(e.Shown(text.Of(b)))
	}
	var out []GrepMatch
	lines := lineReader{path: path, b: b}
	for from, to := range find(b) {
		out = append(out, lines.match(from, to))
		if len(out) > limit || ctx.Err() != nil {
			break
		}
	}
	return out
}
