package live

import "waferpair/workspace/text"

// Disk is what is on disk of a file, and what of head is not.
//
//	disk --unsaved--> head
//
// A save writes head as it is when it begins. What becomes of head meanwhile
// is what is unsaved when it ends.
type Disk struct {
	hash    [32]byte       // SHA-256 of the bytes; zero: there is no file
	text    text.Text      // those bytes
	unsaved text.ChangeSet // text -> head
	since   text.ChangeSet // the part of unsaved that came after the save under way began
}

// OnDisk is a file whose head is what is on disk. With a zero hash there is none.
func OnDisk(hash [32]byte, t text.Text) Disk {
	return Disk{hash: hash, text: t, unsaved: text.Retain(t.Len()), since: text.Retain(t.Len())}
}

// Hash is the SHA-256 of the bytes on disk.
func (d *Disk) Hash() [32]byte { return d.hash }

// Text is those bytes.
func (d *Disk) Text() text.Text { return d.text }

// There reports whether there is a file.
func (d *Disk) There() bool { return d.hash != [32]byte{} }

// Unsaved reports whether head is another text than the one on disk.
func (d *Disk) Unsaved() bool { return !d.unsaved.Empty() }

// Advance takes in that head was changed.
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

// Clear takes in that head is gone.
func (d *Disk) Clear() {
	d.unsaved, d.since = text.Diff(d.text, text.Text{}), text.Retain(0)
}

// Saving begins a save of head.
func (d *Disk) Saving(head text.Text) { d.since = text.Retain(head.Len()) }

// Saved ends it: t is on disk now.
func (d *Disk) Saved(hash [32]byte, t text.Text) {
	d.hash, d.text, d.unsaved = hash, t, d.since
}

// Merge gives the change of head that takes in what another program made of the
// file, and where, in the text on disk, both changed the same: then there is none.
func (d *Disk) Merge(theirs text.Text) (cs text.ChangeSet, clash []text.Range, err error) {
	their := text.Diff(d.text, theirs)
	if clash = their.Conflicts(d.unsaved); len(clash) > 0 {
		return cs, clash, nil
	}
	cs, err = their.Map(d.unsaved, true)
	return cs, nil, err
}

// Became takes in that another program wrote theirs; head is what was made of it.
func (d *Disk) Became(hash [32]byte, theirs, head text.Text) {
	d.hash, d.text = hash, theirs
	d.unsaved, d.since = text.Diff(theirs, head), text.Retain(head.Len())
}
