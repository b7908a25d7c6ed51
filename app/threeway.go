package app

import (
	"context"

	"waferpair/history"
)

// ThreeWay is a file in which edits cannot be reverted without a decision.
type ThreeWay = history.ThreeWay

// Conflicts returns the three sides of each file in which Revert meets a
// *history.Conflict: the file after the edits, the same without them, and the file now.
// It is empty when the edits can be reverted. The texts are masked, as history holds them.
func (p *reverter) Conflicts(ctx context.Context, ids []history.EditID) ([]ThreeWay, error) {
	if err := p.settled(ctx); err != nil {
		return nil, err
	}
	return p.store.Conflicts(ctx, ids)
}

// ThreeWay returns the current sides of one file of Conflicts, even if the conflict is gone
// by now.
func (p *reverter) ThreeWay(ctx context.Context, path string, ids []history.EditID) (ThreeWay, error) {
	if err := p.settled(ctx); err != nil {
		return ThreeWay{}, err
	}
	return p.store.ThreeWay(ctx, path, ids)
}

// settled records and saves everything, unless the project is read only.
func (p *reverter) settled(ctx context.Context) error {
	if p.ReadOnly() {
		return nil
	}
	return p.Settle(ctx)
}
