package plan

import (
	"io/fs"
	"slices"

	"waferpair/history/version"
)

// A file that was deleted and brought back, by a revert of the delete or by a restore, is
// one file to a revert. The walk first meets the edit that brought it back and keeps the
// planned file; at the delete it continues with that file. Neither of the two then counts
// as a later edit: only the difference between both sides of them does.

// revived is a planned file, and the edit that brought it back.
type revived struct {
	file *planned
	by   Touch
}

// revives notes which delete an edit that stays in force reverted. If two did so, the newer
// one created the present file.
func (r *reverter) revives(f *planned, e Touch) {
	if e.Kind != version.Create && e.Kind != version.Symlink {
		return
	}
	back := r.reverts.Of[e.ID]
	if e.OfPlan && len(back) == 0 {
		back = r.restored(e)
	}
	for _, id := range back { // the walk never asks for edits other than deletes
		if _, ok := r.revived[id]; !ok {
			r.revived[id] = revived{f, e}
		}
	}
}

// restored returns the delete that ended the newest file of this name whose content a
// restore brought back: a restore does not record what it reverts.
func (r *reverter) restored(e Touch) (gone []version.EditID) {
	for _, x := range slices.Backward(r.edits) {
		switch {
		case x.ID >= e.ID:
		case x.Kind == version.Delete && x.Path == e.Path:
			gone = []version.EditID{x.ID}
		case x.Kind == version.Rename && x.Path == e.Path:
			gone = nil // the earlier file has another name
		case x.After == e.After && (x.Path == e.Path || x.To == e.Path):
			return gone
		}
	}
	return nil
}

// cameBack returns the edit that brought the file of a delete back, if the delete stays.
func (r *reverter) cameBack(e Touch) (revived, bool) {
	v, ok := r.revived[e.ID]
	return v, ok && e.Kind == version.Delete && !r.set[e.ID]
}

// goOn moves the walk back over a delete to the file before it.
func (r *reverter) goOn(v revived, gone Touch) error {
	between, err := r.between(gone, v.by)
	if isPurged(err) {
		between, err = []laterEdit{{id: v.by.ID, kind: version.Blob}}, nil // the difference is unknown
	}
	since := slices.DeleteFunc(v.file.later, func(l laterEdit) bool { return l.id == v.by.ID })
	v.file.later = append(between, since...)
	return err
}

// between returns the difference of a file that came back to the deleted one, as later
// edits: other edits of it may have been reverted together with the delete.
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
