package app

import (
	"context"
	"slices"
	"time"

	"waferpair/app/corrections"
	"waferpair/app/mask"
	"waferpair/engine"
	"waferpair/history"
)

// keepCorrection keeps what a turn says about an earlier request, if the user has asked for that: the
// turn chose one of the requests that were offered, or makes edits after all those of the turn before
// it were reverted.
func (p *sessions) keepCorrection(ctx context.Context, turn history.Turn, choice Choice, o engine.Outcome) error {
	box := corrections.In(p.opt.StateHome)
	if o.Status != engine.Completed || len(o.Edits) == 0 || !box.On() || turn.Model != p.models.Default().Info().Name {
		return nil
	}
	c := corrections.Correction{Time: time.Now(), Meant: turn.Request, How: corrections.Chosen}
	if choice.N != 0 {
		asked, err := p.query.Turn(ctx, choice.Turn)
		if err != nil {
			return err
		}
		c.Request = asked.Request
		for _, offer := range asked.Nearest {
			c.Offered = append(c.Offered, mask.Words(offer.Request))
		}
		return box.Keep(c)
	}
	before, err := p.store.Turns(ctx, turn.Session, turn.ID, 1)
	if err != nil || len(before) == 0 || before[0].Status != string(engine.Completed) || before[0].Model != turn.Model {
		return err
	}
	edits, err := p.store.List(ctx, history.Filter{Turn: before[0].ID})
	stays := func(e history.Edit) bool { return e.RevertedBy == 0 }
	if err != nil || len(edits) == 0 || slices.ContainsFunc(edits, stays) {
		return err
	}
	c.Request, c.How = before[0].Request, corrections.Reverted
	return box.Keep(c)
}
