package live

import (
	"context"
	"fmt"
	"io/fs"

	"waferpair/history"
	"waferpair/workspace"
	"waferpair/workspace/text"
)

// Writer identifies who makes a change. By its Origin a page recognizes its own
// changes, and one turn is told from another.
type Writer struct {
	Author history.Author
	Origin string
}

// Put applies a change to the live text and to the layer of its author. If another
// author changes what the user typed, Put records the typing first.
func (d *Document) Put(ctx context.Context, by Writer, base workspace.Version,
	cs text.ChangeSet) (workspace.Applied, error) {
	done, err := d.Buffer.ApplyFrom(string(by.Author), by.Origin, base, cs)
	if err != nil {
		return done, err
	}
	after, _ := d.Buffer.Snapshot()
	d.host.Changed(d.Path)
	if by.Author == history.User {
		return done, d.Type(done.Changes, after)
	}
	if d.TouchesTyped(done.Changes) {
		if err := d.RecordTyped(ctx); err != nil {
			d.host.Notice(err.Error()) // both layers stay as they are; only their authors blur
		}
	}
	return done, d.Write(done.Changes, after)
}

// Become applies a change that history already has, of a document without unrecorded
// changes. m is the new head as history holds it.
func (d *Document) Become(by history.Author, cs text.ChangeSet, after, m text.Text, redacted bool) error {
	_, v := d.Buffer.Snapshot()
	done, err := d.Buffer.Apply(string(by), v, cs)
	if err != nil {
		return err
	}
	d.host.Changed(d.Path)
	return d.advance(done.Changes, At(after), m, redacted)
}

// Make creates the file in memory, as a new opening. History gets it with the first
// text that is written into it.
func (d *Document) Make() {
	if d.Exists() {
		return
	}
	d.Handle(Made)
	d.renew()
	d.host.Listed()
	d.host.Changed(d.Path)
}

// MakeTyped creates a file because the user typed its first letter. If it cannot be
// recorded, the user keeps typing, and the file is recorded with the text.
func (d *Document) MakeTyped(ctx context.Context, stalled func() error) error {
	made := Created
	d.Umask = nil
	if d.Tracked() {
		_, err := d.host.Append(ctx,
			history.Op{Author: history.User, Edits: []history.NewEdit{{Path: d.Path, Kind: history.Create, Mode: d.Mode}}})
		switch {
		case err != nil && stalled() == nil:
			return fmt.Errorf("create %s: %w", d.Path, err)
		case err != nil:
			made, d.Turn = Typed, 0
		}
	}
	d.Handle(made)
	d.host.Listed()
	return nil
}

// Recreate brings back a file that history already has, as a new opening; Become fills it.
func (d *Document) Recreate(mode fs.FileMode) {
	d.Handle(Created)
	d.Mode, d.Umask = mode, nil
	d.renew()
	d.host.Listed()
}

// Drop discards a file that history never had.
func (d *Document) Drop() error {
	d.Handle(Dropped)
	d.host.Listed()
	return d.clear()
}

// Delete marks the file as deleted; the next save removes it from disk.
func (d *Document) Delete() error {
	d.Handle(Deleted)
	d.Disk.Clear()
	return d.gone()
}

// Vanish marks the file as deleted, on disk as well.
func (d *Document) Vanish() error {
	d.Handle(Vanished)
	d.Disk = OnDisk([32]byte{}, text.Text{})
	d.Disk.Clear()
	return d.gone()
}

func (d *Document) gone() error {
	d.SetReadOnly("") // it was about the deleted file; a new one may take its place
	d.masked, d.redacted = text.Text{}, false
	d.host.Listed()
	return d.clear()
}

// clear empties the live text and starts a new opening, because the changes that
// pages still hold do not apply to it.
func (d *Document) clear() error {
	all, err := text.NewChangeSet(d.Live().Len(), text.Change{To: d.Live().Len()})
	if err == nil {
		_, v := d.Buffer.Snapshot()
		_, err = d.Buffer.Apply(string(history.Model), v, all)
	}
	d.Layers = At(text.Text{})
	d.renew()
	d.host.Changed(d.Path)
	return err
}
