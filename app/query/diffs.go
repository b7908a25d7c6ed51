package query

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"waferpair/history"
	"waferpair/workspace/text"
)

// DiffRequest selects what to compare: an edit, a turn, two moments, or the pending review.
// With a Path, the answer covers only that file and includes its texts.
type DiffRequest struct {
	Edit   history.EditID
	Turn   history.TurnID
	Range  *MomentRange
	Review bool
	Path   string // the path after the change; before it, if the file is gone
}

// MomentRange is the range from right after one edit to right after another.
type MomentRange struct{ From, To history.EditID }

// DiffFile is the change of one file. Texts are masked, as history holds them and pages show
// them.
type DiffFile struct {
	Path    string     `json:"path"`         // before; after, if the file is new
	To      string     `json:"to,omitempty"` // after, if the path changed
	Kind    string     `json:"kind"`         // changed, created, deleted, moved
	Added   int        `json:"added"`        // lines
	Removed int        `json:"removed"`
	Before  *string    `json:"before,omitempty"` // nil: there was no file, or the request had no Path
	After   *string    `json:"after,omitempty"`
	Hunks   []DiffHunk `json:"hunks,omitempty"` // with the texts
}

// Diffs lists the files that differ, with counts; or, with a Path, compares that file.
func (c Core) Diffs(ctx context.Context, r DiffRequest) ([]DiffFile, error) {
	list, err := c.sides(ctx, r)
	if err != nil {
		return nil, err
	}
	if r.Path != "" {
		list = slices.DeleteFunc(list, func(s side) bool { return s.before != r.Path && s.after != r.Path })
		if len(list) == 0 {
			return nil, fmt.Errorf("compare %s: it has no changes there", r.Path)
		}
	}
	out := make([]DiffFile, 0, len(list))
	for _, s := range list {
		f, differs, err := s.compare(ctx, r.Path != "")
		if err != nil {
			return nil, err
		}
		if differs || r.Path != "" {
			out = append(out, f)
		}
	}
	return out, nil
}

// side is a file to compare: its paths on both sides, and a function that reads its texts.
type side struct {
	before, after string // "" where there is no file
	texts         func(context.Context) (before, after history.Version, err error)
}

func (c Core) sides(ctx context.Context, r DiffRequest) ([]side, error) {
	switch {
	case r.Edit != 0:
		e, err := c.History.Get(ctx, r.Edit)
		return c.sidesOf([]history.Edit{e.Edit}), err
	case r.Turn != 0:
		edits, err := c.History.List(ctx, history.Filter{Turn: r.Turn})
		return c.sidesOf(edits), err
	case r.Range != nil:
		return c.sidesBetween(ctx, *r.Range)
	case r.Review:
		return c.sidesOfReview(ctx)
	}
	return nil, errors.New("compare: name an edit, a turn, two moments or the review")
}

// sidesOf compares each file before its first edit with the file after its last one.
func (c Core) sidesOf(edits []history.Edit) []side {
	var out []side
	first, last := []history.EditID{}, []history.EditID{}
	for _, e := range edits {
		i := slices.IndexFunc(out, func(s side) bool { return s.after == e.Path })
		if i < 0 {
			i = len(out)
			out, first, last = append(out, side{before: e.Path}), append(first, e.ID), append(last, e.ID)
		}
		last[i], out[i].after = e.ID, e.Path
		if e.Kind == history.Rename {
			out[i].after = e.To
		}
	}
	for i := range out {
		out[i].texts = func(ctx context.Context) (before, after history.Version, err error) {
			a, err := c.History.Get(ctx, first[i])
			if err != nil || first[i] == last[i] {
				return a.Before, a.After, err
			}
			b, err := c.History.Get(ctx, last[i])
			return a.Before, b.After, err
		}
	}
	return out
}

func (c Core) sidesBetween(ctx context.Context, r MomentRange) ([]side, error) {
	paths, err := c.touchedBetween(ctx, r)
	out := make([]side, len(paths))
	for i, path := range paths {
		out[i] = side{path, path, func(ctx context.Context) (before, after history.Version, err error) {
			if before, err = c.History.At(ctx, r.From, path); err == nil {
				after, err = c.History.At(ctx, r.To, path)
			}
			return before, after, err
		}}
	}
	return out, err
}

// touchedBetween lists the files that may differ between two moments. On the current fork
// these are the files edited between them, whatever the size of the project.
func (c Core) touchedBetween(ctx context.Context, r MomentRange) ([]string, error) {
	cols, err := c.History.Columns(ctx)
	if err != nil {
		return nil, err
	}
	from, known := cols.After(min(r.From, r.To))
	to, knownTo := cols.After(max(r.From, r.To))
	if !known || !knownTo {
		return c.Changed(ctx, r.From, r.To)
	}
	seen := map[int32]bool{}
	for i := from; i < to; i++ {
		seen[cols.Paths[i]] = true
		if cols.To[i] >= 0 {
			seen[cols.To[i]] = true
		}
	}
	out := make([]string, 0, len(seen))
	for n := range seen {
		out = append(out, cols.Names[n])
	}
	slices.Sort(out)
	return out, nil
}

// sidesOfReview compares each file with the same file without its pending edits, so that
// later typing by the user is on both sides.
func (c Core) sidesOfReview(ctx context.Context) ([]side, error) {
	waiting, err := c.History.ReviewAll(ctx)
	if err != nil {
		return nil, err
	}
	was := map[string]string{}
	var paths []string
	for _, h := range waiting {
		if was[h.Path] == "" {
			paths, was[h.Path] = append(paths, h.Path), h.Path
		}
		if h.Was != "" {
			was[h.Path] = h.Was
		}
	}
	slices.Sort(paths)
	out := make([]side, len(paths))
	for i, path := range paths {
		out[i] = side{was[path], path, func(ctx context.Context) (before, after history.Version, err error) {
			if after, err = c.History.Head(ctx, path); err == nil {
				before, err = c.History.AcceptedBase(ctx, path)
			}
			return before, after, err
		}}
	}
	return out, nil
}

// compare counts the differing lines, and includes the texts if texts is set. A file that is
// equal on both sides, or missing on both, does not differ.
func (s side) compare(ctx context.Context, texts bool) (DiffFile, bool, error) {
	before, after, err := s.texts(ctx)
	if err != nil {
		return DiffFile{}, false, fmt.Errorf("compare %s: %w", s.after, err)
	}
	f := DiffFile{Path: s.before, Kind: "changed"}
	switch {
	case !before.Exists:
		f.Kind, f.Path = "created", s.after
	case !after.Exists:
		f.Kind = "deleted"
	case s.before != s.after:
		f.Kind, f.To = "moved", s.after
	}
	hunks := diffHunks(text.Of(before.Bytes), text.Of(after.Bytes))
	for _, h := range hunks {
		f.Added, f.Removed = f.Added+h.Inserted, f.Removed+h.Removed
	}
	if texts {
		f.Before, f.After, f.Hunks = shown(before), shown(after), hunks
	}
	differs := before.Exists != after.Exists || len(hunks) > 0 || f.To != "" || before.Exists && before.Mode != after.Mode
	return f, differs, nil
}

func shown(v history.Version) *string {
	if !v.Exists {
		return nil
	}
	s := text.DetectEncoding(v.Bytes).Shown(text.Of(v.Bytes))
	return &s
}

// Changed lists the files that differ between two moments.
func (c Core) Changed(ctx context.Context, from, to history.EditID) ([]string, error) {
	a, err := c.History.Paths(ctx, from)
	if err != nil {
		return nil, err
	}
	b, err := c.History.Paths(ctx, to)
	if err != nil {
		return nil, err
	}
	hashes := make(map[string]history.Hash, len(a))
	for _, f := range a {
		hashes[f.Path] = f.Hash
	}
	var out []string
	for _, f := range b {
		if h, ok := hashes[f.Path]; !ok || h != f.Hash {
			out = append(out, f.Path)
		}
		delete(hashes, f.Path)
	}
	for path := range hashes {
		out = append(out, path)
	}
	slices.Sort(out)
	return out, nil
}
