package live

import (
	"context"
	"fmt"
	"io/fs"

	"waferpair/history"
	"waferpair/workspace"
	"waferpair/workspace/text"
)

// Writer is who makes a change. Origin is how a page knows its own again, and what
// tells one turn from another.
type Writer struct {
	Author history.Author
	Origin string
}

// Put applies a change to the live text and to the layer of its author. What
// the user typed is recorded before somebody else changes it.
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

// Become applies a recorded change to a document of which everything is recorded:
// history has m then.
func (d *Document) Become(by history.Author, cs text.ChangeSet, after, m text.Text, hidden bool) error {
	_, v := d.Buffer.Snapshot()
	done, err := d.Buffer.Apply(string(by), v, cs)
	if err != nil {
		return err
	}
	d.host.Changed(d.Path)
	return d.advance(done.Changes, At(after), m, hidden)
}

// Make makes a file, which history gets with what is written into it: as a new
// opening.
func (d *Document) Make() {
	if d.Exists() {
		return
	}
	d.Handle(Made)
	d.renew()
	d.host.Listed()
	d.host.Changed(d.Path)
}

// MakeTyped makes a file of which the user has typed the first letter. While that
// cannot be recorded, the user types on; it is recorded with what is typed.
func (d *Document) MakeTyped(ctx context.Context, stalled func() error) error {
	made := Created
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

// Recreate makes a file that history has already, as a new opening: Become fills it.
func (d *Document) Recreate(mode fs.FileMode) {
	d.Handle(Created)
	d.Mode = mode
	d.renew()
	d.host.Listed()
}

// Drop takes back a file that history never had.
func (d *Document) Drop() error {
	d.Handle(Dropped)
	d.host.Listed()
	return d.clear()
}

// Delete makes it a file that does not exist; the disk follows.
func (d *Document) Delete() error {
	d.Handle(Deleted)
	d.Disk.Clear()
	return d.gone()
}

// Vanish makes it a file that does not exist, on disk either.
func (d *Document) Vanish() error {
	d.Handle(Vanished)
	d.Disk = OnDisk([32]byte{}, text.Text{})
	d.Disk.Clear()
	return d.gone()
}

func (d *Document) gone() error {
	d.SetReadOnly("") // that was the file; another one may be made in its place
	d.masked, d.redacted = text.Text{}, false
	d.host.Listed()
	return d.clear()
}

// clear empties the live text, as a new opening: what pages held of the old
// one has no place any more.
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
