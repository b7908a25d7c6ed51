package history

import (
	"context"
	"fmt"
	"slices"

	"waferpair/history/plan"
	"waferpair/history/version"
)

// PlanRevert plans to revert exactly the given edits. If a later edit conflicts with that,
// the error is a *Conflict.
func (s *Store) PlanRevert(ctx context.Context, ids []EditID) (Plan, error) {
	lin, err := s.revertable(ctx, ids)
	if err != nil {
		return Plan{}, err
	}
	return plan.Revert(ctx, s.rows(), ids, lin)
}

// Conflicts explains a *Conflict of a revert: for each file, which texts conflict. It
// returns nothing if the edits can be reverted.
func (s *Store) Conflicts(ctx context.Context, ids []EditID) ([]ThreeWay, error) {
	lin, err := s.revertable(ctx, ids)
	if err != nil {
		return nil, err
	}
	return plan.Conflicts(ctx, s.rows(), ids, lin)
}

// ThreeWay returns the comparison of one file, as Conflicts does, also if the file has no
// conflict any more.
func (s *Store) ThreeWay(ctx context.Context, path string, ids []EditID) (ThreeWay, error) {
	lin, err := s.revertable(ctx, ids)
	if err != nil {
		return ThreeWay{}, err
	}
	return plan.Compare(ctx, s.rows(), path, ids, lin)
}

// PlanSince plans to revert every edit after edit id by the given authors (none: the model)
// that is still in force.
func (s *Store) PlanSince(ctx context.Context, id EditID, only []Author) (Plan, error) {
	if len(only) == 0 {
		only = []Author{Model}
	}
	if id != 0 {
		if _, err := s.moment(ctx, id); err != nil {
			return Plan{}, fmt.Errorf("revert since: %w", err)
		}
	}
	edits, err := s.List(ctx, Filter{After: id})
	if err != nil {
		return Plan{}, err
	}
	var ids []EditID
	for _, e := range edits {
		if slices.Contains(only, e.Author) && e.RevertedBy == 0 && !e.Purged {
			ids = append(ids, e.ID)
		}
	}
	if len(ids) == 0 {
		return Plan{}, nil
	}
	return s.PlanRevert(ctx, ids)
}

// revertable returns the current branch's lineage, and an error if an edit is not in it.
func (s *Store) revertable(ctx context.Context, ids []EditID) (version.Lineage, error) {
	if err := s.settled(ctx); err != nil {
		return nil, err
	}
	lin := s.lineage()
	for _, id := range ids {
		branch, err := s.rows().branchOf(ctx, id)
		if err == nil && !lin.Has(branch, id) {
			err = fmt.Errorf("edit %d is on another branch; switch to it first", id)
		}
		if err != nil {
			return nil, fmt.Errorf("revert: %w", err)
		}
	}
	return lin, nil
}
