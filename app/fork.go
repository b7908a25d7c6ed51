package app

import (
	"context"
	"errors"

	"waferpair/history"
	"waferpair/workspace"
	"waferpair/workspace/text"
)

// Fork starts a line of edits of its own at a moment and brings the files there.
func (p *Project) Fork(ctx context.Context, name string, at history.EditID) (Done, error) {
	if err := p.writable(); err != nil {
		return Done{}, err
	}
	if _, err := p.store.Fork(ctx, name, at); err != nil {
		return Done{}, err
	}
	return p.SwitchFork(ctx, name)
}

// SwitchFork goes to another line of edits: the files become what they were at
// its newest edit. The line that is left keeps everything.
func (p *Project) SwitchFork(ctx context.Context, name string) (Done, error) {
	if err := p.writable(); err != nil {
		return Done{}, err
	}
	plan, err := p.store.Switch(ctx, name)
	if err != nil {
		return Done{}, err
	}
	return p.switchTo(ctx, name, plan)
}

// switchTo brings the files to the other line. The branch changes first: after
// a crash in between, the files are behind its newest versions, and the next
// start writes those, as after any crash.
func (p *Project) switchTo(ctx context.Context, name string, plan history.Plan) (Done, error) {
	if err := p.Settle(ctx); err != nil {
		return Done{}, err
	}
	if err := p.baseline.wait(); err != nil {
		return Done{}, err
	}
	done, writes, err := p.planSwitch(ctx, plan)
	if err != nil {
		return Done{}, err
	}
	if err := p.store.SetBranch(ctx, name); err != nil {
		return Done{}, err
	}
	saved, err := p.folder.Save(ctx, writes)
	var states []history.DiskState
	for i, s := range saved {
		if s.Err == nil {
			states = append(states, switchedState(writes[i], plan.Files[i], s)...)
		}
	}
	p.mu.Lock()
	for _, d := range p.docs { // they belong to the line that was left
		p.forget(d)
	}
	p.mu.Unlock()
	return done, errors.Join(err, p.store.SetDisk(ctx, states))
}

// planSwitch turns a plan into writes of true bytes.
func (p *Project) planSwitch(ctx context.Context, plan history.Plan) (Done, []workspace.Write, error) {
	var done Done
	var writes []workspace.Write
	for _, f := range plan.Files {
		w := workspace.Write{Path: f.Path, To: f.To}
		diff := FileDiff{Path: f.Path}
		if f.Kind != history.Create {
			disk, err := p.folder.Read(ctx, f.Path)
			if err != nil {
				return done, nil, err
			}
			w.Before = disk.Hash
			diff.Before = version(true, text.Of(disk.Bytes))
			if f.Kind == history.Text {
				after, err := f.Changes.Apply(f.Before)
				if err != nil {
					return done, nil, err
				}
				if w.Content, err = unmask(f.Path, text.Of(disk.Bytes), after); err != nil {
					return done, nil, err
				}
				diff.After = version(true, after)
			}
		}
		switch f.Kind {
		case history.Create:
			w.Op, w.Content = workspace.Create, f.Content
			diff.After = version(true, text.Of(f.Content))
		case history.Text:
			w.Op = workspace.Update
		case history.Blob:
			w.Op, w.Content = workspace.Update, f.Content
			diff.After = version(true, text.Of(f.Content))
		case history.Delete:
			w.Op = workspace.Delete
		case history.Rename:
			w.Op = workspace.Rename
			diff.After = diff.Before
		}
		writes = append(writes, w)
		done.Files, done.Diffs = append(done.Files, f.Path), append(done.Diffs, diff)
	}
	return done, writes, nil
}

// switchedState is what is on disk after a write of the switch.
func switchedState(w workspace.Write, f history.PlannedEdit, s workspace.Saved) []history.DiskState {
	switch w.Op {
	case workspace.Delete:
		return []history.DiskState{{Path: w.Path}}
	case workspace.Rename:
		return []history.DiskState{{Path: w.Path}, diskState(w.To, f.Expect, s.Entry)}
	case workspace.Create:
		return []history.DiskState{diskState(w.Path, history.HashBytes(f.Content), s.Entry)}
	}
	if f.Kind == history.Blob {
		return []history.DiskState{diskState(w.Path, history.HashBytes(f.Content), s.Entry)}
	}
	after, err := f.Changes.Apply(f.Before)
	if err != nil {
		return nil
	}
	return []history.DiskState{diskState(w.Path, history.HashText(after), s.Entry)}
}
