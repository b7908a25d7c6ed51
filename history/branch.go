package history

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"

	"waferpair/history/plan"
	"waferpair/history/version"
)

// loadBranches reads all branches, which are few, and which one is current.
func (s *Store) loadBranches(ctx context.Context, q querier) error {
	rows, err := q.QueryContext(ctx, "SELECT id, name, parent, at, turn FROM branch ORDER BY id")
	if err != nil {
		return err
	}
	defer rows.Close()
	s.branches = nil
	for rows.Next() {
		var b Branch
		if err := rows.Scan(&b.id, &b.Name, &b.parent, &b.At, &b.turn); err != nil {
			return fmt.Errorf("%w: the list of branches: %v", ErrDamaged, err) // a column has the wrong type
		}
		s.branches = append(s.branches, b)
	}
	if err := rows.Err(); err != nil {
		return err
	}
	err = q.QueryRowContext(ctx, "SELECT value FROM meta WHERE key = 'branch'").Scan(&s.current)
	if errors.Is(err, sql.ErrNoRows) {
		s.current, err = 1, nil
	}
	return err
}

func (s *Store) branchByID(id int64) (Branch, bool) {
	for _, b := range s.branches {
		if b.id == id {
			return b, true
		}
	}
	return Branch{}, false
}

func (s *Store) branchByName(name string) (Branch, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, b := range s.branches {
		if b.Name == name {
			return b, nil
		}
	}
	return Branch{}, fmt.Errorf("branch %q: %w; `waferpair history list` shows the branches", name, ErrNotFound)
}

// lineageOf returns the edits of a branch up to max, and those of its ancestors up to where
// the branches leave them. The caller holds s.mu or is Open.
func (s *Store) lineageOf(branch int64, max EditID) version.Lineage {
	var out version.Lineage
	for branch != 0 {
		b, ok := s.branchByID(branch)
		if !ok {
			break
		}
		out = append(out, version.Segment{Branch: branch, Max: max})
		max = min(max, b.At)
		branch = b.parent
	}
	return out
}

// lineage returns the lineage of the current branch.
func (s *Store) lineage() version.Lineage {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.lineageOf(s.current, Newest)
}

// moment returns the lineage that ends with edit id, whatever branch that is on.
func (s *Store) moment(ctx context.Context, id EditID) (version.Lineage, error) {
	switch id {
	case Newest:
		if err := s.settled(ctx); err != nil {
			return nil, err
		}
		return s.lineage(), nil
	case 0:
		return nil, nil
	}
	branch, err := s.rows().branchOf(ctx, id)
	if errors.Is(err, ErrNoEdit) { // it may still be queued
		if err := s.settled(ctx); err != nil {
			return nil, err
		}
		branch, err = s.rows().branchOf(ctx, id)
	}
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.lineageOf(branch, id), nil
}

func (r reader) branchOf(ctx context.Context, id EditID) (branch int64, err error) {
	err = r.q.QueryRowContext(ctx, "SELECT branch FROM edit WHERE id = ?", int64(id)).Scan(&branch)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, fmt.Errorf("edit %d: %w; `waferpair history list` shows the edits", id, ErrNoEdit)
	}
	return branch, err
}

// forkNote is the chain's note of a fork or a switch.
type forkNote struct {
	ID     int64  `json:"id"`
	Name   string `json:"name"`
	Parent int64  `json:"parent,omitempty"`
	At     EditID `json:"at"`
}

// Fork creates a branch that leaves history right after edit at, which may be on any
// branch. It does not switch to it.
func (s *Store) Fork(ctx context.Context, name string, at EditID) (Branch, error) {
	b, err := s.PlanFork(ctx, name, at)
	if err != nil {
		return Branch{}, err
	}
	return s.AddFork(ctx, b)
}

// PlanFork returns the branch that Fork would create. AddFork creates it, once the files
// are in the state of its At.
func (s *Store) PlanFork(ctx context.Context, name string, at EditID) (Branch, error) {
	if name == "" {
		return Branch{}, errors.New("fork: a branch needs a name")
	}
	if _, err := s.branchByName(name); err == nil {
		return Branch{}, fmt.Errorf("fork: there is a branch %q already; choose another name", name)
	}
	lin, err := s.moment(ctx, at)
	if err != nil {
		return Branch{}, fmt.Errorf("fork %q: %w", name, err)
	}
	parent := int64(1)
	if len(lin) > 0 {
		parent = lin[0].Branch
	}
	if at == Newest {
		if at, err = s.rows().headOf(ctx, lin); err != nil {
			return Branch{}, err
		}
	}
	turn, err := s.sharedTurn(ctx, parent, at)
	if err != nil {
		return Branch{}, fmt.Errorf("fork %q: %w", name, err)
	}
	return Branch{Name: name, At: at, Head: at, parent: parent, turn: turn}, nil
}

// AddFork creates a planned branch.
func (s *Store) AddFork(ctx context.Context, b Branch) (Branch, error) {
	s.mu.Lock()
	p, _ := s.branchByID(b.parent)
	b.Parent = p.Name
	for _, o := range s.branches {
		b.id = max(b.id, o.id+1)
	}
	s.mu.Unlock()
	note, _ := json.Marshal(forkNote{b.id, b.Name, b.parent, b.At})
	job, err := s.appendPlain(ctx, opFork, string(note), func(g *group) error {
		return g.exec("INSERT INTO branch (id, name, parent, at, turn) VALUES (?, ?, ?, ?, ?)", b.id, b.Name, b.parent,
			int64(b.At), int64(b.turn))
	})
	if err == nil {
		err = job.wait(ctx)
	}
	if err != nil {
		return Branch{}, fmt.Errorf("fork %q: %w", b.Name, err)
	}
	s.mu.Lock()
	s.branches = append(s.branches, b)
	s.mu.Unlock()
	return b, nil
}

// appendPlain records an operation without edits.
func (s *Store) appendPlain(ctx context.Context, kind opKind, note string, also func(*group) error) (*promise, error) {
	size, err := s.reserve(ctx, len(note))
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.refuses(); err != nil {
		s.budget.Release(size)
		return nil, err
	}
	author, _ := code(authors, User)
	row := opRow{id: s.next.op, kind: kind, branch: s.current, author: author, at: s.now(), note: note}
	s.next.op++
	return s.enqueueJob(&job{size: size, orNot: true, run: func(g *group) error {
		var c canon
		c.op(row)
		if also != nil {
			if err := also(g); err != nil {
				return err
			}
		}
		return g.insertOp(row, c.b)
	}}), nil
}

// Branches returns all branches with their heads, oldest first.
func (s *Store) Branches(ctx context.Context) ([]Branch, error) {
	if err := s.settled(ctx); err != nil {
		return nil, err
	}
	s.mu.Lock()
	out := append([]Branch(nil), s.branches...)
	current := s.current
	s.mu.Unlock()
	for i := range out {
		b := &out[i]
		b.Current = b.id == current
		s.mu.Lock()
		p, _ := s.branchByID(b.parent)
		lin := s.lineageOf(b.id, Newest)
		s.mu.Unlock()
		b.Parent = p.Name
		var err error
		if b.Head, err = s.rows().headOf(ctx, lin); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// headOf returns the newest edit of a lineage.
func (r reader) headOf(ctx context.Context, lin version.Lineage) (EditID, error) {
	for _, seg := range lin {
		var id EditID
		err := r.q.QueryRowContext(ctx, "SELECT id FROM edit WHERE branch = ? AND id <= ? ORDER BY id DESC LIMIT 1",
			seg.Branch, int64(seg.Max)).Scan(&id)
		if err == nil {
			return id, nil
		}
		if !errors.Is(err, sql.ErrNoRows) {
			return 0, err
		}
	}
	return 0, nil
}

// Switch plans the way from the newest state of the current branch to that of another one.
// app carries the plan out on disk and then calls SetBranch; the plan's edits are not
// appended, because they are already the other branch's history.
func (s *Store) Switch(ctx context.Context, name string) (Plan, error) {
	b, err := s.branchByName(name)
	if err != nil {
		return Plan{}, fmt.Errorf("switch: %w", err)
	}
	if err := s.settled(ctx); err != nil {
		return Plan{}, err
	}
	s.mu.Lock()
	from, to := s.lineageOf(s.current, Newest), s.lineageOf(b.id, Newest)
	s.mu.Unlock()
	return plan.Between(ctx, s.rows(), from, to)
}

// SetBranch makes another branch current.
func (s *Store) SetBranch(ctx context.Context, name string) error {
	return s.SetBranchSaved(ctx, name, 0)
}

// SetBranchSaved is SetBranch as the record of an intent, see Op.Save.
func (s *Store) SetBranchSaved(ctx context.Context, name string, save int64) error {
	b, err := s.branchByName(name)
	if err != nil {
		return fmt.Errorf("switch: %w", err)
	}
	note, _ := json.Marshal(forkNote{ID: b.id, Name: b.Name})
	job, err := s.appendPlain(ctx, opSwitch, string(note), func(g *group) error {
		if err := g.recordIntent(save); err != nil {
			return err
		}
		return g.exec("INSERT OR REPLACE INTO meta (key, value) VALUES ('branch', ?)", b.id)
	})
	if err == nil {
		err = job.wait(ctx)
	}
	if err != nil {
		return fmt.Errorf("switch to %q: %w", name, err)
	}
	for { // a head may be dropped only when the database has its path
		s.mu.Lock()
		p := s.last
		if p == nil || p.isDone() || s.stalled != nil {
			break
		}
		s.mu.Unlock()
		select {
		case <-p.done:
		case <-p.halted():
		}
	}
	defer s.mu.Unlock()
	s.current = b.id
	for path, h := range s.heads {
		if h.job == nil || h.job.isDone() {
			delete(s.heads, path)
		}
	}
	return nil
}
