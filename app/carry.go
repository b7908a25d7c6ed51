package app

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"waferpair/app/live"
	"waferpair/app/mask"
	"waferpair/history"
	"waferpair/workspace"
	"waferpair/workspace/text"
)

// step is the change that a plan makes to one file, in unmasked text.
type step struct {
	path    string
	kind    history.Kind // text, create, delete, rename
	to      string       // rename
	changes text.ChangeSet
	content text.Text // create
	mode    fs.FileMode
	reverts []history.EditID
}

// fileMode returns the permissions of a file that the step creates.
func (s step) fileMode() fs.FileMode {
	if s.mode == 0 {
		return 0o644
	}
	return s.mode.Perm()
}

// carrier changes several files at once.
type carrier struct{ *saver }

// FileDiff is a file before and after a change, for showing.
type FileDiff struct {
	Path          string
	Before, After history.Version
}

// Done is the result of changing several files.
type Done struct {
	Edits []history.EditID // empty after a dry run
	Files []string
	Diffs []FileDiff
}

// planner returns the steps to carry out. It asks for the locks of the files that it
// reads; the locks of the files that the steps change are taken anyway.
type planner func(context.Context) ([]step, error)

// way is how failures of single files are treated.
type way int

const (
	allOrNothing  way = iota
	eachForItself     // a file that changed meanwhile is skipped; other errors are joined
	allFiles          // all or nothing, and no other file changes meanwhile
)

// carryOut changes several files by steps, as one operation of the history: all or
// nothing.
func (p *carrier) carryOut(ctx context.Context, op history.Op, plan planner) (Done, error) {
	return p.carry(ctx, plan, allOrNothing, p.recorder(op))
}

// carryEach is carryOut, but changes each file by itself.
func (p *carrier) carryEach(ctx context.Context, op history.Op, plan planner) (Done, error) {
	return p.carry(ctx, plan, eachForItself, p.recorder(op))
}

// recorder makes changes durable, and records with them that the intent of their save is
// fulfilled.
type recorder func(ctx context.Context, changes []change, save int64) ([]history.EditID, error)

// recorder returns a recorder that records changes as one operation.
func (p *carrier) recorder(op history.Op) recorder {
	return func(ctx context.Context, changes []change, save int64) ([]history.EditID, error) {
		if len(changes) == 0 {
			return nil, nil
		}
		ctx = context.WithoutCancel(ctx) // the files are changed already: it must be recorded, or fail
		op.Save, op.OrNot = save, true
		for _, c := range changes {
			op.Edits, op.Reverts = append(op.Edits, c.edit), append(op.Reverts, c.reverts...)
		}
		r, err := p.append(ctx, op)
		if err == nil {
			err = r.Wait(ctx)
		}
		return r.IDs(), err
	}
}

// carry changes several files by a plan, all or nothing:
//
//	plan, prepare   work out the edits to record and the files to write
//	Carry           write the files: all, or none when one cannot be written
//	record          record the edits; if that fails, the files are rolled back
//	advance         update the documents
//
// Unlike in a save of single edits, the files come first: then a change that cannot be
// written leaves no edits in the history, and none that revert them. Nobody else changes
// the files meanwhile, because their locks are held.
func (p *carrier) carry(ctx context.Context, plan planner, how way, record recorder) (done Done, err error) {
	if err := p.Settle(ctx); err != nil {
		return Done{}, err
	}
	p.saving.Lock()
	defer p.saving.Unlock()
	files := p.folder.Begin()
	defer files.End() // after the lock of a file is released: it may call preserve
	var last planned
	do := func(ctx context.Context) error {
		done, err = p.carryLocked(ctx, files, &last, plan, how, record)
		return err
	}
	if how == allFiles {
		err = p.holdingAll(ctx, do)
	} else {
		err = p.holding(ctx, nil, do)
	}
	return done, err
}

func (p *carrier) carryLocked(ctx context.Context, files *workspace.Change, last *planned, plan planner,
	how way, record recorder) (Done, error) {
	steps, err := p.settledSteps(ctx, last, plan)
	if err != nil {
		return Done{}, err
	}
	changes, err := p.prepareAll(ctx, steps)
	if err != nil {
		return Done{}, err
	}
	var saved []workspace.Saved
	var failed error
	if writes := writesOf(changes); how == eachForItself {
		saved, _ = files.ApplyEach(ctx, writes) // each write carries its own error
		changes, failed = applied(changes, saved)
	} else if saved, err = files.Apply(ctx, writes); err != nil {
		return Done{}, nothingChanged(saved, err)
	}
	ids, err := record(ctx, changes, files.ID())
	if err != nil {
		return Done{}, errors.Join(fmt.Errorf("record the change: %w", err), files.Rollback())
	}
	files.Commit()
	done := Done{Edits: ids}
	for _, c := range changes {
		done.Files, done.Diffs = append(done.Files, c.path), append(done.Diffs, c.diff)
	}
	return done, errors.Join(failed, p.advanceAll(context.WithoutCancel(ctx), changes, saved))
}

// applied returns the changes that are on disk now, and why others are not. A file that
// is already gone counts as deleted.
func applied(changes []change, saved []workspace.Saved) (done []change, err error) {
	var errs []error
	for _, c := range changes {
		var stale *workspace.StaleError
		switch {
		case c.write < 0 || saved[c.write].Err == nil:
			done = append(done, c)
		case !errors.As(saved[c.write].Err, &stale):
			errs = append(errs, saved[c.write].Err)
		case stale.Disk == nil && c.kind == history.Delete:
			c.write = -1
			done = append(done, c)
		}
	}
	return done, errors.Join(errs...)
}

// nothingChanged adds to an error that nothing was changed, where that is true.
func nothingChanged(saved []workspace.Saved, err error) error {
	if slices.ContainsFunc(saved, func(s workspace.Saved) bool { return s.State == workspace.Unfinished }) {
		return err
	}
	return fmt.Errorf("%w\nnothing was changed", err)
}

// planned is a plan, with the number of recorded operations when it was made.
type planned struct {
	steps    []step
	made     bool
	appended int64
}

// settledSteps plans until all files of the plan are recorded: unrecorded text in them is
// recorded first. A plan that was made without their locks stands if nothing at all was
// recorded since.
func (p *carrier) settledSteps(ctx context.Context, last *planned, plan planner) ([]step, error) {
	for {
		if now := p.appended.Load(); !last.made || last.appended != now {
			steps, err := plan(ctx)
			if err != nil {
				return nil, err
			}
			*last = planned{steps, true, now}
		}
		if err := needs(ctx, pathsOf(last.steps)...); err != nil {
			return nil, err
		}
		before := locksOf(ctx).appended
		for _, s := range last.steps {
			d, err := p.document(ctx, s.path) // may record what another program did
			if err == nil {
				err = d.Flush(ctx)
			}
			if err != nil {
				return nil, err
			}
		}
		if locksOf(ctx).appended == before {
			return last.steps, nil
		}
		last.made = false
	}
}

// pathsOf lists the files that steps change.
func pathsOf(steps []step) (paths []string) {
	for _, s := range steps {
		if paths = append(paths, s.path); s.kind == history.Rename {
			paths = append(paths, s.to)
		}
	}
	return paths
}

// change is a step being carried out: what it records, and what it writes.
type change struct {
	step
	d       *live.Document
	edit    history.NewEdit
	diff    FileDiff
	exists  bool         // whether the file exists afterwards
	after   text.Text    // its content then
	advance func() error // updates the document
	write   int          // index of its write; -1: the content on disk stays
}

// prepareAll works out what each step records, and how its document is updated.
func (p *carrier) prepareAll(ctx context.Context, steps []step) ([]change, error) {
	var out []change
	for _, s := range steps {
		d, err := p.document(ctx, s.path)
		if err != nil {
			return nil, err
		}
		c, err := p.prepare(s, d)
		if err == nil && s.kind == history.Rename {
			err = p.prepareMove(ctx, &c, out)
		}
		if err != nil {
			return nil, err
		}
		out = append(out, c)
	}
	return out, nil
}

// prepareMove completes a rename, on top of the changes before it that affect its file.
func (p *carrier) prepareMove(ctx context.Context, c *change, before []change) error {
	_, target, err := p.movable(ctx, c.path, c.to)
	if err != nil {
		return err
	}
	c.to = target.Path
	if i := slices.IndexFunc(before, func(o change) bool { return o.d == c.d }); i >= 0 {
		c.edit.Expect, c.after = history.Hash{}, before[i].after
	}
	return nil
}

// prepare works out what a step records, and how its document is updated once that is
// recorded.
func (p *carrier) prepare(s step, d *live.Document) (change, error) {
	was, _ := d.Masked()
	c := change{step: s, d: d, exists: true, after: d.Head(), write: -1,
		edit: history.NewEdit{Path: d.Path, Kind: s.kind, Reverts: s.reverts},
		diff: FileDiff{Path: d.Path, Before: version(d.Exists(), was)}}
	switch s.kind {
	case history.Text, history.Blob:
		err := p.prepareText(&c)
		return c, err
	case history.Create:
		p.prepareCreate(&c)
		return c, nil
	case history.Delete:
		c.exists, c.after = false, text.Text{}
		c.edit.Expect, c.edit.Before = d.HeadHash(), was
		c.advance = func() error { return d.Delete() }
		return c, nil
	case history.Rename:
		c.edit.To, c.edit.Expect = s.to, d.HeadHash()
		c.diff.After = c.diff.Before
		c.advance = func() error { return nil } // renamed updates the path
		return c, nil
	}
	return c, fmt.Errorf("%s: an edit of kind %q cannot be carried out", d.Path, s.kind)
}

func (p *carrier) prepareText(c *change) (err error) {
	d := c.d
	if c.kind == history.Blob { // text that contains NUL, as UTF-16 does: change it like any text
		c.changes, c.edit.Kind = text.Diff(d.Head(), c.content), history.Text
	}
	if c.after, err = c.changes.Apply(d.Head()); err != nil {
		return fmt.Errorf("%s changed while this was planned; try again", d.Path)
	}
	was, hides := d.Masked()
	cs, m, hidden, err := mask.Change(d.Path, was, c.changes, c.after, hides)
	if err != nil {
		return err
	}
	c.edit.Changes, c.edit.Before = cs, was
	c.diff.After = version(true, m)
	changes, after := c.changes, c.after
	c.advance = func() error { return d.Become(history.Revert, changes, after, m, hidden) }
	return nil
}

func (p *carrier) prepareCreate(c *change) {
	d, content, mode := c.d, c.content, c.fileMode()
	c.after = content
	m, found := mask.Text(d.Path, content)
	c.edit.Content, c.edit.Mode = m.Bytes(), mode
	c.diff.After = version(true, m)
	c.advance = func() error {
		cs, err := text.NewChangeSet(0, text.Change{Insert: content.String()})
		if err != nil {
			return err
		}
		d.Recreate(mode)
		return d.Become(history.Revert, cs, content, m, found > 0)
	}
}

func version(exists bool, t text.Text) history.Version {
	return history.Version{Exists: exists, Bytes: t.Bytes()}
}

// writesOf returns the writes for the changes, each based on the content on disk and on
// the writes before it.
func writesOf(changes []change) []workspace.Write {
	disk := map[string][32]byte{}
	var out []workspace.Write
	for i := range changes {
		c := &changes[i]
		before, met := disk[c.d.Path]
		if !met {
			before = c.d.Disk.Hash()
		}
		w, any := c.writeOn(before)
		if !any {
			continue
		}
		out, c.write = placed(out, w, c)
		disk[c.d.Path] = [32]byte{}
		if c.exists {
			disk[endsAt(w)] = sha256.Sum256(c.after.Bytes())
		}
	}
	return out
}

func endsAt(w workspace.Write) string { return cmp.Or(w.To, w.Path) }

// writeOn returns the write of a change on top of the content on disk with hash before;
// false if there is nothing to write.
func (c *change) writeOn(before [32]byte) (workspace.Write, bool) {
	w := workspace.Write{Path: c.d.Path, Before: before, Content: c.bytes()}
	switch onDisk := before != [32]byte{}; {
	case c.kind == history.Rename && onDisk:
		w.Op, w.To, w.Content = workspace.Rename, c.to, nil
	case c.kind == history.Rename: // it was never saved
		w.Op, w.Path, w.Mode = workspace.Create, c.to, &c.d.Mode
	case c.exists && onDisk:
		w.Op = workspace.Update
	case c.exists:
		w.Op = workspace.Create
		if mode := c.fileMode(); mode != 0o644 {
			w.Mode = &mode
		}
	case onDisk:
		w.Op, w.Content = workspace.Delete, nil
	default:
		return w, false
	}
	return w, true
}

// bytes returns the file's content after the change; never nil.
func (c *change) bytes() []byte { return append([]byte{}, c.after.Bytes()...) }

// placed adds the write of a change and returns its index. A file that replaces one
// deleted earlier in the batch becomes an update of it, because a batch writes each file
// once.
func placed(out []workspace.Write, w workspace.Write, c *change) ([]workspace.Write, int) {
	i := slices.IndexFunc(out, func(o workspace.Write) bool { return o.Op == workspace.Delete && o.Path == endsAt(w) })
	if i < 0 {
		return append(out, w), len(out)
	}
	mode := c.fileMode()
	if c.kind == history.Rename {
		mode = c.d.Mode
	}
	out[i].Op, out[i].Content, out[i].Mode = workspace.Update, c.bytes(), &mode
	if w.Op == workspace.Rename {
		out = append(out, workspace.Write{Path: w.Path, Op: workspace.Delete, Before: w.Before})
	}
	return out, i
}

// advanceAll updates the documents to what is recorded and on disk now.
func (p *carrier) advanceAll(ctx context.Context, changes []change, saved []workspace.Saved) error {
	var errs []error
	for _, c := range changes {
		errs = append(errs, c.advance())
		var s workspace.Saved
		if c.write >= 0 {
			s = saved[c.write]
		}
		if c.kind == history.Rename {
			c.d.Buffer.Renamed(c.to)
			p.renamed(ctx, c.d, c.to, s.Entry)
		} else {
			errs = append(errs, p.carried(ctx, c, s))
		}
	}
	return errors.Join(errs...)
}

// carried notes that a document's newest version is on disk.
func (p *carrier) carried(ctx context.Context, c change, s workspace.Saved) error {
	d, w := c.d, workspace.Write{Op: workspace.Update, Content: c.bytes()}
	if !c.exists { // also where another file takes its place
		w, s.After = workspace.Write{Op: workspace.Delete}, [32]byte{}
	}
	d.SaveBegins()
	err := p.wrote(ctx, d, w, s)
	p.noteDisk(ctx, p.diskState(d, w, s))
	return err
}
