package query

import (
	"context"

	"waferpair/history"
	"waferpair/workspace"
	"waferpair/workspace/text"
)

// ReviewHunk is a place where a file differs from its accepted base because of the model, in the
// live text.
type ReviewHunk struct {
	history.ReviewHunk
	FromUTF16 text.UTF16 `json:"from16"` // From and To in page units
	ToUTF16   text.UTF16 `json:"to16"`
}

// Review lists the places in a file that wait for review, in order, and returns the version of
// the live text that they refer to. With path "" it lists those of all files as recorded, without
// places or removed text.
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
