package history

import (
	"context"
	"fmt"

	"waferpair/history/plan"
)

// PlanRestore plans the way from the newest state of the current branch back to the state
// right after edit id. Files that are equal in both are not in the plan.
func (s *Store) PlanRestore(ctx context.Context, id EditID) (Plan, error) {
	to, err := s.moment(ctx, id)
	if err == nil {
		err = s.settled(ctx)
	}
	if err != nil {
		return Plan{}, fmt.Errorf("restore to edit %d: %w", id, err)
	}
	p, err := plan.Between(ctx, s.rows(), s.lineage(), to)
	if err != nil {
		return Plan{}, fmt.Errorf("restore to edit %d: %w", id, err)
	}
	return p, nil
}
