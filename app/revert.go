package app

import (
	"context"
	"fmt"
	"slices"

	"waferpair/app/disk"
	"waferpair/app/mask"
	"waferpair/history"
	"waferpair/workspace/text"
)

// reverter reverts edits and restores moments.
type reverter struct{ *carrier }

// RevertRequest names the edits to revert.
type RevertRequest struct {
	IDs        []history.EditID
	Turn       history.TurnID // all edits of this turn
	HasSince   bool
	Since      history.EditID // the edits after this one
	AllAuthors bool           // with Since: not only the model's
	DryRun     bool
}

// Revert undoes edits and leaves all others in place. A *history.Conflict says that later
// edits changed the same places; then nothing is written.
func (p *reverter) Revert(ctx context.Context, r RevertRequest) (Done, error) {
	if err := p.writable(); err != nil {
		return Done{}, err
	}
	plan := func() (history.Plan, error) { return p.planRevert(ctx, r) }
	return p.execute(ctx, plan, history.Op{Author: history.Revert}, r.DryRun)
}

func (p *reverter) planRevert(ctx context.Context, r RevertRequest) (history.Plan, error) {
	if r.HasSince {
		var only []history.Author // nil: the model's
		if r.AllAuthors {
			only = []history.Author{history.User, history.Model, history.Outside, history.Revert, history.Recovery}
		}
		return p.store.PlanSince(ctx, r.Since, only)
	}
	ids := slices.Clone(r.IDs)
	if r.Turn != 0 {
		edits, err := p.store.List(ctx, history.Filter{Turn: r.Turn})
		if err != nil {
			return history.Plan{}, err
		}
		for _, e := range edits {
			if e.RevertedBy == 0 {
				ids = append(ids, e.ID)
			}
		}
		if len(edits) == 0 {
			return history.Plan{},
				fmt.Errorf("revert turn %d: it has no edits; 'waferpair sessions list' shows the turns", r.Turn)
		}
	}
	return p.store.PlanRevert(ctx, ids)
}

// RestoreRequest names the moment to restore.
type RestoreRequest struct {
	At     history.EditID
	Paths  []string // only these; all when empty
	DryRun bool
}

// Restore brings files back to a moment. It does not touch files that do not differ.
func (p *reverter) Restore(ctx context.Context, r RestoreRequest) (Done, error) {
	if err := p.writable(); err != nil {
		return Done{}, err
	}
	plan := func() (history.Plan, error) { return p.planRestore(ctx, r) }
	return p.execute(ctx, plan,
		history.Op{Author: history.Revert, Note: fmt.Sprintf("restored the moment of edit %d", r.At)}, r.DryRun)
}

func (p *reverter) planRestore(ctx context.Context, r RestoreRequest) (history.Plan, error) {
	plan, err := p.store.PlanRestore(ctx, r.At)
	if err == nil && len(r.Paths) > 0 {
		plan.Files, err = p.only(plan.Files, r.Paths)
	}
	return plan, err
}

func (p *reverter) only(files []history.PlannedEdit, names []string) ([]history.PlannedEdit, error) {
	want := map[string]bool{}
	for _, n := range names {
		path, err := p.Path(n)
		if err != nil {
			return nil, err
		}
		want[path] = true
	}
	return slices.DeleteFunc(files, func(f history.PlannedEdit) bool { return !want[f.Path] && !want[f.To] }), nil
}

// execute carries out a plan of the history, or only shows it.
func (p *carrier) execute(ctx context.Context, plan func() (history.Plan, error),
	op history.Op, dry bool) (Done, error) {
	steps := func(context.Context) ([]step, error) {
		pl, err := plan()
		if err != nil {
			return nil, err
		}
		return stepsOf(pl, refuseMasks)
	}
	if !dry {
		return p.carryOut(ctx, op, steps)
	}
	list, err := steps(ctx)
	if err != nil {
		return Done{}, err
	}
	return p.preview(ctx, list)
}

// refuseMasks refuses to write a masked secret to a file.
func refuseMasks(path string) error { return &mask.LostError{Path: path} }

// stepsOf converts a plan into steps; masks decides about new files with masked secrets.
func stepsOf(plan history.Plan, masks func(path string) error) ([]step, error) {
	steps := make([]step, 0, len(plan.Files))
	for _, f := range plan.Files {
		s, err := stepOf(f, masks)
		if err != nil {
			return nil, err
		}
		steps = append(steps, s)
	}
	return contentFirst(steps), nil
}

// contentFirst moves the change of a renamed file's content before the rename, where the
// file still has the path under which it is open.
func contentFirst(steps []step) []step {
	var out []step
	oldName := map[string]string{}
	for _, s := range steps {
		if s.kind == history.Rename {
			oldName[s.to] = s.path
		}
		from, renamed := oldName[s.path]
		if s.kind != history.Text || !renamed {
			out = append(out, s)
			continue
		}
		s.path = from
		at := slices.IndexFunc(out, func(r step) bool { return r.kind == history.Rename && r.path == from })
		out = slices.Insert(out, at, s)
	}
	return out
}

// stepOf converts a planned edit of masked text into a step of unmasked text.
func stepOf(f history.PlannedEdit, masks func(path string) error) (step, error) {
	s := step{path: f.Path, kind: f.Kind, to: f.To, changes: f.Changes, mode: f.Mode, reverts: f.Reverts}
	switch f.Kind {
	case history.Create, history.Blob:
		if mask.Has(string(f.Content)) {
			if err := masks(f.Path); err != nil {
				return s, err
			}
		}
		s.content = text.Of(f.Content)
	case history.Text:
		for c := range f.Changes.Changes {
			if mask.Has(c.Insert) {
				return s, &mask.LostError{Path: f.Path}
			}
		}
	}
	return s, nil
}

func (p *carrier) preview(ctx context.Context, steps []step) (done Done, err error) {
	for _, s := range steps {
		err = p.holding(ctx, []string{s.path}, func(ctx context.Context) error {
			d, err := p.document(ctx, s.path)
			if err != nil {
				return err
			}
			c, err := p.prepare(s, d)
			if err == nil {
				done.Files, done.Diffs = append(done.Files, s.path), append(done.Diffs, c.diff)
			}
			return err
		})
		if err != nil {
			return done, err
		}
	}
	return done, nil
}

// reader reads past versions of files.
type reader struct {
	*core
	*disk.Intake
}

// At returns a file as it was at a moment.
func (p *reader) At(ctx context.Context, id history.EditID, path string) (history.Version, error) {
	v, err := p.store.At(ctx, id, path)
	if err != nil {
		return v, err
	}
	if !v.Exists {
		return v, p.notThere(ctx, id, path)
	}
	if mask.Has(string(v.Bytes)) {
		p.notice(path + ": secrets are masked; the history does not keep them")
	}
	return v, nil
}

// notThere explains why a file has no version at a moment.
func (p *reader) notThere(ctx context.Context, id history.EditID, path string) error {
	when := fmt.Sprintf("at edit %d", id)
	if id == history.Newest {
		when = "now"
	}
	if why := p.exclusion(path); why != "" {
		return fmt.Errorf("%s: %s", path, why)
	}
	if st, ok := p.List.State(path); ok && st.Excluded != "" {
		return fmt.Errorf("%s: the history does not keep it (%s)", path, st.Excluded)
	}
	edits, err := p.store.List(ctx, history.Filter{Path: path, Limit: 1})
	if err != nil {
		return err
	}
	if len(edits) == 0 {
		return fmt.Errorf("%s: the history has no such file; 'waferpair history list' shows the paths", path)
	}
	return fmt.Errorf("%s did not exist %s; 'waferpair history list %s' shows when it did", path, when, path)
}
