package typecheck

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"waferpair/engine/refactor"
	"waferpair/workspace/text"
)

// Limit is how long Check takes at most. Tests on slow computers make it longer.
var Limit = 10 * time.Second

// mostWorkers is how many projects have a worker at once. One takes a few hundred MB.
const mostWorkers = 2

// Checker checks the types of projects.
type Checker struct {
	mu      sync.Mutex
	workers []*worker // the last one used is the last
}

// question is what a worker is asked.
type question struct {
	Root   string   `json:"root"`
	Budget int64    `json:"budget"` // milliseconds
	Edited []edited `json:"edited"`
}

// edited is a file before and after the edit; nil is no file. Offsets are UTF-16 units.
type edited struct {
	Path    string   `json:"path"`
	Before  *string  `json:"before"`
	After   *string  `json:"after"`
	Changes [][3]int `json:"changes"` // from, to, length of what is inserted
}

// answer is what a worker says.
type answer struct {
	By      string     `json:"by"`
	Files   int        `json:"files"` // that the edit may affect
	Checked int        `json:"checked"`
	Late    bool       `json:"late"` // not all of them could be checked
	Errors  []mistaken `json:"errors"`
	Failed  string     `json:"failed"`
}

type mistaken struct {
	File   string `json:"file"`
	Line   int    `json:"line"`
	Code   int    `json:"code"`
	Text   string `json:"text"`
	Unused bool   `json:"unused"` // something is not used: no reason to revert an edit
}

// Check says which errors an edit brings. It takes only as long as Limit, and ends with ctx.
func (c *Checker) Check(ctx context.Context, root string, of []refactor.Edited) refactor.Types {
	with, ok := find(root, of)
	if !ok {
		return refactor.Types{}
	}
	ctx, cancel := context.WithTimeout(ctx, Limit)
	defer cancel()
	q := question{Root: filepath.ToSlash(root), Budget: (Limit * 3 / 4).Milliseconds()}
	for _, e := range of {
		q.Edited = append(q.Edited, editedOf(q.Root, e))
	}
	w, err := c.worker(root, with)
	if err != nil {
		return refactor.Types{By: typescript, Skipped: err.Error()}
	}
	a, err := w.ask(ctx, q)
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return refactor.Types{By: typescript, Skipped: fmt.Sprintf("it took longer than %v", Limit)}
	case err != nil:
		return refactor.Types{By: typescript, Skipped: err.Error()}
	case a.Failed != "":
		return refactor.Types{By: typescript, Skipped: a.Failed}
	}
	return a.types(q.Root)
}

const typescript = "TypeScript"

func editedOf(root string, e refactor.Edited) edited {
	out := edited{Path: root + "/" + e.Path, Before: source(e.Before), After: source(e.After), Changes: [][3]int{}}
	if out.Before == nil || out.After == nil {
		return out
	}
	before, after := text.Of(e.Before), text.Of(e.After)
	bom := len(e.Before) - len(strings.TrimPrefix(string(e.Before), bom))
	units := func(from, to text.Byte) int {
		return utf16Len(before.Slice(max(from, text.Byte(bom)), max(to, text.Byte(bom))).String())
	}
	for ch := range text.Diff(before, after).Changes {
		from := units(0, ch.From)
		out.Changes = append(out.Changes, [3]int{from, from + units(ch.From, ch.To), utf16Len(ch.Insert)})
	}
	return out
}

const bom = "\ufeff"

// source is a file's text as TypeScript reads it.
func source(b []byte) *string {
	if b == nil {
		return nil
	}
	s := strings.TrimPrefix(strings.ToValidUTF8(string(b), "\ufffd"), bom)
	return &s
}

func utf16Len(s string) (n int) {
	for _, r := range s {
		if n++; r > 0xffff {
			n++
		}
	}
	return n
}

// types is the answer with the paths of the project.
func (a answer) types(root string) refactor.Types {
	out := refactor.Types{Files: a.Checked}
	if a.Files > 0 {
		out.By = typescript + " " + a.By
	}
	for _, e := range a.Errors {
		says := fmt.Sprintf("%s:%d: %s (TS%d)", strings.TrimPrefix(e.File, root+"/"), e.Line, e.Text, e.Code)
		if e.Unused {
			out.Unused = append(out.Unused, says)
		} else {
			out.Errors = append(out.Errors, says)
		}
	}
	if a.Late {
		out.Skipped = fmt.Sprintf("%d of %d files were checked in time", a.Checked, a.Files)
	}
	return out
}

// worker returns the project's worker; it starts one if there is none.
func (c *Checker) worker(root string, with tools) (*worker, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	var w *worker
	rest := c.workers[:0]
	for _, one := range c.workers {
		switch {
		case one.ended():
		case one.root == root && one.tools == with:
			w = one
		default:
			rest = append(rest, one)
		}
	}
	c.workers = rest
	if w == nil {
		var err error
		if w, err = start(root, with); err != nil {
			return nil, err
		}
	}
	c.workers = append(c.workers, w)
	if len(c.workers) > mostWorkers {
		c.workers[0].end()
		c.workers = c.workers[1:]
	}
	return w, nil
}

// Close ends all workers.
func (c *Checker) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, w := range c.workers {
		w.end()
	}
	c.workers = nil
	return nil
}
