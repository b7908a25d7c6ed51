package app

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"waferpair/history"
	"waferpair/workspace"
	"waferpair/workspace/text"
)

// step is what a plan does to one file, in true text.
type step struct {
	path    string
	kind    history.Kind // text, create, delete, rename
	to      string       // rename
	changes text.ChangeSet
	content text.Text // create
	mode    fs.FileMode
	reverts []history.EditID
}

// fileMode is the permissions of a file that the step makes.
func (s step) fileMode() fs.FileMode {
	if s.mode == 0 {
		return 0o644
	}
	return s.mode.Perm()
}

// FileDiff is a file before and after a change, for showing.
type FileDiff struct {
	Path          string
	Before, After history.Version
}

// Done is what a change of several files came to.
type Done struct {
	Edits []history.EditID // empty after a dry run
	Files []string
	Diffs []FileDiff
}

// carryOut makes several files what the steps say, as one operation of the
// history: all or nothing. When the files cannot be written, what was recorded
// is taken back, on record.
//
// The plan is made once everything is recorded, and carried out before anybody
// else can change the files: with p.mu held.
func (p *Project) carryOut(ctx context.Context, op history.Op, plan func() ([]step, error)) (Done, error) {
	if err := p.Settle(ctx); err != nil {
		return Done{}, err
	}
	p.mu.Lock()
	steps, err := p.settledSteps(ctx, plan)
	var docs []*document
	var done Done
	if err == nil {
		for _, s := range steps {
			op.Reverts = append(op.Reverts, s.reverts...)
		}
		docs, done, err = p.recordSteps(ctx, op, steps)
	}
	p.mu.Unlock()
	if err != nil || len(docs) == 0 {
		return done, err
	}
	if err := p.saveAll(ctx, docs); err != nil {
		return Done{}, errors.Join(err, p.takeBack(ctx, docs))
	}
	return done, p.moveAll(ctx, steps)
}

// settledSteps plans until the plan is about files of which everything is
// recorded: what is still being written or typed in them is recorded first.
func (p *Project) settledSteps(ctx context.Context, plan func() ([]step, error)) ([]step, error) {
	for {
		appended := p.appended.Load()
		steps, err := plan()
		if err != nil {
			return nil, err
		}
		for _, s := range steps {
			d, err := p.document(ctx, s.path) // may record what another program did
			if err == nil {
				err = p.flush(ctx, d)
			}
			if err != nil {
				return nil, err
			}
		}
		if p.appended.Load() == appended {
			return steps, nil
		}
	}
}

// recordSteps appends the operation and makes its texts the live ones.
func (p *Project) recordSteps(ctx context.Context, op history.Op, steps []step) ([]*document, Done, error) {
	var done Done
	docs, next, err := p.prepareAll(ctx, steps, &done, &op)
	if err != nil || len(docs) == 0 {
		return nil, done, err
	}
	op.OrNot = true
	r, err := p.append(ctx, op)
	if err != nil {
		return nil, done, fmt.Errorf("record the change: %w", err)
	}
	if err := r.Wait(ctx); err != nil {
		return nil, done, fmt.Errorf("record the change: %w", err)
	}
	for _, advance := range next {
		if err := advance(); err != nil {
			return nil, done, err
		}
	}
	done.Edits = r.IDs()
	return docs, done, nil
}

// prepareAll works out what the steps record, and how the documents follow.
func (p *Project) prepareAll(ctx context.Context, steps []step, done *Done, op *history.Op) (docs []*document, next []func() error, err error) {
	for _, s := range steps {
		d, err := p.document(ctx, s.path)
		if err != nil {
			return nil, nil, err
		}
		edit, diff, advance, err := p.prepare(s, d)
		if err != nil {
			return nil, nil, err
		}
		if s.kind == history.Rename && slices.Contains(docs, d) {
			edit.Expect = history.Hash{} // an earlier edit of the operation changes the content
		}
		docs, next = append(docs, d), append(next, advance)
		op.Edits = append(op.Edits, edit)
		done.Files, done.Diffs = append(done.Files, s.path), append(done.Diffs, diff)
	}
	return docs, next, nil
}

// prepare works out what a step records, and how the document follows once it
// is recorded.
func (p *Project) prepare(s step, d *document) (history.NewEdit, FileDiff, func() error, error) {
	e := history.NewEdit{Path: d.path, Kind: s.kind, Reverts: s.reverts}
	diff := FileDiff{Path: d.path, Before: version(d.exists, d.masked)}
	fail := func(err error) (history.NewEdit, FileDiff, func() error, error) { return e, diff, nil, err }
	switch s.kind {
	case history.Text, history.Blob:
		if s.kind == history.Blob { // text that holds NUL, as UTF-16 does: a change of it as of any other
			s.changes, e.Kind = text.Diff(d.head, s.content), history.Text
		}
		after, err := s.changes.Apply(d.head)
		if err != nil {
			return fail(fmt.Errorf("%s changed while this was planned; try again", d.path))
		}
		cs, m, hidden, err := maskChange(d.path, d.masked, s.changes, after, d.hidden)
		if err != nil {
			return fail(err)
		}
		e.Changes, e.Before = cs, d.masked
		diff.After = version(true, m)
		return e, diff, func() error { return p.become(d, s.changes, after, m, hidden) }, nil
	case history.Create:
		m, found := masked(d.path, s.content)
		e.Content, e.Mode = m.Bytes(), s.fileMode()
		diff.After = version(true, m)
		return e, diff, func() error {
			d.exists, d.mode, d.dirty = true, s.fileMode(), true // also when it is empty
			cs, err := text.NewChangeSet(0, text.Change{Insert: s.content.String()})
			if err != nil {
				return err
			}
			d.id = newID()
			p.opt.Listener.FilesChanged()
			return p.become(d, cs, s.content, m, found > 0)
		}, nil
	case history.Delete:
		e.Expect = history.HashText(d.masked)
		return e, diff, func() error {
			d.dirty = true
			return p.gone(d)
		}, nil
	case history.Rename:
		e.To, e.Expect = s.to, history.HashText(d.masked)
		diff.After = diff.Before
		return e, diff, func() error { d.moving = true; return nil }, nil
	}
	return fail(fmt.Errorf("%s: an edit of kind %q cannot be carried out", d.path, s.kind))
}

func version(exists bool, t text.Text) history.Version {
	return history.Version{Exists: exists, Bytes: t.Bytes()}
}

// become applies a recorded change to a document of which everything is recorded.
func (p *Project) become(d *document, cs text.ChangeSet, after, m text.Text, hidden bool) error {
	_, v := d.buffer.Snapshot()
	done, err := d.buffer.Apply(string(history.Revert), v, cs)
	if err != nil {
		return err
	}
	p.opt.Listener.TextChanged(d.path)
	return d.advance(done.Changes, layersAt(after), m, hidden)
}

// saveAll writes the documents, all or none.
func (p *Project) saveAll(ctx context.Context, docs []*document) error {
	p.saver.mu.Lock()
	defer p.saver.mu.Unlock()
	p.mu.Lock()
	dirty, writes := p.collect()
	p.mu.Unlock()
	if len(writes) == 0 {
		return nil
	}
	saved, err := p.folder.SaveAll(ctx, writes)
	p.mu.Lock()
	defer p.mu.Unlock()
	if err != nil && !slices.ContainsFunc(saved, func(s workspace.Saved) bool { return s.State == workspace.Written }) {
		for _, d := range dirty {
			d.stuck = true
		}
		return err
	}
	var errs []error
	var states []history.DiskState
	for i, d := range dirty {
		errs = append(errs, p.wrote(ctx, d, writes[i], saved[i]))
		if saved[i].Err == nil {
			states = append(states, p.diskState(d, writes[i], saved[i]))
		}
	}
	return errors.Join(append(errs, p.store.SetDisk(ctx, states))...)
}

// takeBack records that a change that could not be written is undone, so that
// history again says what is on disk.
func (p *Project) takeBack(ctx context.Context, docs []*document) error {
	ctx = context.WithoutCancel(ctx)
	p.mu.Lock()
	defer p.mu.Unlock()
	op := history.Op{Author: history.Recovery, Note: "taken back: the files could not be written", OrNot: true}
	var next []func() error
	for _, d := range docs {
		if !d.settled() { // typed in since: what the user sees stays
			continue
		}
		s, any := d.backToDisk()
		if !any {
			continue
		}
		e, _, advance, err := p.prepare(s, d)
		if err != nil {
			return err
		}
		op.Edits, next = append(op.Edits, e), append(next, func() error {
			err := advance()
			d.dirty, d.stuck = false, false
			d.unsaved, d.since, d.unsavedBy = text.Retain(d.head.Len()), text.Retain(d.head.Len()), authors{}
			return err
		})
	}
	if len(op.Edits) == 0 {
		return nil
	}
	r, err := p.append(ctx, op)
	if err == nil {
		err = r.Wait(ctx)
	}
	if err != nil {
		return err
	}
	for _, advance := range next {
		if err := advance(); err != nil {
			return err
		}
	}
	return nil
}

// backToDisk is the step from head to what is on disk; false when they agree.
func (d *document) backToDisk() (step, bool) {
	onDisk := d.disk != [32]byte{}
	switch {
	case d.exists && !onDisk:
		return step{path: d.path, kind: history.Delete}, true
	case !d.exists && onDisk:
		return step{path: d.path, kind: history.Create, content: d.saved, mode: d.mode}, true
	case d.exists && !d.unsaved.Empty():
		return step{path: d.path, kind: history.Text, changes: text.Diff(d.head, d.saved)}, true
	}
	return step{}, false
}

// moveAll renames on disk what the steps renamed in history.
func (p *Project) moveAll(ctx context.Context, steps []step) error {
	for _, s := range steps {
		if s.kind == history.Rename {
			if err := p.moveOnDisk(ctx, s.path, s.to); err != nil {
				return err
			}
		}
	}
	return nil
}
