package live

import (
	"waferpair/workspace"
	"waferpair/workspace/text"
)

// Saving begins the save that is due, and says what it writes; false when nothing
// is to be written.
func (d *Document) Saving() (workspace.Write, bool) {
	w := workspace.Write{Path: d.Path, Before: d.Disk.Hash(), Content: d.Head().Bytes()}
	onDisk := d.Disk.There()
	switch {
	case d.Exists() && onDisk:
		w.Op = workspace.Update
	case d.Exists():
		w.Op = workspace.Create
		if d.Mode != 0o644 {
			mode := d.Mode // the write is carried out without the file's lock
			w.Mode = &mode
		}
	case onDisk:
		w.Op, w.Content = workspace.Delete, nil
	default:
		d.Handle(Merged)
		return w, false
	}
	d.SaveBegins()
	return w, true
}

// SaveBegins begins a save of head, by whoever knows what to write.
func (d *Document) SaveBegins() {
	d.Disk.Saving(d.Head())
	d.Handle(SaveBegan)
}

// Saved ends a save: the bytes of that hash are on disk.
func (d *Document) Saved(hash [32]byte, content []byte) {
	d.Handle(SaveEnded)
	d.Disk.Saved(hash, text.Of(content))
	d.saves++
	if !d.Disk.Unsaved() {
		d.unsavedBy = Authors{}
	}
}

// Merged takes in that another program's version is on disk, and in head unless the
// two clash: then nothing of it is to be saved.
func (d *Document) Merged(hash [32]byte, theirs text.Text, clash bool) {
	d.Disk.Became(hash, theirs, d.Head())
	if d.Disk.Unsaved() && !clash {
		d.Handle(MergedMore)
	} else {
		d.Handle(Merged)
	}
}

// Lost forgets whose edits are not on disk, since somebody else's are, and says it.
func (d *Document) Lost() Authors {
	by := d.unsavedBy
	d.unsavedBy = Authors{}
	return by
}
