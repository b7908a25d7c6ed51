package app

import (
	"context"
	"errors"

	"waferpair/app/live"
	"waferpair/workspace"
	"waferpair/workspace/text"
)

// File is a file as a page sees it.
type File struct {
	Path string
	// ID identifies this opening, in 53 bits. A document that was replaced as a whole (by a
	// restart, or because another program deleted or recreated the file) has a new one, and
	// versions of the old one do not apply to it.
	ID   int64
	Kind string // text, binary, large, other, missing
	Why  string // why it is read only; "" when it is not
	// Kept is false for a file that is ignored or may hold secrets: what is typed there goes
	// to disk only, never into the history.
	Kept     bool
	Text     text.Text
	Encoding text.Encoding
	Version  workspace.Version
	Size     int64
}

// Show opens a file for a page. An open file is shown as it is, whoever is working on it:
// all pages get later changes, and no page waits for another file.
func (p *documents) Show(ctx context.Context, path string) (f File, err error) {
	path, d := p.shown(path)
	if d != nil {
		return p.file(path, d), nil
	}
	err = p.holding(ctx, []string{path}, func(ctx context.Context) error {
		d, err := p.open(ctx, path)
		if err == nil {
			f = p.file(d.Path, d)
		}
		return err
	})
	var no *notEditable
	if errors.As(err, &no) {
		return File{Path: no.path, Kind: no.kind, Why: no.why, Kept: no.excluded == "", Size: no.size}, nil
	}
	return f, err
}

// shown returns the open document of a path if it can be shown without its lock: it is
// watched, and was not opened during a stall that is over.
func (p *documents) shown(name string) (path string, d *live.Document) {
	path, err := p.folder.Path(name)
	if err != nil {
		return name, nil // opening it returns the reason
	}
	d = p.table.at(path)
	if d == nil || d.Excluded != "" || d.State().Track == live.Shown && p.records() {
		return path, nil
	}
	return path, d
}

func (p *documents) file(path string, d *live.Document) File {
	// the ID first: the text of a newer opening must not get the old ID
	f := File{Path: path, ID: d.ID(), Kind: kindText, Why: d.ReadOnlyReason(), Kept: d.Excluded == "",
		Encoding: d.Encoding}
	f.Text, f.Version = d.Buffer.Snapshot()
	f.Size = int64(f.Text.Len())
	if !d.Exists() {
		f.Kind = kindMissing
	}
	if err := p.recordable(); err != nil {
		f.Why = err.Error()
	}
	if err := p.ready.refuses(); err != nil && p.IsReady() {
		f.Why = err.Error()
	}
	return f
}

// Updates lead from a page's version to the newest one. An empty List means that the page
// is up to date.
type Updates struct {
	Text    text.Text
	Version workspace.Version
	List    []Update
}

// Update is one change of an open file, which produced Version.
type Update = workspace.Logged

// Since returns the changes of an open file since a version. On ErrReplaced, or on a
// *workspace.VersionError for a page that fell too far behind, call Show again.
func (p *documents) Since(path string, id int64, v workspace.Version) (Updates, error) {
	d, err := p.opened(path, id)
	if err != nil {
		return Updates{}, err
	}
	t, now, list, err := d.Buffer.Since(v)
	if d.ID() != id { // it was replaced just now, so the changes may be of the new opening
		return Updates{}, ErrReplaced
	}
	return Updates{t, now, list}, err
}

// ErrReplaced says that the document that a page names was replaced as a whole.
var ErrReplaced = errors.New("the file was replaced or closed since it was shown; take a new snapshot")

// opened returns the open document that a page names.
func (p *documents) opened(path string, id int64) (*live.Document, error) {
	d := p.table.at(path)
	if d == nil || d.ID() != id {
		return nil, ErrReplaced
	}
	return d, nil
}
