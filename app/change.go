package app

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"waferpair/app/disk"
	"waferpair/app/live"
	"waferpair/app/mask"
	"waferpair/engine"
	"waferpair/engine/editstream"
	"waferpair/history"
	"waferpair/workspace"
	"waferpair/workspace/text"
)

// turnFiles is the project as turns see it: what they may look at. What one may
// change is its hold.
type turnFiles struct{ *carrier }

// put applies a change to the live text and to the layer of its author. What
// the user typed is recorded before somebody else changes it.
func (p *documents) put(ctx context.Context, d *document, by writer, base workspace.Version, cs text.ChangeSet) (workspace.Applied, error) {
	done, err := d.buffer.ApplyFrom(string(by.author), by.origin, base, cs)
	if err != nil {
		return done, err
	}
	after, _ := d.buffer.Snapshot()
	p.opt.Listener.TextChanged(d.path)
	p.touched()
	if by.author == history.User {
		return done, d.Type(done.Changes, after)
	}
	if d.TouchesTyped(done.Changes) {
		if err := p.recordTyped(ctx, d); err != nil {
			p.notice(err.Error()) // both layers stay as they are; only their authors blur
		}
	}
	return done, d.Write(done.Changes, after)
}

// writer is who makes a change; origin is how a page knows its own again.
type writer struct {
	author history.Author
	origin string
}

// Open is the file as it is now. It is part of editstream.Files.
func (p *turnFiles) Open(path string) (editstream.Doc, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	doc, _, err := p.openDoc(path)
	return doc, err
}

// openDoc is Open with the document, which is nil for what cannot be opened. p.mu is held.
func (p *turnFiles) openDoc(path string) (editstream.Doc, *document, error) {
	d, err := p.document(context.Background(), path)
	if err != nil {
		var no *notEditable
		if errors.As(err, &no) {
			return editstream.Doc{Editable: no}, nil, nil
		}
		return editstream.Doc{}, nil, err
	}
	if !d.exists {
		return editstream.Doc{}, d, fs.ErrNotExist
	}
	return editstream.Doc{Text: d.Live(), Encoding: d.enc}, d, nil
}

// clear empties the live text, as a new opening: what pages held of the old
// one has no place any more.
func (p *documents) clear(d *document) error {
	all, err := text.NewChangeSet(d.Live().Len(), text.Change{To: d.Live().Len()})
	if err == nil {
		_, v := d.buffer.Snapshot()
		_, err = d.buffer.Apply(string(history.Model), v, all)
	}
	d.Layers, d.id = live.At(text.Text{}), newID()
	p.opt.Listener.TextChanged(d.path)
	return err
}

// overlap translates the buffer's refusal for the engine.
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

func (p *documents) movable(ctx context.Context, from, to string) (d, target *document, err error) {
	if d, err = p.document(ctx, from); err == nil {
		target, err = p.document(ctx, to)
	}
	return d, target, err
}

// renamed gives a document its new name. Its versions go on, and so does what
// pages know of it.
func (p *documents) renamed(ctx context.Context, d *document, to string, e workspace.Entry) {
	left := d.path
	delete(p.docs, left)
	d.path = to
	p.docs[to] = d
	p.followTaken(left, to)
	p.List.Know(left, history.Hash{})
	p.List.Drop(left)
	m, _ := mask.Text(to, d.disk.Text())
	p.opt.Listener.TextChanged(left)
	p.opt.Listener.TextChanged(to)
	p.opt.Listener.FilesChanged()
	p.noteDisk(ctx, history.DiskState{Path: left}, disk.State(to, history.HashText(m), e))
}
