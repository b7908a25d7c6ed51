package plan

import (
	"context"
	"fmt"
	"io/fs"
	"maps"
	"slices"

	"waferpair/history/version"
	"waferpair/workspace/text"
)

// A revert walks back in time over all edits of the files concerned, newest first, and
// keeps two things per file: its planned state, and the later edits that stay in force,
// rewritten as if the reverted edits had never happened. The inverse of an edit to revert
// is mapped through those later edits, and each of them is mapped over the inverse. So
// edits on top of each other can be reverted together, and the cost is (edits to revert) x
// (edits that stay).

// Revert plans to revert the named edits of a lineage and nothing else. If a later edit is
// in the way, the error is a *Conflict.
func Revert(ctx context.Context, from Reader, ids []version.EditID, lin version.Lineage) (Plan, error) {
	r, err := newReverter(ctx, from, setOf(ids), lin)
	if err == nil {
		err = r.alreadyReverted()
	}
	if err != nil {
		return Plan{}, err
	}
	return r.plan()
}

func setOf(ids []version.EditID) map[version.EditID]bool {
	set := map[version.EditID]bool{}
	for _, id := range ids {
		set[id] = true
	}
	return set
}

type reverter struct {
	r       Reader
	ctx     context.Context
	set     map[version.EditID]bool
	lin     version.Lineage
	reverts Reverts
	edits   []Touch                    // the edits to walk over, oldest first
	files   map[string]*planned        // by the path at the moment that the walk has reached
	revived map[version.EditID]revived // by the deletes that they revert
	all     []*planned
	clashes []Clash
}

// planned is one file: its present state and its planned state.
type planned struct {
	path, at     string // the present and the planned path
	was          version.Version
	wasText      text.Text
	exists       bool
	mode         fs.FileMode
	text         text.Text
	changes      text.ChangeSet // from wasText to text
	later        []laterEdit    // in force, newer than the walk's position, oldest first
	rough        bool           // later no longer maps exactly, because a merge was used
	reverts      []version.EditID
	replaced     bool // the whole content was replaced
	deletedLater version.EditID
}

// laterEdit is an edit that stays in force.
type laterEdit struct {
	id      version.EditID
	kind    version.Kind
	changes text.ChangeSet
	known   bool // changes are valid
}

func newReverter(ctx context.Context, from Reader, set map[version.EditID]bool,
	lin version.Lineage) (*reverter, error) {
	rel, err := from.Reverts(ctx, lin)
	return &reverter{r: from, ctx: ctx, set: set, lin: lin, reverts: rel, files: map[string]*planned{},
		revived: map[version.EditID]revived{}}, err
}

func (r *reverter) alreadyReverted() error {
	rel, then := r.reverts, r.reverts.Without(r.set)
	set := maps.Clone(r.set)
	for id := range set {
		if by := rel.Active(id); by != 0 && !set[by] {
			r.clashes = append(r.clashes, Clash{Edit: id, By: []version.EditID{by},
				Reason: fmt.Sprintf("is already reverted by edit %d; revert that one to bring it back", by)})
		} else if then.Active(id) != 0 { // its revert is in force again once another edit of the set is reverted
			delete(r.set, id)
		}
	}
	return r.conflict()
}

func (r *reverter) conflict() error {
	if len(r.clashes) == 0 {
		return nil
	}
	slices.SortStableFunc(r.clashes, func(a, b Clash) int { return int(a.Edit - b.Edit) })
	return &Conflict{r.clashes}
}

func (r *reverter) plan() (Plan, error) {
	paths, err := r.gather()
	if err != nil {
		return Plan{}, fmt.Errorf("revert: %w", err)
	}
	for _, path := range paths {
		if err := r.addFile(path); err != nil {
			return Plan{}, fmt.Errorf("revert: %s: %w", path, err)
		}
	}
	for _, e := range slices.Backward(r.edits) {
		if err := r.back(e); err != nil {
			return Plan{}, fmt.Errorf("revert edit %d of %s: %w", e.ID, e.Path, err)
		}
	}
	if err := r.conflict(); err != nil {
		return Plan{}, err
	}
	files, circle := r.inOrder()
	for _, f := range circle {
		r.clashes = append(r.clashes, Clash{Path: f.path, Edit: f.reverts[0],
			Reason: fmt.Sprintf("would give it the name %s, which waits for it in turn; take the renames back one at a time",
				f.at)})
	}
	return result(files), r.conflict()
}

// gather loads the edits, from the oldest one to revert on, of all paths connected with
// those to revert.
func (r *reverter) gather() ([]string, error) {
	oldest := version.EditID(0)
	for id := range r.set {
		if oldest == 0 || id < oldest {
			oldest = id
		}
	}
	todo, err := r.pathsOf()
	if err != nil {
		return nil, err
	}
	seen := map[string]bool{}
	byID := map[version.EditID]Touch{}
	var paths []string
	for len(todo) > 0 {
		path := todo[0]
		todo = todo[1:]
		if seen[path] {
			continue
		}
		seen[path] = true
		paths = append(paths, path)
		es, err := r.touching(path, oldest)
		if err != nil {
			return nil, err
		}
		for _, e := range es {
			byID[e.ID] = e
			todo = append(todo, e.Path)
			if e.To != "" {
				todo = append(todo, e.To)
			}
		}
	}
	r.edits = slices.SortedFunc(maps.Values(byID), func(a, b Touch) int { return int(a.ID - b.ID) })
	return paths, nil
}

func (r *reverter) pathsOf() (out []string, err error) {
	for id := range r.set {
		e, err := r.r.Touch(r.ctx, id)
		if err != nil {
			return nil, err
		}
		out = append(out, e.Path)
	}
	slices.Sort(out)
	return out, nil
}

func (r *reverter) touching(path string, since version.EditID) ([]Touch, error) {
	id, err := r.r.PathID(r.ctx, path)
	if err != nil {
		return nil, err
	}
	return r.r.Touching(r.ctx, id, r.lin, since)
}

// addFile adds a path in its present state to the walk.
func (r *reverter) addFile(path string) error {
	v, t, err := version.ReadPath(r.ctx, r.r, path, r.lin)
	if isPurged(err) {
		return nil // back fails later if the file matters
	}
	if err != nil || !v.Exists {
		return err
	}
	f := &planned{path: path, at: path, was: v, wasText: t, exists: true, mode: v.Mode, text: t}
	f.changes, err = text.NewChangeSet(t.Len())
	r.files[path] = f
	r.all = append(r.all, f)
	return err
}

// back moves the walk back over one edit.
func (r *reverter) back(e Touch) error {
	f := r.file(e)
	switch {
	case r.set[e.ID] && e.Lost != nil:
		return e.Lost
	case f == nil:
		return version.ErrPurged
	case r.set[e.ID]:
		if err := r.undo(f, e); err != nil {
			return err
		}
	default:
		if err := r.keep(f, e); err != nil {
			return err
		}
	}
	switch e.Kind { // continue under the path before the edit
	case version.Rename:
		delete(r.files, e.To)
		r.files[e.Path] = f
	case version.Create:
		delete(r.files, e.Path)
	default: // the path stays
	}
	return nil
}

// file returns the file that the edit changed. For a delete that is a new one, unless the
// file was brought back since.
func (r *reverter) file(e Touch) *planned {
	if e.Kind == version.Rename {
		return r.files[e.To]
	}
	if v, ok := r.cameBack(e); ok {
		r.files[e.Path] = v.file
	} else if e.Kind == version.Delete {
		f := &planned{path: e.Path, at: e.Path}
		r.files[e.Path] = f
		r.all = append(r.all, f)
	}
	return r.files[e.Path]
}

// keep moves the walk back over an edit that stays in force.
func (r *reverter) keep(f *planned, e Touch) error {
	if v, ok := r.cameBack(e); ok {
		return r.goOn(v, e)
	}
	r.revives(f, e)
	return f.keep(e)
}

// keep adds an edit to those that stay in force.
func (f *planned) keep(e Touch) error {
	l := laterEdit{id: e.ID, kind: e.Kind}
	if e.Kind == version.Delete {
		f.deletedLater = e.ID
	}
	if e.Kind == version.Text && e.Delta != nil {
		d, err := version.DecodeDelta(e.Delta)
		if err != nil {
			return err
		}
		if l.changes, err = d.Changes(); err != nil {
			return err
		}
		l.known = true
	}
	f.later = append([]laterEdit{l}, f.later...)
	return nil
}

// result turns the planned states into edits: those that free a path come first, files that
// appear come last.
func result(files []*planned) Plan {
	var first, then, last Plan
	for _, f := range files {
		switch {
		case !f.was.Exists && f.exists:
			v := version.Version{Exists: true, Mode: f.mode, Hash: version.HashText(f.text)}
			last.Files = append(last.Files, f.mark(planVersion(f.at, version.Version{}, text.Text{}, v, f.text))...)
		case f.was.Exists && !f.exists:
			first.Files = append(first.Files, Edit{Path: f.path, Kind: version.Delete, Expect: f.was.Hash, Reverts: f.reverts})
		case f.was.Exists:
			then.Files = append(then.Files, f.edits()...)
		}
	}
	return Plan{slices.Concat(first.Files, then.Files, last.Files)}
}

// inOrder sorts the files so that a file with a new name follows the one that has that name
// now. rest are files that wait for each other's names.
func (r *reverter) inOrder() (out, rest []*planned) {
	rest = slices.Clone(r.all)
	for waits := true; waits && len(rest) > 0; {
		waits = false
		next := rest[:0:0]
		for i, f := range rest {
			taken := func(o *planned) bool { return o != f && o.was.Exists && o.exists && o.path == f.at }
			if f.was.Exists && f.exists && (slices.ContainsFunc(next, taken) || slices.ContainsFunc(rest[i+1:], taken)) {
				next = append(next, f)
				continue
			}
			out, waits = append(out, f), true
		}
		rest = next
	}
	return out, rest
}

// mark sets which edits the edits of the plan revert, and how.
func (f *planned) mark(edits []Edit) []Edit {
	for i := range edits {
		edits[i].Reverts, edits[i].Merged = f.reverts, f.rough
	}
	return edits
}

// edits returns the edits for a file that stays.
func (f *planned) edits() (out []Edit) {
	if f.at != f.path {
		out = append(out, Edit{Path: f.path, Kind: version.Rename, To: f.at, Expect: f.was.Hash})
	}
	will := version.Version{Exists: true, Mode: f.mode, Hash: f.was.Hash}
	if !f.text.Equal(f.wasText) {
		will.Hash = version.HashText(f.text)
	}
	for _, p := range planVersion(f.at, f.was, f.wasText, will, f.text) {
		if p.Kind == version.Text && !f.replaced {
			p.Changes = f.changes
		}
		out = append(out, p)
	}
	return f.mark(out)
}
