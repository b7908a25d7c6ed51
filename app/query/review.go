package query

import (
	"context"

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
func (c Core) Review(ctx context.Context, path string) ([]ReviewHunk, workspace.Version, error) {
	if path == "" {
		all, err := c.History.ReviewAll(ctx)
		out := make([]ReviewHunk, len(all))
		for i, h := range all {
			h.From, h.To, h.Removed = 0, 0, ""
			out[i] = ReviewHunk{ReviewHunk: h}
		}
		return out, 0, err
	}
	path, now, m, err := c.nowMasked(ctx, path)
	if err != nil {
		return nil, 0, err
	}
	hunks, err := c.History.Review(ctx, path, m)
	return reviewHunks(hunks, now), now.Version, err
}

func reviewHunks(list []history.ReviewHunk, now File) []ReviewHunk {
	out := make([]ReviewHunk, len(list))
	for i, h := range list {
		h.Removed = now.Encoding.Decode([]byte(h.Removed))
		out[i] = ReviewHunk{ReviewHunk: h}
		out[i].FromUTF16, out[i].ToUTF16 = now.Encoding.ToShown(now.Text, h.From), now.Encoding.ToShown(now.Text, h.To)
	}
	return out
}
