package app

import (
	"context"
	"fmt"

	"waferpair/history"
)

// reviewer records which edits the user has reviewed.
type reviewer struct{ *core }

// Accept marks edits as reviewed.
func (p *reviewer) Accept(ctx context.Context, ids []history.EditID) error {
	return p.setReviewed(ctx, ids, true)
}

// Unaccept marks edits as not reviewed.
func (p *reviewer) Unaccept(ctx context.Context, ids []history.EditID) error {
	return p.setReviewed(ctx, ids, false)
}

// AcceptTurn accepts all edits of a turn.
func (p *reviewer) AcceptTurn(ctx context.Context, turn history.TurnID) error {
	edits, err := p.store.List(ctx, history.Filter{Turn: turn, Author: history.Model})
	if err != nil {
		return err
	}
	if len(edits) == 0 {
		return fmt.Errorf("accept turn %d: it has no edits", turn)
	}
	ids := make([]history.EditID, len(edits))
	for i, e := range edits {
		ids[i] = e.ID
	}
	return p.Accept(ctx, ids)
}

func (p *reviewer) setReviewed(ctx context.Context, ids []history.EditID, accepted bool) error {
	if err := p.writable(); err != nil {
		return err
	}
	return p.store.SetReviewed(ctx, ids, accepted)
}
