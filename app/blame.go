package app

import (
	"context"

	"waferpair/history"
	"waferpair/workspace"
)

// BlameRun is a run of lines of the live text that the same edit made what they
// are. Lines that are not recorded yet have history.Unrecorded.
type BlameRun struct {
	history.BlameRun
	Version workspace.Version `json:"version"` // of the live text that the lines are of
}

// Blame says where each line of a file comes from, as the file is now.
func (p *Project) Blame(ctx context.Context, path string) ([]BlameRun, error) {
	path, err := p.Path(path)
	if err != nil {
		return nil, err
	}
	now, err := p.textNow(ctx, path)
	if err != nil {
		return nil, err
	}
	m, _ := masked(path, now.text)
	runs, err := p.store.Blame(ctx, path, m)
	out := make([]BlameRun, len(runs))
	for i, r := range runs {
		out[i] = BlameRun{r, now.version}
	}
	return out, err
}
