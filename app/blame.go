package app

import (
	"context"

	"waferpair/history"
	"waferpair/workspace"
)

// Blame says where each line of a file comes from, as the file is now, in which
// version of the live text. Lines that are not recorded yet have history.Unrecorded.
func (p *Project) Blame(ctx context.Context, path string) ([]history.BlameRun, workspace.Version, error) {
	path, err := p.Path(path)
	if err != nil {
		return nil, 0, err
	}
	now, err := p.textNow(ctx, path)
	if err != nil {
		return nil, 0, err
	}
	m, _ := masked(path, now.text)
	runs, err := p.store.Blame(ctx, path, m)
	return runs, now.version, err
}
