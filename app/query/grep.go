package query

import (
	"context"
	"fmt"
	"runtime"
	"strings"

	"waferpair/engine/model"
	"waferpair/workspace/text"
)

// DefaultMatches bounds the matches of a search without a limit.
const DefaultMatches = 2000

// GrepDone sums up a search.
type GrepDone struct {
	Matches  int  `json:"matches"`
	Files    int  `json:"files"`    // with a match
	Searched int  `json:"searched"` // files
	More     bool `json:"more"`     // Limit was reached
}

// Grep searches the current files, including open ones, in the order of their paths, and
// emits each match as it is found. It skips files that are binary, ignored or may hold
// secrets. An error of emit ends the search.
func (c Core) Grep(ctx context.Context, q GrepQuery, emit func(GrepMatch) error) (GrepDone, error) {
	find, err := q.matcher()
	if err != nil {
		return GrepDone{}, err
	}
	files, err := c.grepFiles(ctx, q.Globs)
	if err != nil {
		return GrepDone{}, err
	}
	if q.Limit <= 0 {
		q.Limit = DefaultMatches
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var done GrepDone
	for found := range c.lookThrough(ctx, files, find, q.Limit) {
		found := <-found
		done.Searched++
		if len(found) > 0 {
			done.Files++
		}
		for _, m := range found {
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

// grepFiles returns the files that match the globs.
func (c Core) grepFiles(ctx context.Context, globs []string) ([]string, error) {
	files, err := c.Live.Files(ctx)
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

// grepAhead bounds the files that are searched ahead of the one whose matches are being
// emitted, and so the memory that a slow receiver costs.
const grepAhead = 64

// lookThrough searches files concurrently and returns the results in order.
func (c Core) lookThrough(ctx context.Context, files []string, find matcher, limit int) <-chan chan []GrepMatch {
	out := make(chan chan []GrepMatch, grepAhead)
	slots := make(chan struct{}, max(2, runtime.GOMAXPROCS(0)))
	go func() {
		defer close(out)
		for _, f := range files {
			found := make(chan []GrepMatch, 1)
			select {
			case out <- found:
			case <-ctx.Done():
				return
			}
			slots <- struct{}{}
			go func() {
				defer func() { <-slots }()
				found <- c.grepFile(ctx, f, find, limit)
			}()
		}
	}()
	return out
}

// grepFile searches one file. A file that can no longer be read has no matches.
func (c Core) grepFile(ctx context.Context, path string, find matcher, limit int) []GrepMatch {
	b, err := c.Live.Read(path)
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
