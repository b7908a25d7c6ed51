package editstream

import (
	"fmt"

	"waferpair/workspace/text"
)

// FileResult is the effect of a patch on one file.
type FileResult struct {
	Path    string // the path before the patch; the new path of an added file
	Op      Op
	MoveTo  string
	Before  text.Text
	After   text.Text      // empty for a deleted file
	Changes text.ChangeSet // Before -> After; for a deleted file, the deletion of everything
	Hunks   []Closed
}

// Plan computes the result of a whole patch without changing anything: all or nothing. When
// hunks fail, it returns them and no results; when the text does not follow the format, it
// returns an error. It omits files whose content does not change.
func Plan(parser Parser, patch []byte, files Files) ([]FileResult, []Failed, error) {
	pl := planner{placer: NewPlacer(files, Options{}), hunks: make(map[string][]Closed), moved: make(map[string]string)}
	parser.Push(patch, pl.event)
	parser.Close(pl.event)
	switch {
	case pl.bad != nil:
		return nil, pl.failed, fmt.Errorf("apply patch: %s", pl.bad.Message)
	case len(pl.failed) > 0:
		return nil, pl.failed, nil
	}
	return pl.results(), nil, nil
}

type planner struct {
	placer *Placer
	hunks  map[string][]Closed
	moved  map[string]string // new path -> original path
	failed []Failed
	bad    *Bad
}

func (pl *planner) event(ev Event) { pl.placer.Handle(ev, pl.edit) }

func (pl *planner) edit(e Edit) {
	switch e := e.(type) {
	case Bad:
		if pl.bad == nil {
			pl.bad = &e
		}
	case Failed:
		pl.failed = append(pl.failed, e)
	case Closed:
		pl.hunks[e.Path] = append(pl.hunks[e.Path], e)
	case Moved:
		from := e.Path
		if origin, ok := pl.moved[from]; ok {
			delete(pl.moved, from)
			from = origin
		}
		pl.moved[e.To] = from
		pl.hunks[e.To], pl.hunks[e.Path] = pl.hunks[e.Path], nil
	}
}

// results compares every file that was opened with its original.
func (pl *planner) results() []FileResult {
	var out []FileResult
	known := pl.placer.known
	for _, path := range pl.placer.order {
		f := known[path]
		after := f.view()
		r := FileResult{Path: path, Before: f.before, After: after, Hunks: pl.hunks[path]}
		origin, moved := pl.moved[path]
		switch {
		case moved && f.exists:
			r.Path, r.MoveTo, r.Before = origin, path, known[origin].before
			r.Changes = text.Diff(r.Before, after)
		case f.was && !f.exists && pl.wentTo(path):
			continue
		case f.was && !f.exists:
			r.Op, r.After = Delete, text.Text{}
			r.Changes = remove(f.before)
		case !f.was && f.exists:
			r.Op, r.Changes = Add, text.Diff(f.before, after)
		case !f.exists || f.before.Equal(after):
			continue
		default:
			r.Changes = text.Diff(f.before, after)
		}
		out = append(out, r)
	}
	return out
}

// wentTo reports whether the file was moved to another path.
func (pl *planner) wentTo(path string) bool {
	for to, from := range pl.moved {
		if from == path && pl.placer.known[to].exists {
			return true
		}
	}
	return false
}

func remove(t text.Text) text.ChangeSet {
	cs, err := text.NewChangeSet(t.Len(), text.Change{From: 0, To: t.Len()})
	if err != nil {
		panic(err)
	}
	return cs
}
