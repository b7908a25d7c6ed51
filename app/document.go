package app

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"

	"waferpair/engine"
	"waferpair/engine/editstream"
	"waferpair/history"
	"waferpair/workspace"
	"waferpair/workspace/text"
)

// document is an open file: what it is now, what history knows, and what is on
// disk. p.mu guards it.
//
//	disk --unsaved--> head --model--> mid --typed--> live
//
// The buffer holds live with its versions; layers hold the rest. Everything
// that changes the buffer goes through put or become, which keep the two alike.
type document struct {
	path   string
	id     int64 // names this opening, see File
	buffer *workspace.Buffer
	layers
	view workspace.Version // up to where the running turn has seen the buffer
	seen text.Text         // the text at view

	mode  fs.FileMode
	enc   text.Encoding // of the file as it was opened
	held  string        // why history does not keep the file; "" when it does
	fixed string        // why the file cannot be changed; "" when it can

	exists  bool // there is such a file now
	newborn bool // created by a hunk that history does not have yet
	moving  bool // history has its new name already, the disk not yet

	synced   bool      // history was brought up to the file when it was opened
	recorded bool      // history has the file
	masked   text.Text // head as history holds it, see package mask
	hidden   bool      // masked hides a secret

	disk      [32]byte       // SHA-256 of the bytes on disk; zero when there is no file
	saved     text.Text      // those bytes
	unsaved   text.ChangeSet // saved -> head
	since     text.ChangeSet // the part of unsaved that came after the save under way began
	unsavedBy authors        // whose edits unsaved are
	saveState

	turn  history.TurnID // whose hunk streams in
	early acks           // of parts of that hunk that were recorded before its end
	journaling
	burst
}

// newDocument names a new opening. The name fits a JavaScript number.
func newDocument(path string) *document {
	return &document{path: path, id: newID(), mode: 0o644}
}

func newID() int64 { return rand.Int64N(1<<53-1) + 1 }

// kept reports whether history keeps the document.
func (d *document) kept() bool { return d.held == "" && d.synced }

// settleAt makes t what the document is live, in history and on disk.
func (d *document) settleAt(t text.Text) {
	d.layers = layersAt(t)
	d.saved = t
	d.unsaved, d.since = text.Retain(t.Len()), text.Retain(t.Len())
	d.see()
}

// see brings the turn's view up to date.
func (d *document) see() { d.seen, d.view = d.buffer.Snapshot() }

// put applies a change to the live text and to the layer of its author. What
// the user typed is recorded before somebody else changes it.
func (p *Project) put(ctx context.Context, d *document, by writer, base workspace.Version, cs text.ChangeSet) (workspace.Applied, error) {
	done, err := d.buffer.ApplyFrom(string(by.author), by.origin, base, cs)
	if err != nil {
		return done, err
	}
	after, _ := d.buffer.Snapshot()
	p.opt.Listener.TextChanged(d.path)
	if p.unrecorded.stale = true; p.unrecorded.why != nil {
		p.keeper.nudge()
	}
	if by.author == history.User {
		return done, d.typed(done.Changes, after)
	}
	if d.touchesTyped(done.Changes) {
		if err := p.recordTyped(ctx, d); err != nil {
			p.notice(err.Error()) // both layers stay as they are; only their authors blur
		}
	}
	return done, d.wrote(done.Changes, after)
}

// writer is who makes a change; origin is how a page knows its own again.
type writer struct {
	author history.Author
	origin string
}

// Open is the file as a turn sees it. It is part of engine.Project.
func (p *Project) Open(path string) (editstream.Doc, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	d, err := p.document(context.Background(), path)
	if err != nil {
		var no *notEditable
		if errors.As(err, &no) {
			return editstream.Doc{Editable: no}, nil
		}
		return editstream.Doc{}, err
	}
	if !d.exists {
		return editstream.Doc{}, fs.ErrNotExist
	}
	d.see()
	return editstream.Doc{Text: d.seen, Encoding: d.enc}, nil
}

// clear empties the live text, as a new opening: what pages held of the old
// one has no place any more.
func (p *Project) clear(d *document) error {
	all, err := text.NewChangeSet(d.live.Len(), text.Change{To: d.live.Len()})
	if err == nil {
		_, v := d.buffer.Snapshot()
		_, err = d.buffer.Apply(string(history.Model), v, all)
	}
	d.layers, d.id = layersAt(text.Text{}), newID()
	d.see()
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
