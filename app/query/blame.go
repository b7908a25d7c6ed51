package query

import (
	"context"

	"waferpair/history"
	"waferpair/workspace"
)

// Blame returns the origin of each line of a file in its current text, and the version of
// that text. Unrecorded lines have history.Unrecorded.
func (c Core) Blame(ctx context.Context, path string) ([]history.BlameRun, workspace.Version, error) {
	path, now, m, err := c.nowMasked(ctx, path)
	if err != nil {
		return nil, 0, err
	}
	runs, err := c.History.Blame(ctx, path, m)
	return runs, now.Version, err
}
