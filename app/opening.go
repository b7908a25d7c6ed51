package app

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"syscall"

	"waferpair/app/mask"
	"waferpair/engine"
	"waferpair/history"
	"waferpair/workspace"
	"waferpair/workspace/secrets"
	"waferpair/workspace/text"
)

// heldName says why history does not keep a file, and why models may not have it.
func (p *core) heldName(path string) string {
	if why, yes := secrets.FileLikelySecret(path); yes {
		return "the file may hold secrets (" + why + "); it enters neither prompts nor the history"
	}
	if rule, yes := p.ignore.Match(path, false); yes {
		return fmt.Sprintf("the file is ignored (%s:%d: %s), so the history does not keep it", rule.Source, rule.Line, rule.Pattern)
	}
	return ""
}

// document returns the open file at path for a change that history keeps,
// opening it if need be. A file that is not there is a document that does not
// exist. p.mu is held.
func (p *documents) document(ctx context.Context, name string) (*document, error) {
	d, err := p.open(ctx, name)
	var no *notEditable
	switch {
	case errors.As(err, &no) && no.held != "":
		return nil, heldError(no.path, no.held)
	case err != nil:
		return nil, err
	case d.held != "":
		return nil, heldError(d.path, d.held)
	case p.stillFixed(ctx, d):
		return nil, &notEditable{path: d.path, why: d.fixed, kind: kindText}
	}
	return d, nil
}

// permitted takes in what may be done with a file.
func (p *documents) permitted(ctx context.Context, d *document, e workspace.Entry) {
	if why := p.fixed(ctx, e); why != d.fixed {
		d.fixed = why
		p.opt.Listener.TextChanged(d.path)
	}
	d.mode = e.Mode.Perm()
}

// stillFixed looks again whether a file that cannot be changed still cannot: its
// permissions may be others since, and nobody may have told. p.mu is held.
func (p *documents) stillFixed(ctx context.Context, d *document) bool {
	if d.fixed != "" && d.exists {
		if e, err := p.folder.Stat(d.path); err == nil {
			p.permitted(ctx, d, e)
		}
	}
	return d.fixed != ""
}

func heldError(path, why string) error {
	return &engine.HeldError{Paths: []string{path}, Reason: why, Next: "edit it yourself"}
}

// open opens a text file, also one that may only be looked at, and one that
// only the user may change. A link inside the folder is the file it leads to.
func (p *documents) open(ctx context.Context, name string) (*document, error) {
	path, err := p.folder.Path(name)
	if err != nil {
		return nil, err
	}
	if d := p.current(path); d != nil && d.held == "" {
		return d, nil
	}
	if why := p.Owes(path); why != nil {
		return nil, &notEditable{path: path, kind: kindOther, why: fmt.Sprintf("a change that failed is still in it, and could not be taken back (%v); see to that, then start waferpair again", why)}
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
	if d := p.current(path); d != nil {
		return d, p.lookAtHeld(ctx, d, file)
	}
	return p.openNew(ctx, path, file, missing)
}

// lookAtHeld takes in what another program made of a file that is not watched,
// because it is ignored. While it is missing, it stays what it was.
func (p *documents) lookAtHeld(ctx context.Context, d *document, file workspace.File) error {
	if d.held == "" || file.Real == "" || file.Hash == d.disk.Hash() {
		return nil
	}
	return p.absorb(ctx, d, &file)
}

// current is the open document of a path. One that was opened while nothing
// could be recorded, or before the history had what is on disk, is opened again when that is over.
func (p *documents) current(path string) *document {
	d := p.docs[path]
	if d != nil && !d.synced && p.records() {
		p.forget(d)
		return nil
	}
	return d
}

func (p *documents) openNew(ctx context.Context, path string, file workspace.File, missing bool) (d *document, err error) {
	d = newDocument(path)
	d.held = p.heldName(path)
	d.synced = p.records()
	if missing {
		err = p.openMissing(ctx, d)
	} else {
		err = p.openFile(ctx, d, file)
	}
	if err == nil {
		p.docs[path] = d
	}
	return d, err
}

// openFile opens a file and brings history up to what is on disk.
func (p *documents) openFile(ctx context.Context, d *document, file workspace.File) error {
	if no := notText(file); no != nil {
		no.path, no.held = d.path, d.held
		return no
	}
	t := text.Of(file.Bytes)
	d.buffer = workspace.NewBuffer(d.path, t)
	m, found := mask.Text(d.path, t)
	if d.kept() {
		if err := p.Sync(ctx, d.path, file, m); err != nil {
			return err
		}
	}
	d.exists, d.recorded = true, true
	d.mode, d.enc = file.Entry.Mode.Perm(), file.Encoding
	d.fixed = p.fixed(ctx, file.Entry)
	d.masked, d.hidden = m, found > 0
	d.settleAt(file.Hash, t)
	return nil
}

// openMissing opens a file that does not exist (yet). While the whole folder is
// gone, nothing counts as missing.
func (p *documents) openMissing(ctx context.Context, d *document) error {
	if err := p.folder.Alive(); err != nil {
		return err
	}
	if d.kept() {
		if err := p.SyncGone(ctx, d.path); err != nil {
			return err
		}
	}
	d.buffer = workspace.NewBuffer(d.path, text.Text{})
	d.settleAt([32]byte{}, text.Text{})
	return nil
}

// forget closes a document of which everything is recorded: the next look at
// the file opens it anew.
func (p *documents) forget(d *document) {
	delete(p.docs, d.path)
	if d.recorded && d.kept() {
		p.List.Know(d.path, history.HashText(d.masked))
	}
	p.opt.Listener.TextChanged(d.path)
}
