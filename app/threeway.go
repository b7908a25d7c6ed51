package app

import (
	"context"

	"waferpair/history"
)

// ThreeWay is a file in which edits cannot be taken back without a guess.
type ThreeWay = history.ThreeWay

// Conflicts says what stands against what in each file when Revert meets a
// *history.Conflict: what the edits made, that without them, and what the file
// holds as history has it. It is empty when the edits can be taken back. The
// texts are masked, as history holds them.
func (p *reverter) Conflicts(ctx context.Context, ids []history.EditID) ([]ThreeWay, error) {
	if err := p.settled(ctx); err != nil {
		return nil, err
	}
	return p.store.Conflicts(ctx, ids)
}

// ThreeWay is one file of Conflicts as it is now; also when nothing stands in the
// way in it any more.
func (p *reverter) ThreeWay(ctx context.Context, path string, ids []history.EditID) (ThreeWay, error) {
	if err := p.settled(ctx); err != nil {
		return ThreeWay{}, err
	}
	return p.store.ThreeWay(ctx, path, ids)
}

// settled has everything in history that can be.
func (p *reverter) settled(ctx context.Context) error {
	if p.ReadOnly() {
		return nil
	}
	return p.Settle(ctx)
}
