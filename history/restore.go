package history

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"sort"

	"waferpair/history/version"
	"waferpair/workspace/text"
)

// PlanRestore plans the way from the newest state of the current branch back to
// the state right after edit id. Files that are the same are not in the plan.
func (s *Store) PlanRestore(ctx context.Context, id EditID) (Plan, error) {
	to, err := s.moment(ctx, id)
	if err == nil {
		err = s.settled(ctx)
	}
	if err != nil {
		return Plan{}, fmt.Errorf("restore to edit %d: %w", id, err)
	}
	p, err := s.planBetween(ctx, s.lineage(), to)
	if err != nil {
		return Plan{}, fmt.Errorf("restore to edit %d: %w", id, err)
	}
	return p, nil
}

// planBetween compares two moments. Only paths with edits can differ: the
// baseline belongs to every moment, also what was first seen later, because a
// file that history had not noticed yet is no reason to delete it.
func (s *Store) planBetween(ctx context.Context, from, to version.Lineage) (Plan, error) {
	var plan, deletes Plan
	var err error
	pids := s.edited(ctx, append(append(version.Lineage{}, from...), to...), &err)
	if err != nil {
		return Plan{}, err
	}
	for _, pid := range pids {
		files, err := s.planPath(ctx, pid, from, to)
		if err != nil {
			return Plan{}, err
		}
		for _, f := range files {
			if f.Kind == Delete && len(files) == 1 {
				deletes.Files = append(deletes.Files, f)
			} else {
				plan.Files = append(plan.Files, f)
			}
		}
	}
	byPath := func(p Plan) func(i, j int) bool {
		return func(i, j int) bool { return p.Files[i].Path < p.Files[j].Path }
	}
	sort.SliceStable(plan.Files, byPath(plan))
	sort.SliceStable(deletes.Files, byPath(deletes))
	return Plan{append(plan.Files, deletes.Files...)}, nil // deletions last
}

func (s *Store) planPath(ctx context.Context, pid int64, from, to version.Lineage) ([]PlannedEdit, error) {
	a, errA := version.Walk(ctx, reader{s.read}, pid, from, false)
	b, errB := version.Walk(ctx, reader{s.read}, pid, to, false)
	if errors.Is(errA, ErrPurged) && errors.Is(errB, ErrPurged) {
		return nil, nil
	}
	var path string
	err := s.read.QueryRowContext(ctx, "SELECT path FROM path WHERE id = ?", pid).Scan(&path)
	if err = errors.Join(err, errA, errB); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if a.Exists == b.Exists && a.Hash == b.Hash && (a.Mode == b.Mode || !a.Exists) {
		return nil, nil
	}
	was, wasText, err := s.versionOf(ctx, pid, from)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	will, willText, err := s.versionOf(ctx, pid, to)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return planVersion(path, was, wasText, will, willText), nil
}

// planVersion returns the edits that lead from one version of a path to another.
func planVersion(path string, was Version, wasText text.Text, will Version, willText text.Text) []PlannedEdit {
	linkWas, linkWill := was.Mode&fs.ModeSymlink != 0, will.Mode&fs.ModeSymlink != 0
	gone := PlannedEdit{Path: path, Kind: Delete, Expect: was.Hash}
	appear := PlannedEdit{Path: path, Kind: Create, Content: willText.Bytes(), Mode: will.Mode}
	switch {
	case !will.Exists:
		return []PlannedEdit{gone}
	case linkWill:
		return []PlannedEdit{{Path: path, Kind: Symlink, Content: willText.Bytes(), Mode: will.Mode, Expect: was.Hash}}
	case !was.Exists:
		return []PlannedEdit{appear}
	case linkWas:
		return []PlannedEdit{gone, appear}
	}
	var out []PlannedEdit
	if was.Hash != will.Hash {
		out = append(out, planContent(path, was, wasText, willText))
	}
	if was.Mode != will.Mode {
		out = append(out, PlannedEdit{Path: path, Kind: Mode, Mode: will.Mode, Expect: will.Hash})
	}
	return out
}

func planContent(path string, was Version, wasText, willText text.Text) PlannedEdit {
	a, b := wasText.Bytes(), willText.Bytes()
	p := PlannedEdit{Path: path, Kind: Text, Before: wasText, Expect: was.Hash}
	if isBinary(a) || isBinary(b) {
		p.Kind, p.Before, p.Content = Blob, text.Text{}, b
		return p
	}
	p.Changes = diffTexts(a, b)
	return p
}

// binary uses git's rule: a NUL among the first bytes.
func isBinary(b []byte) bool { return bytes.IndexByte(b[:min(len(b), 8000)], 0) >= 0 }
