package history

import (
	"context"
	"database/sql"
	"fmt"
	"io/fs"
	"maps"
	"slices"

	"waferpair/history/version"
	"waferpair/workspace/text"
)

// Reverting walks back in time over the edits that touch the files concerned,
// newest first, and keeps two things per file: its planned state, and the later
// edits that stay in force, rewritten as if what is reverted had never happened.
// An edit to revert contributes its inverse, mapped through those later edits;
// each of them is in turn mapped over the inverse. So edits on top of each other
// can be reverted together, and the cost is (edits to revert) x (edits that stay).

// PlanRevert plans to take back the named edits and nothing else. Where a later
// edit stands in the way the error is a *Conflict.
func (s *Store) PlanRevert(ctx context.Context, ids []EditID) (Plan, error) {
	if err := s.settled(ctx); err != nil {
		return Plan{}, err
	}
	lin := s.lineage()
	set := map[EditID]bool{}
	for _, id := range ids {
		set[id] = true
	}
	if err := s.checkIDs(ctx, set, lin); err != nil {
		return Plan{}, fmt.Errorf("revert: %w", err)
	}
	r, err := s.reverter(ctx, set, lin)
	if err == nil {
		err = r.alreadyReverted()
	}
	if err != nil {
		return Plan{}, err
	}
	return r.plan()
}

// PlanSince plans to take back every edit after edit id by the given authors
// (none: the model) that is still in force.
func (s *Store) PlanSince(ctx context.Context, id EditID, only []Author) (Plan, error) {
	if len(only) == 0 {
		only = []Author{Model}
	}
	if id != 0 {
		if _, err := s.moment(ctx, id); err != nil {
			return Plan{}, fmt.Errorf("revert since: %w", err)
		}
	}
	edits, err := s.List(ctx, Filter{After: id})
	if err != nil {
		return Plan{}, err
	}
	var ids []EditID
	for _, e := range edits {
		if slices.Contains(only, e.Author) && e.RevertedBy == 0 && !e.Purged {
			ids = append(ids, e.ID)
		}
	}
	if len(ids) == 0 {
		return Plan{}, nil
	}
	return s.PlanRevert(ctx, ids)
}

// checkIDs makes sure that the edits exist on the current branch.
func (s *Store) checkIDs(ctx context.Context, set map[EditID]bool, lin version.Lineage) error {
	for id := range set {
		branch, err := s.branchOf(ctx, id)
		if err != nil {
			return err
		}
		if !lin.Has(branch, id) {
			return fmt.Errorf("edit %d is on another branch; switch to it first", id)
		}
	}
	return nil
}

type reverter struct {
	s       *Store
	ctx     context.Context
	set     map[EditID]bool
	lin     version.Lineage
	reverts reverts
	edits   []touched           // those to walk over, oldest first
	files   map[string]*planned // by the path at the moment the walk has reached
	revived map[EditID]revived  // by the edits that were taken back
	all     []*planned
	clashes []Clash
}

func (s *Store) reverter(ctx context.Context, set map[EditID]bool, lin version.Lineage) (*reverter, error) {
	rel, err := s.loadReverts(ctx, lin)
	return &reverter{s: s, ctx: ctx, set: set, lin: lin, reverts: rel, files: map[string]*planned{}, revived: map[EditID]revived{}}, err
}

// planned is one file: what it is now, and what the plan makes of it.
type planned struct {
	path, at     string // now, and in the plan
	was          Version
	wasText      text.Text
	exists       bool
	mode         fs.FileMode
	text         text.Text
	changes      text.ChangeSet // from wasText to text
	later        []laterEdit    // in force, newer than where the walk is, oldest first
	rough        bool           // later no longer maps exactly: a merge was used
	reverts      []EditID
	replaced     bool // the content was set as a whole
	deletedLater EditID
}

// laterEdit is an edit that stays in force.
type laterEdit struct {
	id      EditID
	kind    Kind
	changes text.ChangeSet
	known   bool // changes are valid
}

// touched is an edit on the way back, as stored.
type touched struct {
	id       EditID
	kind     Kind
	state    int
	path, to string
	delta    []byte
	after    Hash // zero: no file is there any more
	author   Author
}

func (r *reverter) alreadyReverted() error {
	rel, then := r.reverts, r.reverts.without(r.set)
	set := maps.Clone(r.set)
	for id := range set {
		if by := rel.active(id); by != 0 && !set[by] {
			r.clashes = append(r.clashes, Clash{Edit: id, By: []EditID{by},
				Reason: fmt.Sprintf("is already reverted by edit %d; revert that one to bring it back", by)})
		} else if then.active(id) != 0 { // what took it back counts again once another one of the set does not
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
			return Plan{}, fmt.Errorf("revert edit %d of %s: %w", e.id, e.path, err)
		}
	}
	if err := r.conflict(); err != nil {
		return Plan{}, err
	}
	files, circle := r.inOrder()
	for _, f := range circle {
		r.clashes = append(r.clashes, Clash{Path: f.path, Edit: f.reverts[0], Reason: fmt.Sprintf("would give it the name %s, which waits for it in turn; take the renames back one at a time", f.at)})
	}
	return result(files), r.conflict()
}

// gather loads the edits, from the oldest one to revert on, of all paths that are
// connected with those to revert.
func (r *reverter) gather() ([]string, error) {
	oldest := EditID(0)
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
	byID := map[EditID]touched{}
	var paths []string
	for len(todo) > 0 {
		path := todo[0]
		todo = todo[1:]
		if seen[path] {
			continue
		}
		seen[path] = true
		paths = append(paths, path)
		es, err := r.editsOf(path, oldest)
		if err != nil {
			return nil, err
		}
		for _, e := range es {
			byID[e.id] = e
			todo = append(todo, e.path)
			if e.to != "" {
				todo = append(todo, e.to)
			}
		}
	}
	r.edits = slices.SortedFunc(maps.Values(byID), func(a, b touched) int { return int(a.id - b.id) })
	return paths, nil
}

func (r *reverter) pathsOf() (out []string, err error) {
	for id := range r.set {
		var path string
		err := r.s.read.QueryRowContext(r.ctx, "SELECT p.path FROM edit e JOIN path p ON p.id = e.path WHERE e.id = ?", int64(id)).Scan(&path)
		if err != nil {
			return nil, err
		}
		out = append(out, path)
	}
	slices.Sort(out)
	return out, nil
}

func (r *reverter) editsOf(path string, from EditID) ([]touched, error) {
	pid, err := r.s.pathID(r.ctx, path)
	if err != nil {
		return nil, err
	}
	var out []touched
	for _, seg := range r.lin {
		for _, column := range []string{"path", "to_path"} {
			rows, err := r.s.read.QueryContext(r.ctx, `SELECT e.id, e.kind, e.state, p.path, coalesce(q.path, ''), e.delta, e.after, o.author
				FROM edit e JOIN op o ON o.id = e.op JOIN path p ON p.id = e.path LEFT JOIN path q ON q.id = e.to_path
				WHERE e.`+column+` = ? AND e.branch = ? AND e.id BETWEEN ? AND ?`, pid, seg.Branch, int64(from), int64(seg.Max))
			if err != nil {
				return nil, err
			}
			if out, err = scanTouched(rows, out); err != nil {
				return nil, err
			}
		}
	}
	return out, nil
}

func scanTouched(rows *sql.Rows, out []touched) ([]touched, error) {
	defer rows.Close()
	for rows.Next() {
		var e touched
		var kind, author int
		var after []byte
		if err := rows.Scan(&e.id, &kind, &e.state, &e.path, &e.to, &e.delta, &after, &author); err != nil {
			return nil, err
		}
		copy(e.after[:], after)
		e.kind, e.author = word(kinds, kind), word(authors, author)
		out = append(out, e)
	}
	return out, rows.Err()
}

// addFile puts a path into the walk as it is now.
func (r *reverter) addFile(path string) error {
	v, t, err := r.s.version(r.ctx, path, r.lin)
	if isPurged(err) {
		return nil // back finds out whether that matters
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

// back takes the walk over one edit.
func (r *reverter) back(e touched) error {
	f := r.file(e)
	switch {
	case r.set[e.id] && e.state&stateReclaimed != 0:
		return ErrReclaimed
	case f == nil, r.set[e.id] && e.state&statePurgeMask != 0:
		return ErrPurged
	case r.set[e.id]:
		if err := r.undo(f, e); err != nil {
			return err
		}
	default:
		if err := r.keep(f, e); err != nil {
			return err
		}
	}
	switch e.kind { // the path it had before
	case Rename:
		delete(r.files, e.to)
		r.files[e.path] = f
	case Create:
		delete(r.files, e.path)
	}
	return nil
}

// file returns the file that the edit made its mark on. For a delete that is one
// that the walk has not met yet, unless it came back since.
func (r *reverter) file(e touched) *planned {
	if e.kind == Rename {
		return r.files[e.to]
	}
	if v, ok := r.cameBack(e); ok {
		r.files[e.path] = v.file
	} else if e.kind == Delete {
		f := &planned{path: e.path, at: e.path}
		r.files[e.path] = f
		r.all = append(r.all, f)
	}
	return r.files[e.path]
}

// keep takes the walk over an edit that stays in force.
func (r *reverter) keep(f *planned, e touched) error {
	if v, ok := r.cameBack(e); ok {
		return r.goOn(v, e)
	}
	r.revives(f, e)
	return f.keep(e)
}

// keep notes an edit that stays in force.
func (f *planned) keep(e touched) error {
	l := laterEdit{id: e.id, kind: e.kind}
	if e.kind == Delete {
		f.deletedLater = e.id
	}
	if e.kind == Text && e.delta != nil {
		d, err := version.DecodeDelta(e.delta)
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

// result turns the planned states into edits: what frees a path comes first, what
// appears comes last.
func result(files []*planned) Plan {
	var first, then, last Plan
	for _, f := range files {
		switch {
		case !f.was.Exists && f.exists:
			v := Version{Exists: true, Mode: f.mode, Hash: HashText(f.text)}
			last.Files = append(last.Files, withReverts(planVersion(f.at, Version{}, text.Text{}, v, f.text), f.reverts)...)
		case f.was.Exists && !f.exists:
			first.Files = append(first.Files, PlannedEdit{Path: f.path, Kind: Delete, Expect: f.was.Hash, Reverts: f.reverts})
		case f.was.Exists:
			then.Files = append(then.Files, f.edits()...)
		}
	}
	return Plan{slices.Concat(first.Files, then.Files, last.Files)}
}

// inOrder lists the files so that one that gets a new name comes after the one
// that has that name now. The rest is those that wait for each other's names.
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

func withReverts(edits []PlannedEdit, ids []EditID) []PlannedEdit {
	for i := range edits {
		edits[i].Reverts = ids
	}
	return edits
}

// edits returns what changes a file that stays.
func (f *planned) edits() (out []PlannedEdit) {
	if f.at != f.path {
		out = append(out, PlannedEdit{Path: f.path, Kind: Rename, To: f.at, Expect: f.was.Hash})
	}
	will := Version{Exists: true, Mode: f.mode, Hash: f.was.Hash}
	if !f.text.Equal(f.wasText) {
		will.Hash = HashText(f.text)
	}
	for _, p := range planVersion(f.at, f.was, f.wasText, will, f.text) {
		if p.Kind == Text && !f.replaced {
			p.Changes = f.changes
		}
		out = append(out, p)
	}
	return withReverts(out, f.reverts)
}
