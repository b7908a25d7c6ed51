package history

import (
	"io/fs"
	"slices"
)

// A file that was deleted and brought back, by an edit that takes the delete back
// or by a restore, is one file to a revert. The walk meets what brought it back
// first and keeps the planned file; at the delete it goes on with that one. Neither
// of the two is a later edit then: only what differs on both sides of them is.

// revived is a planned file, and the edit that brought it back.
type revived struct {
	file *planned
	by   touched
}

// revives notes of which delete an edit that stays brought the file back. Of two
// that did so the newer one made the file that is there.
func (r *reverter) revives(f *planned, e touched) {
	if e.kind != Create && e.kind != Symlink {
		return
	}
	back := r.reverts.of[e.id]
	if e.author == Revert && len(back) == 0 {
		back = r.restored(e)
	}
	for _, id := range back { // any that is no delete, the walk will not ask for
		if _, ok := r.revived[id]; !ok {
			r.revived[id] = revived{f, e}
		}
	}
}

// restored returns the delete that ended the newest file of this name that once
// was what a restore brought back: a restore does not record what it takes back.
func (r *reverter) restored(e touched) (gone []EditID) {
	for _, x := range slices.Backward(r.edits) {
		switch {
		case x.id >= e.id:
		case x.kind == Delete && x.path == e.path:
			gone = []EditID{x.id}
		case x.kind == Rename && x.path == e.path:
			gone = nil // the file of before has another name
		case x.after == e.after && (x.path == e.path || x.to == e.path):
			return gone
		}
	}
	return nil
}

// cameBack returns what brought the file of a delete back, when the delete stays.
func (r *reverter) cameBack(e touched) (revived, bool) {
	v, ok := r.revived[e.id]
	return v, ok && e.kind == Delete && !r.set[e.id]
}

// goOn takes the walk over a delete to the file that was there before.
func (r *reverter) goOn(v revived, gone touched) error {
	between, err := r.between(gone, v.by)
	if isPurged(err) {
		between, err = []laterEdit{{id: v.by.id, kind: Blob}}, nil // whatever it was
	}
	since := slices.DeleteFunc(v.file.later, func(l laterEdit) bool { return l.id == v.by.id })
	v.file.later = append(between, since...)
	return err
}

// between returns what a file that came back differs in from what was deleted, as
// later edits: other edits of it can have been taken back together with the delete.
func (r *reverter) between(gone, back touched) (out []laterEdit, err error) {
	was, wasText, err := r.before(gone)
	if err != nil {
		return nil, err
	}
	is, isText, err := r.versionAt(back.path, back.id)
	if err != nil {
		return nil, err
	}
	switch {
	case is.Hash == was.Hash && is.Mode == was.Mode:
	case (is.Mode|was.Mode)&fs.ModeSymlink != 0:
		out = append(out, laterEdit{id: back.id, kind: Symlink})
	default:
		for _, p := range planVersion(back.path, was, wasText, is, isText) {
			out = append(out, laterEdit{back.id, p.Kind, p.Changes, p.Kind == Text})
		}
	}
	if back.path != gone.path {
		out = append(out, laterEdit{id: back.id, kind: Rename})
	}
	return out, nil
}
