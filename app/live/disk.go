package live

import "waferpair/workspace/text"

// Disk is the content of a file on disk, and the changes of head that are not saved.
//
//	disk --unsaved--> head
//
// A save writes head as it is when the save begins. Changes of head during the save
// are unsaved when it ends.
type Disk struct {
	hash    [32]byte       // SHA-256 of the bytes; zero: the file does not exist
	text    text.Text      // the same bytes as text
	unsaved text.ChangeSet // text -> head
	since   text.ChangeSet // the part of unsaved that is newer than the running save
}

// OnDisk is a file whose head equals its content on disk. A zero hash means no file.
func OnDisk(hash [32]byte, t text.Text) Disk {
	return Disk{hash: hash, text: t, unsaved: text.Retain(t.Len()), since: text.Retain(t.Len())}
}

// Hash is the SHA-256 of the bytes on disk.
func (d *Disk) Hash() [32]byte { return d.hash }

// Text is the content on disk.
func (d *Disk) Text() text.Text { return d.text }

// There reports whether the file exists on disk.
func (d *Disk) There() bool { return d.hash != [32]byte{} }

// Unsaved reports whether head differs from the content on disk.
func (d *Disk) Unsaved() bool { return !d.unsaved.Empty() }

// Advance adds a change of head.
func (d *Disk) Advance(cs text.ChangeSet) error {
	unsaved, err := d.unsaved.Compose(cs)
	if err != nil {
		return err
	}
	since, err := d.since.Compose(cs)
	if err != nil {
		return err
	}
	d.unsaved, d.since = unsaved, since
	return nil
}

// Clear records that head was deleted.
func (d *Disk) Clear() {
	d.unsaved, d.since = text.Diff(d.text, text.Text{}), text.Retain(0)
}

// Saving begins a save of head.
func (d *Disk) Saving(head text.Text) { d.since = text.Retain(head.Len()) }

// Saved ends the save: t is on disk now.
func (d *Disk) Saved(hash [32]byte, t text.Text) {
	d.hash, d.text, d.unsaved = hash, t, d.since
}

// Merge maps another program's changes of the file over the unsaved ones: cs applies
// to head. If both changed the same place, it returns the conflicting ranges of the
// old content on disk instead.
func (d *Disk) Merge(theirs text.Text) (cs text.ChangeSet, clash []text.Range, err error) {
	their := text.Diff(d.text, theirs)
	if clash = their.Conflicts(d.unsaved); len(clash) > 0 {
		return cs, clash, nil
	}
	cs, err = their.Map(d.unsaved, true)
	return cs, nil, err
}

// Became records that another program wrote theirs; head already has the merge result.
func (d *Disk) Became(hash [32]byte, theirs, head text.Text) {
	d.hash, d.text = hash, theirs
	d.unsaved, d.since = text.Diff(theirs, head), text.Retain(head.Len())
}
