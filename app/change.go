package app

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"waferpair/app/disk"
	"waferpair/app/live"
	"waferpair/app/mask"
	"waferpair/app/query"
	"waferpair/engine"
	"waferpair/engine/editstream"
	"waferpair/history"
	"waferpair/workspace"
	"waferpair/workspace/text"
)

// turnFiles is the project as turns read it. What a turn may change is in its hold.
type turnFiles struct {
	*carrier
	query    func() *query.Reader
	declared *declared
	covers   *covers
}

// Open returns the file as it is now. It implements editstream.Files.
func (p *turnFiles) Open(path string) (doc editstream.Doc, err error) {
	err = p.opening(path, func(_ *live.Document, shown editstream.Doc) { doc = shown })
	return doc, err
}

// opening is Open with a callback that gets the document, under its lock; nil if the file
// cannot be opened.
func (p *turnFiles) opening(path string, see func(*live.Document, editstream.Doc)) error {
	return p.holding(context.Background(), []string{path}, func(ctx context.Context) error {
		doc, d, err := p.openDoc(ctx, path)
		see(d, doc)
		return err
	})
}

func (p *turnFiles) openDoc(ctx context.Context, path string) (editstream.Doc, *live.Document, error) {
	d, err := p.document(ctx, path)
	if err != nil {
		var no *notEditable
		if errors.As(err, &no) {
			return editstream.Doc{Editable: no}, nil, nil
		}
		return editstream.Doc{}, nil, err
	}
	if !d.Exists() {
		return editstream.Doc{}, d, fs.ErrNotExist
	}
	return editstream.Doc{Text: d.Live(), Encoding: d.Encoding}, d, nil
}

// overlap converts the buffer's error for the engine.
func overlap(path string, t text.Text, err error) error {
	var o *workspace.OverlapError
	if !errors.As(err, &o) {
		return fmt.Errorf("change %s: %w", path, err)
	}
	line := 1
	if len(o.Ranges) > 0 {
		line = t.LineAt(o.Ranges[0].From) + 1
	}
	return &engine.OverlapError{Path: path, By: o.By, Line: line}
}

func (p *documents) movable(ctx context.Context, from, to string) (d, target *live.Document, err error) {
	if d, err = p.document(ctx, from); err == nil {
		target, err = p.document(ctx, to)
	}
	return d, target, err
}

// renamed gives a document its new path. It keeps its versions, so pages can follow it.
// The locks of both paths are held.
func (p *documents) renamed(ctx context.Context, d *live.Document, to string, e workspace.Entry) {
	left := d.Path
	p.table.rename(d, to)
	p.List.Know(left, history.Hash{})
	p.List.Drop(left)
	m, _ := mask.Text(to, d.Disk.Text())
	p.opt.Listener.TextChanged(left)
	p.opt.Listener.TextChanged(to)
	p.opt.Listener.FilesChanged()
	p.noteDisk(ctx, history.DiskState{Path: left}, disk.State(to, history.HashText(m), e))
}
