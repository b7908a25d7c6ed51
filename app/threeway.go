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
func (p *Project) Conflicts(ctx context.Context, ids []history.EditID) ([]ThreeWay, error) {
	if !p.ReadOnly() {
		if err := p.Settle(ctx); err != nil {
			return nil, err
		}
	}
	return p.store.Conflicts(ctx, ids)
}
