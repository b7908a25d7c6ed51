package history

import (
	"context"
	"fmt"
	"io/fs"
	"slices"

	"waferpair/history/version"
	"waferpair/workspace/text"
)

// Append records an operation. It checks every edit against the newest version of its file
// and assigns the IDs at once; the Receipt reports when they are durable. Append blocks
// while the writer is too far behind.
func (s *Store) Append(ctx context.Context, op Op) (Receipt, error) {
	drafts, _, err := s.draftRows(op.Drafts)
	if err != nil {
		return Receipt{}, err
	}
	size, err := s.reserve(ctx, op.size())
	if err != nil {
		return Receipt{}, err
	}
	if err := s.knowPaths(ctx, op.paths); err != nil {
		s.budget.Release(size)
		return Receipt{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	r, err := s.append(ctx, op, drafts, size)
	if err != nil {
		s.budget.Release(size)
	}
	return r, err
}

func (op Op) size() (n int) {
	for _, e := range op.Edits {
		n += len(e.Content)
		e.Changes.Changes(func(c text.Change) bool {
			n += 2*len(c.Insert) + int(c.To-c.From)
			return true
		})
	}
	for _, d := range op.Drafts {
		d.Changes.Changes(func(c text.Change) bool {
			n += len(c.Insert)
			return true
		})
	}
	return n
}

func (op Op) paths(yield func(string) bool) {
	for _, e := range op.Edits {
		if !yield(e.Path) || e.To != "" && !yield(e.To) {
			return
		}
	}
}

func (s *Store) append(ctx context.Context, op Op, drafts []draftRow, size int64) (Receipt, error) {
	if err := s.refuses(); err != nil {
		return Receipt{}, err
	}
	author, err := code(authors, op.Author)
	if err != nil {
		return Receipt{}, err
	}
	if err := s.knowTurn(ctx, op.Turn); err != nil {
		return Receipt{}, err
	}
	p := &prepared{s: s, ctx: ctx, turn: op.Turn, reverts: op.Reverts, heads: make([]head, 0, 2)}
	for _, e := range op.Edits {
		if err := p.add(e); err != nil {
			return Receipt{}, err
		}
	}
	return s.queueOp(op, author, p, drafts, size), nil
}

// queueOp assigns the IDs and passes the operation to the writer. From here on only the
// commit can fail.
func (s *Store) queueOp(op Op, author int, p *prepared, drafts []draftRow, size int64) Receipt {
	row := opRow{id: s.next.op, kind: opEdits, branch: s.current, turn: op.Turn, author: author,
		at: s.now(), note: op.Note}
	s.next.op++
	ids := make([]EditID, len(p.edits))
	for i := range p.edits {
		ids[i] = s.next.edit
		p.edits[i].row.id = s.next.edit
		s.next.edit++
	}
	edits, paths := p.edits, p.paths
	j := &job{size: size, orNot: op.OrNot, run: func(g *group) error {
		if err := g.writeOp(row, paths, edits); err != nil {
			return err
		}
		if err := g.recordIntent(op.Save); err != nil {
			return err
		}
		return g.writeDrafts(drafts)
	}}
	if op.OrNot {
		j.undo = s.uninstall(j, p.heads)
	}
	job := s.enqueueJob(j)
	for i := range p.heads {
		s.install(p.heads[i], ids, job)
	}
	return Receipt{ids, job}
}

// install makes a prepared head the current one. Until then, the head's edit field is the
// index of the edit in the operation.
func (s *Store) install(h head, ids []EditID, job *promise) {
	if h.changed {
		h.edit = ids[h.edit]
	}
	h.job, h.unsaved, h.changed = job, false, false
	*s.heads[h.path] = h
}

// uninstall returns a function that restores the heads from before the operation. It leaves
// alone those that a later job has changed.
func (s *Store) uninstall(j *job, heads []head) func() {
	was := make([]head, len(heads))
	for i := range heads {
		was[i] = *s.heads[heads[i].path]
	}
	return func() {
		for _, h := range was {
			if now := s.heads[h.path]; now != nil && now.job == j.done {
				*now = h
			}
		}
	}
}

// newPath is a row of table path to insert.
type newPath struct {
	id   int64
	path string
}

// newEdit is an edit ready for the writer.
type newEdit struct {
	row    editRow
	pathID int64
	toID   int64
	whole  *version.Content // the content, for a create, blob, symlink or keyframe
	sum    *version.Digest  // of the version it makes; nil if it makes none
	mode   fs.FileMode      // of that version
	hide   *Hide
}

// prepared collects the edits of an operation. It changes copies of the heads, so that an
// operation that fails half-way changes nothing.
type prepared struct {
	s       *Store
	ctx     context.Context
	turn    TurnID
	reverts []EditID
	heads   []head
	edits   []newEdit
	paths   []newPath
}

// head returns the operation's copy of the head of path.
func (p *prepared) head(path string) (*head, error) {
	for i := range p.heads {
		if p.heads[i].path == path {
			return &p.heads[i], nil
		}
	}
	h, err := p.s.head(p.ctx, path)
	if err != nil {
		return nil, fmt.Errorf("record edit of %s: %w", path, err)
	}
	if h.unsaved {
		p.paths = append(p.paths, newPath{h.id, path})
	}
	p.heads = append(p.heads, *h)
	return &p.heads[len(p.heads)-1], nil
}

func (p *prepared) add(e NewEdit) error {
	kind, err := code(kinds, e.Kind)
	if err != nil {
		return err
	}
	if e.Path == "" {
		return fmt.Errorf("history: an edit without a path")
	}
	h, err := p.head(e.Path)
	if err != nil {
		return err
	}
	reverts := e.Reverts
	if len(reverts) == 0 {
		reverts = p.reverts
	}
	reverts = slices.Compact(slices.Sorted(slices.Values(reverts))) // sorted and unique, as the table stores them
	n := newEdit{pathID: h.id, hide: e.Hide, row: editRow{branch: p.s.current, path: e.Path, kind: kind, reverts: reverts}}
	if e.Partial {
		n.row.state = statePartial
	}
	if err := p.fill(&n, h, e); err != nil {
		return err
	}
	p.edits = append(p.edits, n)
	return nil
}

// touch records that the edit under construction changes h.
func (p *prepared) touch(h *head) { h.edit, h.changed = EditID(len(p.edits)), true }

func (p *prepared) fill(n *newEdit, h *head, e NewEdit) error {
	if err := expect(h, e); err != nil {
		return err
	}
	switch e.Kind {
	case Text:
		return p.fillText(n, h, e)
	case Create, Blob, Symlink:
		p.fillWhole(n, h, e)
	case Delete:
		n.row.removed = linesOf(text.Plain(e.Before).Bytes())
		h.exists, h.sum = false, nil
		h.since++
	case Mode:
		n.row.mode, n.row.hasMode = e.Mode, true
		h.mode = e.Mode
		h.since++
	case Rename:
		return p.fillRename(n, h, e)
	}
	n.row.exists, n.sum, n.mode = h.exists, h.sum, h.mode
	p.touch(h)
	return nil
}

// expect checks that the file is in a state that the edit can apply to.
func expect(h *head, e NewEdit) error {
	bad := func(why string) error { return &HeadError{Path: e.Path, Impossible: why, HeadEdit: h.edit} }
	isLink := h.mode&fs.ModeSymlink != 0
	switch {
	case h.purged:
		return bad("its content was purged; record its present content with Baseline first")
	case e.Kind == Create && h.exists:
		return bad(fmt.Sprintf("it cannot be created, it exists (edit %d)", h.edit))
	case e.Kind != Create && e.Kind != Symlink && !h.exists:
		return &HeadError{Path: e.Path, Got: e.Expect}
	case e.Kind == Text && isLink:
		return bad("it is a symbolic link")
	case e.Kind != Text && !e.Expect.IsZero() && e.Expect != h.sum.Hash():
		return &HeadError{Path: e.Path, Head: h.sum.Hash(), Got: e.Expect, HeadEdit: h.edit}
	}
	return nil
}

func (p *prepared) fillText(n *newEdit, h *head, e NewEdit) error {
	if !p.s.recent.is(h, e.Before) {
		if got := HashText(e.Before); got != h.sum.Hash() {
			return &HeadError{Path: e.Path, Head: h.sum.Hash(), Got: got, HeadEdit: h.edit}
		}
	}
	after, err := e.Changes.Apply(e.Before)
	if err != nil {
		return fmt.Errorf("record edit of %s: %w", e.Path, err)
	}
	d := version.MakeDelta(e.Before, e.Changes)
	n.row.delta = d.Encode()
	n.row.added, n.row.removed = changedLines(e, d, after)
	h.sum = p.s.digest(after)
	h.since++
	h.bytes += len(n.row.delta)
	if version.WantKeyframe(h.since, h.bytes, int(after.Len())) {
		n.whole = version.Pack(Hash{}, after.Bytes()) // the writer sets the hash
		n.row.mode, n.row.hasMode = h.mode, true
		h.since, h.bytes = 0, 0
	}
	p.s.recent.keep(h, after)
	n.row.exists, n.sum, n.mode = true, h.sum, h.mode
	p.touch(h)
	return nil
}

func (p *prepared) fillWhole(n *newEdit, h *head, e NewEdit) {
	mode := e.Mode
	switch {
	case e.Kind == Symlink:
		mode = mode.Perm() | fs.ModeSymlink
	case mode == 0 && h.exists && e.Kind == Blob:
		mode = h.mode
	case mode == 0:
		mode = 0o644
	}
	n.whole = version.Pack(HashBytes(e.Content), e.Content)
	n.row.added = linesOf(text.Plain(text.Of(e.Content)).Bytes())
	n.row.mode, n.row.hasMode = mode, true
	h.exists, h.sum, h.mode, h.since, h.bytes = true, version.Known(n.whole.Hash), mode, 0, 0
}

func (p *prepared) fillRename(n *newEdit, h *head, e NewEdit) error {
	from := h.path
	to, err := p.head(e.To) // may move the copies, so h is looked up again
	if err != nil {
		return err
	}
	if to.exists || to.purged || e.To == from {
		return &HeadError{Path: e.Path, HeadEdit: to.edit,
			Impossible: fmt.Sprintf("it cannot be renamed to %s, which exists", e.To)}
	}
	if !e.Changes.Empty() {
		return fmt.Errorf("record rename of %s: a rename carries no changes; record them as a text edit of their own", e.Path)
	}
	h, _ = p.head(from)
	n.toID, n.row.to = to.id, e.To
	n.row.exists, n.sum, n.mode = true, h.sum, h.mode
	to.exists, to.sum, to.mode = true, h.sum, h.mode
	to.since, to.bytes = h.since+1, h.bytes
	h.exists, h.sum = false, nil
	p.touch(to)
	p.touch(h)
	return nil
}
