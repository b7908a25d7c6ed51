package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"waferpair/app/live"
	"waferpair/app/mask"
	"waferpair/engine"
	"waferpair/engine/model"
	"waferpair/history"
	"waferpair/workspace/text"
)

// Apply makes the exact edits of a turn, as one operation of the history with one edit
// for each place. It implements engine.Project. It plans everything before it changes or
// claims anything, and holds the locks of all the files, so that nobody types in between.
func (h *hold) Apply(ctx context.Context, _ int64, of []model.FileEdit) ([]engine.Made, error) {
	paths := make([]string, len(of))
	for i, e := range of {
		paths[i] = e.Path
	}
	var made []engine.Made
	err := h.holding(ctx, paths, func(ctx context.Context) (err error) {
		made, err = h.apply(ctx, history.Op{Author: history.Model, Turn: h.turn}, of)
		return err
	})
	return made, err
}

// Revert reverts exact edits, as the user would. It implements engine.Project.
func (h *hold) Revert(ctx context.Context, _ int64, of []engine.Made, why string) error {
	var ids []history.EditID
	for _, m := range of {
		if m.Ack == nil { // only a secret changed
			continue
		}
		if err := m.Ack.Wait(ctx); err != nil {
			return err
		}
		for _, id := range m.Ack.EditIDs() {
			ids = append(ids, history.EditID(id))
		}
	}
	plan := func() (history.Plan, error) { return h.store.PlanRevert(ctx, ids) }
	_, err := h.execute(ctx, plan, history.Op{Author: history.Revert, Note: mask.Words(firstLine(why, 400))}, false)
	return err
}

func (h *hold) apply(ctx context.Context, op history.Op, of []model.FileEdit) ([]engine.Made, error) {
	if err := h.allFree(ctx, of); err != nil {
		return nil, err
	}
	var changes []exactChange
	for _, e := range of {
		list, err := h.exactly(ctx, e)
		if err != nil {
			return nil, err
		}
		changes = append(changes, list...)
	}
	giveBack, err := h.takeAll(changes)
	if err != nil {
		return nil, err
	}
	receipts, err := h.recordExactly(ctx, op, changes)
	if err != nil {
		giveBack()
		return nil, err
	}
	var errs []error
	made := make([]engine.Made, len(changes))
	for i, c := range changes {
		made[i] = c.made
		made[i].Ack = receipts[i]
		c.d.ByModel()
		c.d.Umask = h.umask
		errs = append(errs, c.advance())
	}
	return made, errors.Join(errs...)
}

// allFree refuses exact edits if another turn has one of their files: the turn claims all
// of them, or none.
func (h *hold) allFree(ctx context.Context, of []model.FileEdit) error {
	for _, e := range of {
		d, err := h.document(ctx, e.Path)
		if err == nil {
			err = cmp.Or(ownSettings(e.Path, d.Path), h.busy(d.Path))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// takeAll claims the files of exact edits for the turn, all or none.
func (h *hold) takeAll(changes []exactChange) (giveBack func(), err error) {
	var taken []string
	giveBack = func() {
		for _, path := range taken {
			h.table.give(path)
		}
	}
	for _, c := range changes {
		fresh, err := h.mark(c.d.Path)
		if err != nil {
			giveBack()
			return nil, err
		}
		if fresh {
			taken = append(taken, c.d.Path)
		}
	}
	return giveBack, nil
}

// exactChange is one edit being made: what is recorded (nil: nothing), what the turn's
// events say, and how the document is updated.
type exactChange struct {
	d       *live.Document
	edit    *history.NewEdit
	made    engine.Made
	advance func() error
}

// exactly works out what an edit of a file records, place by place. It first records what
// the user typed in the file.
func (p *turnFiles) exactly(ctx context.Context, e model.FileEdit) ([]exactChange, error) {
	d, err := p.document(ctx, e.Path)
	if err == nil {
		err = d.Flush(ctx)
	}
	if err != nil {
		return nil, err
	}
	if e.Create == d.Exists() {
		return nil, &engine.OverlapError{Path: d.Path, By: string(history.Outside), Line: 1}
	}
	cs, err := mappedTo(d, e)
	switch {
	case err != nil:
		return nil, err
	case e.Create:
		return p.exactCreate(d, cs)
	case e.Delete:
		return p.exactDelete(d), nil
	}
	return p.exactText(d, cs)
}

// mappedTo maps the change over what happened since, to the live text.
func mappedTo(d *live.Document, e model.FileEdit) (text.ChangeSet, error) {
	if d.Live().Equal(e.Base) {
		return e.Changes, nil
	}
	since := text.Diff(e.Base, d.Live())
	met := e.Changes.Conflicts(since)
	switch {
	case e.Delete:
		return e.Changes, &engine.OverlapError{Path: d.Path, By: string(history.User), Line: 1}
	case len(met) > 0:
		return e.Changes, &engine.OverlapError{Path: d.Path, By: string(history.User),
			Line: text.LineOf(e.Base, met[0].From) + 1}
	}
	return e.Changes.Map(since, true)
}

func (p *turnFiles) exactCreate(d *live.Document, cs text.ChangeSet) ([]exactChange, error) {
	content, err := cs.Apply(text.Text{})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", d.Path, err)
	}
	c := change{step: step{path: d.Path, kind: history.Create, content: content}, d: d,
		edit: history.NewEdit{Path: d.Path, Kind: history.Create}}
	p.prepareCreate(&c)
	made := engine.Made{Path: d.Path, Created: true, Line: 1, Pieces: pieces(text.Text{}, cs, d.Encoding),
		Added: countLines(content.String())}
	return []exactChange{{d, &c.edit, made, func() error {
		return c.advance()
	}}}, nil
}

func (p *turnFiles) exactDelete(d *live.Document) []exactChange {
	was, _ := d.Masked()
	edit := history.NewEdit{Path: d.Path, Kind: history.Delete, Before: was, Expect: d.HeadHash()}
	made := engine.Made{Path: d.Path, Deleted: true, Removed: countLines(d.Encoding.Decode(d.Live().Bytes()))}
	return []exactChange{{d, &edit, made, func() error {
		return d.Delete()
	}}}
}

func (p *turnFiles) exactText(d *live.Document, cs text.ChangeSet) ([]exactChange, error) {
	places, err := engine.Places(d.Live(), cs)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", d.Path, err)
	}
	var out []exactChange
	before := d.Live()
	was, hidden := d.Masked()
	for _, at := range places {
		after, err := at.Changes.Apply(before)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", d.Path, err)
		}
		masked, m, hides, err := mask.Change(d.Path, was, at.Changes, after, hidden)
		if err != nil {
			return nil, err
		}
		c := exactChange{d: d, made: engine.Made{Path: d.Path, Line: at.Line,
			Pieces: inCharacters(at.Pieces, before, d.Encoding), Added: at.Added, Removed: at.Removed}}
		if !masked.Empty() {
			c.edit = &history.NewEdit{Path: d.Path, Kind: history.Text, Changes: masked, Before: was}
		}
		c.advance = func() error { return d.Become(history.Model, at.Changes, after, m, hides) }
		out = append(out, c)
		before, was, hidden = after, m, hides
	}
	return out, nil
}

// recordExactly appends the edits, and returns the receipt of each.
func (p *turnFiles) recordExactly(ctx context.Context, op history.Op, changes []exactChange) ([]engine.Ack, error) {
	for _, c := range changes {
		if c.edit != nil {
			op.Edits = append(op.Edits, *c.edit)
		} else {
			p.notice(c.d.Path + ": only a secret changed; the history does not keep secrets, so this edit cannot be reverted")
		}
	}
	out := make([]engine.Ack, len(changes))
	if len(op.Edits) == 0 {
		return out, nil
	}
	r, err := p.append(context.WithoutCancel(ctx), op)
	if err != nil {
		return nil, fmt.Errorf("record the edits: %w", err)
	}
	n := 0
	for i, c := range changes {
		if c.edit != nil {
			out[i] = nthReceipt{r, n}
			n++
		}
	}
	return out, nil
}

// nthReceipt is the receipt of one edit of an operation.
type nthReceipt struct {
	history.Receipt
	n int
}

func (r nthReceipt) EditIDs() []int64 { return []int64{int64(r.IDs()[r.n])} }
