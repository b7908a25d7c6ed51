package plan

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"waferpair/history/version"
	"waferpair/workspace/text"
)

// ThreeWay shows a file in which a revert would need a guess: what the user needs to see to
// decide.
type ThreeWay struct {
	Path    string           `json:"path"`   // the file's present path
	Edits   []version.EditID `json:"edits"`  // the edits to revert in it
	Base    string           `json:"base"`   // the version of the newest of them, from which both sides start
	Theirs  string           `json:"theirs"` // Base without the edits: the result of the revert
	Mine    string           `json:"mine"`   // the newest version
	Exists  bool             `json:"exists"` // there is a newest version
	Clashes []Clash          `json:"clashes"`
}

// Conflicts explains a *Conflict of a revert: for each file, which texts conflict. It
// returns nothing if the edits can be reverted.
func Conflicts(ctx context.Context, from Reader, ids []version.EditID, lin version.Lineage) ([]ThreeWay, error) {
	_, err := Revert(ctx, from, ids, lin)
	var c *Conflict
	if !errors.As(err, &c) {
		return nil, err
	}
	byPath := map[string]*ThreeWay{}
	var out []*ThreeWay
	k := comparer{ctx, from, lin}
	for _, clash := range c.Clashes {
		path, err := k.clashPath(clash)
		if err != nil {
			return nil, err
		}
		if byPath[path] == nil {
			byPath[path] = &ThreeWay{Path: path}
			out = append(out, byPath[path])
		}
		byPath[path].Clashes = append(byPath[path].Clashes, clash)
	}
	ways := make([]ThreeWay, len(out))
	for i, w := range out {
		if err := k.fill(w, ids); err != nil {
			return nil, fmt.Errorf("show the conflict in %s: %w", w.Path, err)
		}
		ways[i] = *w
	}
	return ways, nil
}

// Compare returns the comparison of one file, as Conflicts does, also if the file has no
// conflict any more.
func Compare(ctx context.Context, from Reader, path string, ids []version.EditID,
	lin version.Lineage) (ThreeWay, error) {
	ways, err := Conflicts(ctx, from, ids, lin)
	if err != nil {
		return ThreeWay{}, err
	}
	for _, w := range ways {
		if w.Path == path {
			return w, nil
		}
	}
	w := ThreeWay{Path: path}
	if err := (comparer{ctx, from, lin}).fill(&w, ids); err != nil {
		return ThreeWay{}, fmt.Errorf("compare %s with itself without some edits: %w", path, err)
	}
	return w, nil
}

// comparer compares files with themselves without some edits.
type comparer struct {
	ctx context.Context
	r   Reader
	lin version.Lineage
}

// clashPath returns the present path of the file; a clash about an edit that is reverted
// already names none.
func (k comparer) clashPath(c Clash) (string, error) {
	if c.Path != "" {
		return c.Path, nil
	}
	edits, names, err := k.edits([]version.EditID{c.Edit})
	if err != nil {
		return "", err
	}
	return names.Of(c.Edit, edits[0].Path), nil
}

// edits returns the edits, oldest first, and the present names of their files.
func (k comparer) edits(ids []version.EditID) (out []Touch, names Names, err error) {
	for _, id := range slices.Sorted(slices.Values(ids)) {
		e, err := k.r.Touch(k.ctx, id)
		if err != nil {
			return nil, names, fmt.Errorf("edit %d: %w", id, err)
		}
		out = append(out, e)
	}
	if len(out) > 0 {
		names, err = k.r.Names(k.ctx, k.lin, out[0].ID)
	}
	return out, names, err
}

func (k comparer) fill(w *ThreeWay, ids []version.EditID) error {
	edits, names, err := k.edits(ids)
	if err != nil {
		return err
	}
	edits = slices.DeleteFunc(edits, func(e Touch) bool { return names.Of(e.ID, e.Path) != w.Path })
	if len(edits) == 0 {
		return version.ErrNoEdit
	}
	for _, e := range edits {
		w.Edits = append(w.Edits, e.ID)
	}
	now, mine, err := version.ReadPath(k.ctx, k.r, w.Path, k.lin)
	if err != nil {
		return err
	}
	w.Exists, w.Mine = now.Exists, mine.String()
	base, theirs, err := k.without(edits)
	w.Base, w.Theirs = base.String(), theirs.String()
	return err
}

// without returns the file after the newest of some edits, and the same file with all of
// them reverted at that moment. If they cannot be reverted, the second is the file before
// the oldest of them.
func (k comparer) without(edits []Touch) (base, theirs text.Text, err error) {
	last, first := edits[len(edits)-1], edits[0]
	lin := k.lin.UpTo(last.ID)
	if _, base, err = version.ReadPath(k.ctx, k.r, last.pathAfter(), lin); err != nil {
		return base, theirs, err
	}
	set := map[version.EditID]bool{}
	for _, e := range edits {
		set[e.ID] = true
	}
	r, err := newReverter(k.ctx, k.r, set, lin)
	if err != nil {
		return base, theirs, err
	}
	if _, err := r.plan(); err == nil {
		for _, f := range r.all {
			if f.path == last.pathAfter() {
				return base, f.planText(), nil
			}
		}
	}
	_, theirs, err = version.ReadPath(k.ctx, k.r, first.Path, k.lin.UpTo(first.ID-1))
	return base, theirs, err
}

// planText returns the planned text of the file, which is empty if the file is gone.
func (f *planned) planText() text.Text {
	if !f.exists {
		return text.Text{}
	}
	return f.text
}
