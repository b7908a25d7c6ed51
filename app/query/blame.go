package query

import (
	"context"

	"waferpair/history"
	"waferpair/workspace"
)

// Blame says where each line of a file comes from, as the file is now, in which
// version of the live text. Lines that are not recorded yet have history.Unrecorded.
func (c Core) Blame(ctx context.Context, path string) ([]history.BlameRun, workspace.Version, error) {
	path, now, m, err := c.nowMasked(ctx, path)
	if err != nil {
		return nil, 0, err
	}
	runs, err := c.History.Blame(ctx, path, m)
	return runs, now.Version, err
}
