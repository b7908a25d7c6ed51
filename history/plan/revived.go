package plan

import (
	"io/fs"
	"slices"

	"waferpair/history/version"
)

// A file that was deleted and brought back, by an edit that takes the delete back
// or by a restore, is one file to a revert. The walk meets what brought it back
// first and keeps the planned file; at the delete it goes on with that one. Neither
// of the two is a later edit then: only what differs on both sides of them is.

// revived is a planned file, and the edit that brought it back.
type revived struct {
	file *planned
	by   Touch
}

// revives notes of which delete an edit that stays brought the file back. Of two
// that did so the newer one made the file that is there.
func (r *reverter) revives(f *planned, e Touch) {
	if e.Kind != version.Create && e.Kind != version.Symlink {
		return
	}
	back := r.reverts.Of[e.ID]
	if e.OfPlan && len(back) == 0 {
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
func (r *reverter) restored(e Touch) (gone []version.EditID) {
	for _, x := range slices.Backward(r.edits) {
		switch {
		case x.ID >= e.ID:
		case x.Kind == version.Delete && x.Path == e.Path:
			gone = []version.EditID{x.ID}
		case x.Kind == version.Rename && x.Path == e.Path:
			gone = nil // the file of before has another name
		case x.After == e.After && (x.Path == e.Path || x.To == e.Path):
			return gone
		}
	}
	return nil
}

// cameBack returns what brought the file of a delete back, when the delete stays.
func (r *reverter) cameBack(e Touch) (revived, bool) {
	v, ok := r.revived[e.ID]
	return v, ok && e.Kind == version.Delete && !r.set[e.ID]
}

// goOn takes the walk over a delete to the file that was there before.
func (r *reverter) goOn(v revived, gone Touch) error {
	between, err := r.between(gone, v.by)
	if isPurged(err) {
		between, err = []laterEdit{{id: v.by.ID, kind: version.Blob}}, nil // whatever it was
	}
	since := slices.DeleteFunc(v.file.later, func(l laterEdit) bool { return l.id == v.by.ID })
	v.file.later = append(between, since...)
	return err
}

// between returns what a file that came back differs in from what was deleted, as
// later edits: other edits of it can have been taken back together with the delete.
func (r *reverter) between(gone, back Touch) (out []laterEdit, err error) {
	was, wasText, err := r.before(gone)
	if err != nil {
		return nil, err
	}
	is, isText, err := r.versionAt(back.Path, back.ID)
	if err != nil {
		return nil, err
	}
	switch {
	case is.Hash == was.Hash && is.Mode == was.Mode:
	case (is.Mode|was.Mode)&fs.ModeSymlink != 0:
		out = append(out, laterEdit{id: back.ID, kind: version.Symlink})
	default:
		for _, p := range planVersion(back.Path, was, wasText, is, isText) {
			out = append(out, laterEdit{back.ID, p.Kind, p.Changes, p.Kind == version.Text})
		}
	}
	if back.Path != gone.Path {
		out = append(out, laterEdit{id: back.ID, kind: version.Rename})
	}
	return out, nil
}
