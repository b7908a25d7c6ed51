package app

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"syscall"

	"waferpair/app/live"
	"waferpair/app/mask"
	"waferpair/engine"
	"waferpair/workspace"
	"waferpair/workspace/secrets"
	"waferpair/workspace/text"
)

// exclusion returns why history and models do not get a file; "" when they may.
func (p *core) exclusion(path string) string {
	if why, yes := secrets.FileLikelySecret(path); yes {
		return "the file may hold secrets (" + why + "); it enters neither prompts nor the history"
	}
	if rule, yes := p.ignore.Match(path, false); yes {
		return fmt.Sprintf("the file is ignored (%s:%d: %s), so the history does not keep it", rule.Source,
			rule.Line, rule.Pattern)
	}
	return ""
}

// document returns the open file at a path, for a change that history records; it opens
// the file if necessary. A missing file is a document that does not exist. The lock of
// the file is held, as in all functions below.
func (p *documents) document(ctx context.Context, name string) (*live.Document, error) {
	d, err := p.open(ctx, name)
	var no *notEditable
	switch {
	case errors.As(err, &no) && no.excluded != "":
		return nil, excludedError(no.path, no.excluded)
	case err != nil:
		return nil, err
	case d.Excluded != "":
		return nil, excludedError(d.Path, d.Excluded)
	case p.stillReadOnly(ctx, d):
		return nil, &notEditable{path: d.Path, why: d.ReadOnlyReason(), kind: kindText}
	}
	return d, nil
}

// permitted updates a file's permissions.
func (p *documents) permitted(ctx context.Context, d *live.Document, e workspace.Entry) {
	if why := p.readOnlyReason(ctx, e); why != d.ReadOnlyReason() {
		d.SetReadOnly(why)
		p.opt.Listener.TextChanged(d.Path)
	}
	d.Mode = e.Mode.Perm()
}

// stillReadOnly checks a read-only file again: no event reports a change of permissions.
func (p *documents) stillReadOnly(ctx context.Context, d *live.Document) bool {
	if d.ReadOnlyReason() != "" && d.Exists() {
		if e, err := p.folder.Stat(d.Path); err == nil {
			p.permitted(ctx, d, e)
		}
	}
	return d.ReadOnlyReason() != ""
}

// settingsAreYours is why nobody but the user edits the project's settings for this program.
const settingsAreYours = "it is one of the project's settings for waferpair, which only you change"

// ownSettings refuses a file of the project's settings to a turn. real is where the path leads to.
func ownSettings(path, real string) error {
	if workspace.InSettings(path) || workspace.InSettings(real) {
		return excludedError(path, settingsAreYours)
	}
	return nil
}

// noModel says why no model may edit a file, whatever the user approves; "" if one may.
func (p *core) noModel(path string) string {
	if workspace.InSettings(path) {
		return settingsAreYours
	}
	return p.exclusion(path)
}

func excludedError(path, why string) error {
	return &engine.HeldError{Paths: []string{path}, Reason: why, Next: "edit it yourself"}
}

// open opens a text file, including read-only files and files that only the user may
// change. A link inside the folder opens its target, whose lock open asks for.
func (p *documents) open(ctx context.Context, name string) (*live.Document, error) {
	path, err := p.folder.Path(name)
	if err == nil {
		err = needs(ctx, path)
	}
	if err != nil {
		return nil, err
	}
	if d := p.current(path); d != nil && d.Excluded == "" {
		return d, nil
	}
	if why := p.Owes(path); why != nil {
		return nil, &notEditable{path: path, kind: kindOther,
			why: fmt.Sprintf(
				"a failed change is still in it and could not be rolled back (%v); fix that, then restart waferpair", why)}
	}
	file, err := p.folder.Read(ctx, path)
	missing := errors.Is(err, fs.ErrNotExist)
	switch {
	case errors.Is(err, syscall.EISDIR):
		return nil, &notEditable{path: path, why: "it is a folder", kind: kindOther}
	case err != nil && !missing:
		return nil, err
	case !missing:
		path = file.Real
	}
	if err := needs(ctx, path); err != nil {
		return nil, err
	}
	if d := p.current(path); d != nil {
		return d, p.refreshExcluded(ctx, d, file)
	}
	return p.openNew(ctx, path, file, missing)
}

// refreshExcluded merges another program's changes of an ignored file, which is not
// watched. A missing file changes nothing.
func (p *documents) refreshExcluded(ctx context.Context, d *live.Document, file workspace.File) error {
	if d.Excluded == "" || file.Real == "" || file.Hash == d.Disk.Hash() {
		return nil
	}
	return p.mergeExternal(ctx, d, &file)
}

// current returns the open document of a path. A document that was opened while nothing
// could be recorded, or before the comparison with the disk, is evicted once that is over.
func (p *documents) current(path string) *live.Document {
	d := p.table.at(path)
	if d != nil && d.State().Track == live.Shown && p.records() {
		p.evict(d)
		return nil
	}
	return d
}

func (p *documents) openNew(ctx context.Context, path string,
	file workspace.File, missing bool) (d *live.Document, err error) {
	d = live.Open(host{p}, path, p.exclusion(path), p.records())
	if missing {
		err = p.openMissing(ctx, d)
	} else {
		err = p.openFile(ctx, d, file)
	}
	if err == nil {
		p.table.put(d)
	}
	return d, err
}

// openFile opens a file, after history recorded its content on disk.
func (p *documents) openFile(ctx context.Context, d *live.Document, file workspace.File) error {
	if no := notText(file); no != nil {
		no.path, no.excluded = d.Path, d.Excluded
		return no
	}
	t := text.Of(file.Bytes)
	m, found := mask.Text(d.Path, t)
	if d.Tracked() {
		if err := p.Sync(ctx, d.Path, file, m); err != nil {
			return err
		}
	}
	d.Mode, d.Encoding = file.Entry.Mode.Perm(), file.Encoding
	d.SetReadOnly(p.readOnlyReason(ctx, file.Entry))
	d.Found(file.Hash, t, m, found > 0)
	return nil
}

// openMissing opens a file that does not exist (yet). While the whole folder is gone, no
// file counts as missing.
func (p *documents) openMissing(ctx context.Context, d *live.Document) error {
	if err := p.folder.CheckRoot(); err != nil {
		return err
	}
	if d.Tracked() {
		if err := p.SyncGone(ctx, d.Path); err != nil {
			return err
		}
	}
	d.Missing()
	return nil
}

// evict closes a document whose text is all recorded: the next access opens the file anew.
func (p *documents) evict(d *live.Document) {
	p.table.drop(d)
	if d.State().Known() && d.Tracked() {
		p.List.Know(d.Path, d.HeadHash())
	}
	p.opt.Listener.TextChanged(d.Path)
}
