package app

import (
	"context"
	"fmt"

	"waferpair/history"
	"waferpair/workspace"
	"waferpair/workspace/text"
)

// ReviewHunk is a place at which a file differs from its accepted base by what the
// model did, where it is in the live text.
type ReviewHunk struct {
	history.ReviewHunk
	FromUTF16 text.UTF16 `json:"from16"` // From and To as a page counts
	ToUTF16   text.UTF16 `json:"to16"`
}

// Review lists the places in a file that wait for review, in their order, and says
// which version of the live text they are in, also when there are none. With path
// "" it lists those of all files, as recorded, with neither place nor removed text.
func (p *Project) Review(ctx context.Context, path string) ([]ReviewHunk, workspace.Version, error) {
	if path == "" {
		all, err := p.store.ReviewAll(ctx)
		out := make([]ReviewHunk, len(all))
		for i, h := range all {
			h.From, h.To, h.Removed = 0, 0, ""
			out[i] = ReviewHunk{ReviewHunk: h}
		}
		return out, 0, err
	}
	path, err := p.Path(path)
	if err != nil {
		return nil, 0, err
	}
	now, err := p.textNow(ctx, path)
	if err != nil {
		return nil, 0, err
	}
	m, _ := masked(path, now.text)
	hunks, err := p.store.Review(ctx, path, m)
	return reviewHunks(hunks, now), now.version, err
}

func reviewHunks(list []history.ReviewHunk, now fileNow) []ReviewHunk {
	out := make([]ReviewHunk, len(list))
	for i, h := range list {
		h.Removed = now.encoding.Decode([]byte(h.Removed))
		out[i] = ReviewHunk{ReviewHunk: h}
		out[i].FromUTF16, out[i].ToUTF16 = now.encoding.ToShown(now.text, h.From), now.encoding.ToShown(now.text, h.To)
	}
	return out
}

// Accept says that edits are looked through and stay.
func (p *Project) Accept(ctx context.Context, ids []history.EditID) error {
	return p.setReviewed(ctx, ids, true)
}

// Unaccept makes edits wait for review again.
func (p *Project) Unaccept(ctx context.Context, ids []history.EditID) error {
	return p.setReviewed(ctx, ids, false)
}

// AcceptTurn accepts all edits of a turn.
func (p *Project) AcceptTurn(ctx context.Context, turn history.TurnID) error {
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

func (p *Project) setReviewed(ctx context.Context, ids []history.EditID, accepted bool) error {
	if err := p.writable(); err != nil {
		return err
	}
	return p.store.SetReviewed(ctx, ids, accepted)
}
