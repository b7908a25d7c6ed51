package app

import (
	"context"

	"waferpair/history"
	"waferpair/workspace"
	"waferpair/workspace/text"
)

// Resolve makes content of a file what a conflict was resolved to, as one edit
// by Revert. base is the version that the user looked at: when the file has
// another one by now, a *workspace.VersionError says so and nothing is done.
func (p *Project) Resolve(ctx context.Context, path string, id int64, base workspace.Version, content text.Text, reverts []history.EditID) (Done, error) {
	if err := p.writable(); err != nil {
		return Done{}, err
	}
	plan := func() ([]step, error) {
		d, err := p.opened(path, id)
		if err != nil {
			return nil, err
		}
		if _, now := d.buffer.Snapshot(); now != base {
			return nil, &workspace.VersionError{Path: path, Base: base, Oldest: now, Last: now}
		}
		if err := p.flush(ctx, d); err != nil {
			return nil, err
		}
		want, err := unmask(d.path, d.head, content) // the user was shown what history holds
		if err != nil {
			return nil, err
		}
		return []step{{path: d.path, kind: history.Text, changes: text.Diff(d.head, text.Of(want)), reverts: reverts}}, nil
	}
	return p.carryOut(ctx, history.Op{Author: history.Revert}, plan)
}
