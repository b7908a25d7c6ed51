package app

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"waferpair/engine"
	"waferpair/engine/editstream"
	"waferpair/history"
	"waferpair/workspace"
	"waferpair/workspace/secrets"
	"waferpair/workspace/text"
)

// document is an open file: what it is now, what history knows, and what is on
// disk. p.mu guards it.
//
//	disk --unsaved--> head --pending--> live
type document struct {
	path string
	live *workspace.Buffer
	view workspace.Version // up to where the running turn has seen live
	seen text.Text         // live at view
	mode fs.FileMode
	enc  text.Encoding // of the file as it was opened

	exists  bool     // there is such a file now
	pending composer // head -> live: of the hunk that streams in
	newborn bool     // created by a hunk that history does not have yet

	recorded bool      // history has the file
	head     text.Text // as last recorded
	masked   text.Text // head as history holds it, see mask.go
	hidden   bool      // masked hides a secret

	disk     [32]byte       // SHA-256 of the bytes on disk; zero when there is no file
	saved    text.Text      // those bytes
	unsaved  text.ChangeSet // saved -> head
	since    text.ChangeSet // the part of unsaved that came after the save under way began
	dirty    bool           // head is not on disk
	turn     history.TurnID // whose hunk streams in
	draftDue time.Time      // when the streaming hunk is to be journaled; zero: it has only begun
}

// heldName says why the app does not touch a file without the user's approval.
func (p *Project) heldName(path string) string {
	if why, yes := secrets.FileLikelySecret(path); yes {
		return "the file may hold secrets (" + why + "); it enters neither prompts nor the history"
	}
	if rule, yes := p.ignore.Match(path, false); yes {
		return fmt.Sprintf("the file is ignored (%s:%d: %s), so the history does not keep it", rule.Source, rule.Line, rule.Pattern)
	}
	return ""
}

// document returns the open file at path, opening it if need be. A file that
// is not there is a document that does not exist. A link inside the folder is
// the file it leads to. p.mu is held.
func (p *Project) document(ctx context.Context, name string) (*document, error) {
	path, err := p.folder.Path(name)
	if err != nil {
		return nil, err
	}
	if d := p.docs[path]; d != nil {
		return d, nil
	}
	file, err := p.folder.Read(ctx, path)
	missing := errors.Is(err, fs.ErrNotExist)
	if err != nil && !missing {
		return nil, err
	}
	if !missing {
		path = file.Real
	}
	if d := p.docs[path]; d != nil {
		return d, nil
	}
	if why := p.heldName(path); why != "" {
		return nil, &engine.HeldError{Paths: []string{path}, Reason: why, Next: "edit it yourself"}
	}
	d := &document{path: path, mode: 0o644}
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
func (p *Project) openFile(ctx context.Context, d *document, file workspace.File) (err error) {
	if err := editable(file); err != nil {
		return err
	}
	if d.live, err = p.folder.Buffer(ctx, d.path); err != nil {
		return err
	}
	t := text.Of(file.Bytes)
	m, found := masked(d.path, t)
	if err := p.syncFile(ctx, d.path, file, m); err != nil {
		return err
	}
	d.exists, d.recorded = true, true
	d.mode, d.enc = file.Entry.Mode.Perm(), file.Encoding
	d.masked, d.hidden = m, found > 0
	d.disk = file.Hash
	d.settleAt(t)
	return nil
}

// openMissing opens a file that does not exist (yet).
func (p *Project) openMissing(ctx context.Context, d *document) (err error) {
	if err := p.syncGone(ctx, d.path); err != nil {
		return err
	}
	if d.live, err = p.folder.NewBuffer(d.path); err != nil {
		return err
	}
	d.settleAt(text.Text{})
	return nil
}

// settleAt makes t what the document is live, in history and on disk.
func (d *document) settleAt(t text.Text) {
	d.head, d.saved = t, t
	d.pending, d.unsaved, d.since = startingAt(t.Len()), text.Retain(t.Len()), text.Retain(t.Len())
	d.see()
}

// see brings the turn's view up to date.
func (d *document) see() { d.seen, d.view = d.live.Snapshot() }

// notEditable says why a file is shown and not edited.
type notEditable struct{ path, why string }

func (e *notEditable) Error() string { return e.path + ": " + e.why + "; it was not edited" }

func editable(f workspace.File) error {
	switch f.Class {
	case workspace.Binary:
		return &notEditable{f.Path, "it is a binary file"}
	case workspace.TooLarge:
		return &notEditable{f.Path, fmt.Sprintf("it is too large (%d MB) to edit", f.Entry.Size>>20)}
	case workspace.Other:
		return &notEditable{f.Path, "it is not a regular file"}
	}
	if f.Entry.Mode.Perm()&0o200 == 0 {
		return &notEditable{f.Path, "it is read-only (chmod u+w allows editing)"}
	}
	return nil
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

// clear empties the live text.
func (d *document) clear() error {
	t, v := d.live.Snapshot()
	all, err := text.NewChangeSet(t.Len(), text.Change{To: t.Len()})
	if err == nil {
		_, err = d.live.Apply(string(history.Model), v, all)
	}
	d.see()
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
