package history

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"waferpair/workspace/text"
)

// ThreeWay is a file in which edits cannot be taken back without a guess: what
// whoever decides needs to see.
type ThreeWay struct {
	Path    string   `json:"path"`   // of the file now
	Edits   []EditID `json:"edits"`  // those to take back in it
	Base    string   `json:"base"`   // what the newest of them made: both sides start from here
	Theirs  string   `json:"theirs"` // Base without the edits: what reverting wants
	Mine    string   `json:"mine"`   // what the newest version holds
	Exists  bool     `json:"exists"` // there is a newest version
	Clashes []Clash  `json:"clashes"`
}

// Conflicts says, for a revert that meets a *Conflict, what stands against what in
// each file. It returns nothing when the edits can be taken back.
func (s *Store) Conflicts(ctx context.Context, ids []EditID) ([]ThreeWay, error) {
	_, err := s.PlanRevert(ctx, ids)
	var c *Conflict
	if !errors.As(err, &c) {
		return nil, err
	}
	byPath := map[string]*ThreeWay{}
	var out []*ThreeWay
	for _, clash := range c.Clashes {
		path, err := s.clashPath(ctx, clash)
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
		if err := s.fillThreeWay(ctx, w, ids); err != nil {
			return nil, fmt.Errorf("show the conflict in %s: %w", w.Path, err)
		}
		ways[i] = *w
	}
	return ways, nil
}

// ThreeWay is one file of Conflicts; also when nothing stands in the way in it,
// because what did so has changed since.
func (s *Store) ThreeWay(ctx context.Context, path string, ids []EditID) (ThreeWay, error) {
	ways, err := s.Conflicts(ctx, ids)
	if err != nil {
		return ThreeWay{}, err
	}
	for _, w := range ways {
		if w.Path == path {
			return w, nil
		}
	}
	w := ThreeWay{Path: path}
	if err := s.fillThreeWay(ctx, &w, ids); err != nil {
		return ThreeWay{}, fmt.Errorf("compare %s with itself without some edits: %w", path, err)
	}
	return w, nil
}

// clashPath is the path of the file now; a clash about an edit that is taken back
// already names none.
func (s *Store) clashPath(ctx context.Context, c Clash) (string, error) {
	if c.Path != "" {
		return c.Path, nil
	}
	edits, err := s.editsByID(ctx, []EditID{c.Edit})
	if err != nil {
		return "", err
	}
	names, err := s.namesNow(ctx, edits)
	return names.of(edits[0]), err
}

func (s *Store) editsByID(ctx context.Context, ids []EditID) ([]Edit, error) {
	var out []Edit
	for _, id := range slices.Sorted(slices.Values(ids)) {
		edits, err := s.scanEdits(ctx, "SELECT "+editColumns+editTables+" WHERE e.id = ?", []any{int64(id)})
		if err != nil || len(edits) != 1 {
			return nil, fmt.Errorf("edit %d: %w", id, orNoEdit(err))
		}
		out = append(out, edits[0])
	}
	return out, nil
}

func (s *Store) fillThreeWay(ctx context.Context, w *ThreeWay, ids []EditID) error {
	edits, err := s.editsByID(ctx, ids)
	if err != nil {
		return err
	}
	names, err := s.namesNow(ctx, edits)
	if err != nil {
		return err
	}
	edits = slices.DeleteFunc(edits, func(e Edit) bool { return names.of(e) != w.Path })
	if len(edits) == 0 {
		return ErrNoEdit
	}
	for _, e := range edits {
		w.Edits = append(w.Edits, e.ID)
	}
	now, mine, err := s.version(ctx, w.Path, s.lineage())
	if err != nil {
		return err
	}
	w.Exists, w.Mine = now.Exists, mine.String()
	base, theirs, err := s.without(ctx, edits)
	w.Base, w.Theirs = base.String(), theirs.String()
	return err
}

// without returns the file as the newest of some edits left it, and the same with
// all of them taken back at that moment. Where that is not possible either, the
// second is what was there before the oldest of them.
func (s *Store) without(ctx context.Context, edits []Edit) (base, theirs text.Text, err error) {
	last, first := edits[len(edits)-1], edits[0]
	lin := s.lineage().UpTo(last.ID)
	if _, base, err = s.version(ctx, pathAfter(last), lin); err != nil {
		return base, theirs, err
	}
	set := map[EditID]bool{}
	for _, e := range edits {
		set[e.ID] = true
	}
	r, err := s.reverter(ctx, set, lin)
	if err != nil {
		return base, theirs, err
	}
	if _, err := r.plan(); err == nil {
		for _, f := range r.all {
			if f.path == pathAfter(last) {
				return base, f.planText(), nil
			}
		}
	}
	_, theirs, err = s.version(ctx, first.Path, s.lineage().UpTo(first.ID-1))
	return base, theirs, err
}

// planText is what the plan makes of the file: nothing when it is not there.
func (f *planned) planText() text.Text {
	if !f.exists {
		return text.Text{}
	}
	return f.text
}

func pathAfter(e Edit) string {
	if e.Kind == Rename {
		return e.To
	}
	return e.Path
}
