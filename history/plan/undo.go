package plan

import (
	"errors"
	"fmt"
	"io/fs"

	"waferpair/history/version"
	"waferpair/workspace/text"
)

func isPurged(err error) bool { return errors.Is(err, version.ErrPurged) }

// undo plans to revert one edit of a file.
func (r *reverter) undo(f *planned, e Touch) error {
	f.reverts = append(f.reverts, e.ID)
	switch e.Kind {
	case version.Text:
		return r.undoText(f, e)
	case version.Create:
		return r.undoCreate(f, e)
	case version.Delete:
		return r.undoDelete(f, e)
	case version.Rename:
		r.undoRename(f, e)
	case version.Mode:
		return r.undoMode(f, e)
	default:
		return r.undoWhole(f, e)
	}
	return nil
}

func (r *reverter) clash(f *planned, e Touch, by []version.EditID, reason string) {
	r.clashes = append(r.clashes, Clash{Path: f.at, Edit: e.ID, By: by, Reason: reason})
}

// before returns the version of a path just before an edit.
func (r *reverter) before(e Touch) (version.Version, text.Text, error) {
	return r.versionAt(e.Path, e.ID-1)
}

func (r *reverter) versionAt(path string, id version.EditID) (version.Version, text.Text, error) {
	return version.ReadPath(r.ctx, r.r, path, r.lin.UpTo(id))
}

func (f *planned) laterIDs(kinds ...version.Kind) (ids []version.EditID) {
	for _, l := range f.later {
		for _, k := range kinds {
			if l.kind == k {
				ids = append(ids, l.id)
			}
		}
	}
	return ids
}

func (r *reverter) undoText(f *planned, e Touch) error {
	if !f.exists {
		r.clash(f, e, f.laterIDs(version.Delete),
			fmt.Sprintf("changed a file that edit %d deleted; revert that one too", f.deletedLater))
		return nil
	}
	d, err := version.DecodeDelta(e.Delta)
	if err != nil {
		return err
	}
	inv, err := d.Inverse()
	if err != nil {
		return err
	}
	if mapped, later, ok := f.mapThrough(inv); ok {
		f.later = later
		return f.apply(mapped)
	}
	return r.mergeBack(f, e, inv)
}

// mapThrough maps an inverse through the later edits, and them over it. It returns false if
// they overlap, or if both insert at the same place, where their order would be a guess.
func (f *planned) mapThrough(inv text.ChangeSet) (text.ChangeSet, []laterEdit, bool) {
	if f.rough {
		return inv, nil, false
	}
	later := make([]laterEdit, len(f.later))
	for i, l := range f.later {
		later[i] = l
		if l.kind == version.Mode || l.kind == version.Rename {
			continue
		}
		if !l.known || l.changes.Len() != inv.Len() || inv.Overlaps(l.changes) || sameSpot(inv, l.changes) {
			return inv, nil, false
		}
		over, err := l.changes.Map(inv, false)
		if err != nil {
			return inv, nil, false
		}
		if inv, err = inv.Map(l.changes, true); err != nil {
			return inv, nil, false
		}
		later[i].changes = over
	}
	return inv, later, true
}

// sameSpot reports whether both insert at the same place without deleting there.
func sameSpot(a, b text.ChangeSet) bool {
	at := map[text.Byte]bool{}
	a.Changes(func(c text.Change) bool {
		if c.From == c.To {
			at[c.From] = true
		}
		return true
	})
	found := false
	if len(at) > 0 {
		b.Changes(func(c text.Change) bool {
			found = found || c.From == c.To && at[c.From]
			return !found
		})
	}
	return found
}

// apply applies a change to the planned text.
func (f *planned) apply(cs text.ChangeSet) (err error) {
	if f.text, err = cs.Apply(f.text); err != nil {
		return err
	}
	if f.was.Exists && !f.replaced {
		f.changes, err = f.changes.Compose(cs)
	}
	return err
}

// mergeBack is the second attempt: a three-way merge by lines, with the version after the
// edit as the base, the one before it as theirs, and the planned text as ours.
func (r *reverter) mergeBack(f *planned, e Touch, inv text.ChangeSet) error {
	_, after, err := r.versionAt(e.Path, e.ID)
	if err != nil {
		return err
	}
	_, before, err := r.before(e)
	if err != nil {
		return err
	}
	cs, ok := merge3(after.Bytes(), f.text.Bytes(), before.Bytes())
	if !ok {
		r.clashAt(f, e, inv, after)
		return nil
	}
	f.rough = true
	return f.apply(cs)
}

// clashAt reports an overlap with its lines on both sides and the later edits that changed
// the place.
func (r *reverter) clashAt(f *planned, e Touch, inv text.ChangeSet, after text.Text) {
	c := Clash{Path: f.at, Edit: e.ID}
	seen := map[version.EditID]bool{}
	inv.Changes(func(k text.Change) bool {
		by, from, to := f.follow(k.From, k.To)
		if len(by) == 0 {
			return true
		}
		for _, id := range by {
			if !seen[id] {
				seen[id] = true
				c.By = append(c.By, id)
			}
		}
		c.Old = c.Old.join(linesAt(after, k.From, k.To))
		c.New = c.New.join(linesAt(f.text, from, to))
		return true
	})
	c.Reason = fmt.Sprintf(
		"overlaps with later edits %v at %v of the version it made; revert those too, or change the place by hand", c.By,
		c.Old)
	if len(c.By) == 0 {
		c.Reason = "cannot be separated from later edits"
	}
	r.clashes = append(r.clashes, c)
}

// follow maps a range through the later edits, as far as they are known.
func (f *planned) follow(from, to text.Byte) (by []version.EditID, _, _ text.Byte) {
	for _, l := range f.later {
		if l.kind == version.Blob || l.kind == version.Symlink || l.kind == version.Text && !l.known {
			return append(by, l.id), 0, f.text.Len()
		}
		if l.kind != version.Text || to > l.changes.Len() {
			continue
		}
		l.changes.Changes(func(c text.Change) bool {
			if c.From < to && c.To > from || c.From == c.To && c.From >= from && c.From <= to {
				by = append(by, l.id)
				return false
			}
			return true
		})
		from, to = l.changes.MapPos(from, -1), l.changes.MapPos(to, 1)
	}
	return by, min(from, f.text.Len()), min(to, f.text.Len())
}

func linesAt(t text.Text, from, to text.Byte) Lines {
	from, to = min(from, t.Len()), min(to, t.Len())
	if to > from {
		to-- // the line of the last byte
	}
	return Lines{text.LineOf(t, from) + 1, text.LineOf(t, to) + 1}
}

func (l Lines) join(m Lines) Lines {
	if l == (Lines{}) {
		return m
	}
	return Lines{min(l.From, m.From), max(l.To, m.To)}
}

// undoCreate plans a deletion, unless the file was changed since its creation.
func (r *reverter) undoCreate(f *planned, e Touch) error {
	if !f.exists {
		r.clash(f, e, f.laterIDs(version.Delete), "created a file that is deleted already")
		return nil
	}
	made, _, err := r.versionAt(e.Path, e.ID)
	if err != nil {
		return err
	}
	if f.at != e.Path || f.mode != made.Mode || version.HashText(f.text) != made.Hash {
		var by []version.EditID
		for _, l := range f.later {
			by = append(by, l.id)
		}
		r.clash(f, e, by, fmt.Sprintf("created a file that edits %v changed since; revert those too", by))
		return nil
	}
	f.exists = false
	return nil
}

func (r *reverter) undoDelete(f *planned, e Touch) error {
	if r.occupied(e.Path) {
		r.clash(f, e, nil, "deleted a file in whose place there is another one now")
		return nil
	}
	v, t, err := r.before(e)
	if err != nil {
		return err
	}
	f.exists, f.at, f.mode, f.text = true, e.Path, v.Mode, t
	return nil
}

// occupied reports whether a file is at path in the plan.
func (r *reverter) occupied(path string) bool {
	for _, f := range r.all {
		if f.exists && f.at == path {
			return true
		}
	}
	return false
}

func (r *reverter) undoRename(f *planned, e Touch) {
	switch by := f.laterIDs(version.Rename, version.Delete); {
	case len(by) > 0:
		r.clash(f, e, by, fmt.Sprintf("renamed a file that edits %v renamed or deleted since; revert those too", by))
	case !f.exists:
		r.clash(f, e, nil, "renamed a file that is gone")
	case r.occupied(e.Path):
		r.clash(f, e, nil, fmt.Sprintf("renamed a file to %s, and there is another one at %s now", e.To, e.Path))
	default:
		f.at = e.Path
	}
}

func (r *reverter) undoMode(f *planned, e Touch) error {
	if by := f.laterIDs(version.Mode, version.Symlink, version.Delete); len(by) > 0 || !f.exists {
		r.clash(f, e, by, fmt.Sprintf("changed the mode of a file that edits %v changed since", by))
		return nil
	}
	v, _, err := r.before(e)
	if err == nil {
		f.mode = v.Mode
	}
	return err
}

// undoWhole reverts a replacement of the whole content, or of a link.
func (r *reverter) undoWhole(f *planned, e Touch) error {
	v, before, err := r.before(e)
	if err != nil {
		return err
	}
	if !f.exists {
		r.clash(f, e, f.laterIDs(version.Delete), "replaced a file that is deleted since")
		return nil
	}
	by := f.laterIDs(version.Text, version.Blob, version.Symlink)
	if len(by) == 0 && !f.rough {
		f.exists, f.mode, f.text, f.replaced = v.Exists, v.Mode, before, true
		return nil
	}
	_, after, err := r.versionAt(e.Path, e.ID)
	if err != nil {
		return err
	}
	cs, ok := merge3(after.Bytes(), f.text.Bytes(), before.Bytes())
	if !ok || e.Kind == version.Symlink || v.Mode&fs.ModeSymlink != 0 || isBinary(f.text.Bytes()) {
		r.clash(f, e, by, fmt.Sprintf("replaced the content, which edits %v changed since", by))
		return nil
	}
	f.rough, f.mode = true, v.Mode
	return f.apply(cs)
}
