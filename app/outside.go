package app

import (
	"context"
	"errors"
	"io/fs"

	"waferpair/app/disk"
	"waferpair/app/live"
	"waferpair/app/mask"
	"waferpair/history"
	"waferpair/workspace"
	"waferpair/workspace/text"
)

// outsider merges other programs' changes into the open files. It implements
// disk.OpenFiles.
type outsider struct {
	*saver
	autosaver *autosaver
}

// Gone pauses saving while the folder is missing.
func (p *outsider) Gone(gone bool) {
	if !gone {
		p.autosaver.saveAll()
	}
	p.opt.Listener.FolderGone(gone)
}

// Listed notes that the list of files may have changed.
func (p *outsider) Listed() { p.opt.Listener.FilesChanged() }

// HoldAgain closes the open files whose exclusion from the history changed. Typing is
// recorded and saved under the rules that were valid when it was typed. No save or move
// runs meanwhile, which would find its file closed when it ends.
func (p *outsider) HoldAgain(ctx context.Context) {
	p.trouble("", p.Settle(ctx))
	p.saving.Lock()
	defer p.saving.Unlock()
	for path, d := range p.table.all() {
		if (p.exclusion(path) == "") == (d.Excluded == "") {
			continue
		}
		_ = p.with(ctx, d, func(context.Context) error {
			if (p.exclusion(d.Path) == "") != (d.Excluded == "") && d.Settled() && !d.Dirty() {
				p.evict(d)
			}
			return nil
		})
	}
}

// Outside merges other programs' changes of some files. It recognizes our own saves by
// their content; no save runs meanwhile.
func (p *outsider) Outside(ctx context.Context, paths []string) error {
	_, err := p.OutsideBut(ctx, paths, func(string) bool { return false })
	return err
}

// OutsideBut implements disk.OpenFiles.
func (p *outsider) OutsideBut(ctx context.Context, paths []string,
	wait func(path string) bool) (missing []string, err error) {
	p.saving.Lock()
	defer p.saving.Unlock()
	paths, err = p.outsideMoves(ctx, p.List.Below(paths))
	errs := []error{err}
	var states []history.DiskState
	for _, name := range paths {
		state, err := p.outsideOne(ctx, name, wait)
		if errors.Is(err, errMissing) {
			missing = append(missing, name)
			continue
		}
		errs = append(errs, err)
		if state.Path != "" && err == nil {
			states = append(states, state)
		}
	}
	if p.store.ReadOnly() {
		return missing, errors.Join(errs...)
	}
	return missing, errors.Join(append(errs, p.store.SetDisk(ctx, states))...)
}

// errMissing says that a file is missing and may be found under a new name.
var errMissing = errors.New("it is missing")

func (p *outsider) outsideOne(ctx context.Context, name string,
	wait func(string) bool) (state history.DiskState, err error) {
	err = p.holding(ctx, []string{name}, func(ctx context.Context) (err error) {
		state, err = p.outsideLocked(ctx, name, wait)
		return err
	})
	return state, err
}

func (p *outsider) outsideLocked(ctx context.Context, name string,
	wait func(string) bool) (history.DiskState, error) {
	none := history.DiskState{}
	d := p.table.at(name)
	if workspace.IsTemp(name) || d == nil && p.exclusion(name) != "" || p.Owes(name) != nil {
		return none, nil
	}
	file, err := p.folder.Read(ctx, name)
	gone := errors.Is(err, fs.ErrNotExist)
	if gone && !p.store.ReadOnly() && p.contentOnDisk(name) != (history.Hash{}) && wait(name) {
		return none, errMissing
	}
	if err != nil || !p.List.Has(name) {
		p.opt.Listener.FilesChanged()
	}
	switch {
	case err != nil && !gone:
		return none, nil // a directory, or unreadable
	case d != nil && !d.Tracked():
		return none, p.outsideUnkept(ctx, d, file, gone)
	case p.store.ReadOnly():
		return none, nil
	case !gone && file.Class != workspace.Text:
		return p.outsideBinary(ctx, d, file)
	case d != nil:
		return p.outsideOpen(ctx, d, file, gone)
	case gone:
		p.List.Drop(name)
		return history.DiskState{Path: name}, p.SyncGone(ctx, name)
	}
	m, _ := mask.Text(name, text.Of(file.Bytes))
	return disk.State(name, history.HashText(m), file.Entry), p.SyncOutside(ctx, name, m)
}

// outsideUnkept merges the changes of an open file that history does not track.
func (p *outsider) outsideUnkept(ctx context.Context, d *live.Document, file workspace.File, gone bool) error {
	switch {
	case gone && d.Disk.There():
		return p.mergeExternal(ctx, d, nil)
	case !gone && !d.Exists():
		p.evict(d)
	case !gone && file.Hash != d.Disk.Hash():
		return p.mergeExternal(ctx, d, &file)
	}
	return nil
}

// outsideBinary handles a file that is not text, or no longer.
func (p *outsider) outsideBinary(ctx context.Context, d *live.Document,
	file workspace.File) (history.DiskState, error) {
	s := disk.State(file.Path, history.Hash{}, file.Entry)
	s.Excluded = file.Class.String()
	p.List.Drop(file.Path)
	if d == nil {
		return s, nil
	}
	return s, p.mergeExternal(ctx, d, &file)
}

// outsideOpen merges the changes of an open file.
func (p *outsider) outsideOpen(ctx context.Context, d *live.Document,
	file workspace.File, gone bool) (history.DiskState, error) {
	switch onDisk := d.Disk.There(); {
	case gone && !onDisk:
		return history.DiskState{}, nil
	case gone:
		p.List.Drop(d.Path)
		return history.DiskState{Path: d.Path}, p.mergeExternal(ctx, d, nil)
	case file.Hash == d.Disk.Hash():
		p.permitted(ctx, d, file.Entry)
		return history.DiskState{}, nil
	}
	m, _ := mask.Text(d.Path, text.Of(file.Bytes))
	state := disk.State(d.Path, history.HashText(m), file.Entry)
	if !d.Exists() { // another program created the file: it is opened anew when needed
		p.evict(d)
		return state, p.SyncOutside(ctx, d.Path, m)
	}
	return state, p.mergeExternal(ctx, d, &file)
}
