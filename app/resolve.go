package app

import (
	"context"

	"waferpair/app/live"
	"waferpair/app/mask"
	"waferpair/history"
	"waferpair/workspace"
	"waferpair/workspace/text"
)

// Resolve writes the resolution of a conflict as one edit by Revert. base is the version
// that the user saw: if the file has another one by now, Resolve returns a
// *workspace.VersionError and does nothing.
func (p *reverter) Resolve(ctx context.Context, path string, id int64, base workspace.Version, content text.Text,
	reverts []history.EditID) (Done, error) {
	if err := p.writable(); err != nil {
		return Done{}, err
	}
	plan := func(ctx context.Context) ([]step, error) {
		if err := needs(ctx, path); err != nil {
			return nil, err
		}
		d, err := p.opened(path, id)
		if err != nil {
			return nil, err
		}
		if _, now := d.Buffer.Snapshot(); now != base {
			return nil, &workspace.VersionError{Path: path, Base: base, Oldest: now, Last: now}
		}
		if err := d.Flush(ctx); err != nil {
			return nil, err
		}
		want, err := mask.Lift(d.Path, d.Head(), content) // the user saw the masked text
		if err != nil {
			return nil, err
		}
		return p.resolved(ctx, d, text.Of(want), reverts)
	}
	return p.carryOut(ctx, history.Op{Author: history.Revert}, plan)
}

// resolved returns the step that leaves a file as the user wants it. An empty text deletes
// the file if the reverted edits created it; a file that is already gone needs no step.
func (p *reverter) resolved(ctx context.Context, d *live.Document, want text.Text,
	reverts []history.EditID) ([]step, error) {
	s := step{path: d.Path, kind: history.Text, reverts: reverts}
	switch made, err := p.madeBy(ctx, reverts); {
	case err != nil:
		return nil, err
	case !d.Exists() && want.Len() == 0:
		return nil, nil
	case !d.Exists():
		s.kind, s.content = history.Create, want
	case made && want.Len() == 0:
		s.kind = history.Delete
	default:
		s.changes = text.Diff(d.Head(), want)
	}
	return []step{s}, nil
}

// madeBy reports whether one of the edits of a file created it.
func (p *reverter) madeBy(ctx context.Context, edits []history.EditID) (bool, error) {
	for _, id := range edits {
		e, err := p.store.Get(ctx, id)
		if err != nil || e.Kind == history.Create {
			return err == nil, err
		}
	}
	return false, nil
}
