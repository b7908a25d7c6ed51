package live

import (
	"waferpair/workspace"
	"waferpair/workspace/text"
)

// Saving begins a due save and returns what to write. ok is false when there is
// nothing to write.
func (d *Document) Saving() (workspace.Write, bool) {
	w := workspace.Write{Path: d.Path, Before: d.Disk.Hash(), Content: d.Head().Bytes()}
	onDisk := d.Disk.There()
	switch {
	case d.Exists() && onDisk:
		w.Op = workspace.Update
	case d.Exists():
		w.Op, w.Umask = workspace.Create, d.Umask
		if d.Mode != 0o644 {
			mode := d.Mode // the write runs without the file's lock
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

// SaveBegins begins a save of head whose content the caller determines.
func (d *Document) SaveBegins() {
	d.Disk.Saving(d.Head())
	d.Handle(SaveBegan)
}

// Saved ends a save: content, with that hash, is on disk.
func (d *Document) Saved(hash [32]byte, content []byte) {
	d.Handle(SaveEnded)
	d.Disk.Saved(hash, text.Of(content))
	d.saves++
	if !d.Disk.Unsaved() {
		d.unsavedBy = Authors{}
	}
}

// Merged notes that another program's version is on disk. It is also in head, unless
// the two clash; then head is not to be saved over it.
func (d *Document) Merged(hash [32]byte, theirs text.Text, clash bool) {
	d.Disk.Became(hash, theirs, d.Head())
	if d.Disk.Unsaved() && !clash {
		d.Handle(MergedMore)
	} else {
		d.Handle(Merged)
	}
}

// Lost returns and clears the authors of unsaved edits, because somebody else's version
// is on disk.
func (d *Document) Lost() Authors {
	by := d.unsavedBy
	d.unsavedBy = Authors{}
	return by
}
