package app

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"

	"waferpair/engine"
	"waferpair/history"
	"waferpair/workspace"
	"waferpair/workspace/text"
)

// claims are the files that other programs are writing on behalf of turns. Changes of
// them on disk are recorded as the turn's edits, and not as somebody else's; otherwise
// they are merged and shown like any.
type claims struct {
	mu   sync.Mutex
	list []*claim
}

// claim covers some files, or everything below some folders, until it is released.
type claim struct {
	hold    *hold
	paths   []string
	made    []engine.Made
	folders bool // at least one path is a folder
}

// covers reports whether the claim includes a file.
func (c *claim) covers(path string) bool {
	return slices.ContainsFunc(c.paths, func(p string) bool { return within(p, path) })
}

// meets reports whether a claim of a path would have a file in common with this one.
func (c *claim) meets(path string) bool {
	return c.covers(path) || slices.ContainsFunc(c.paths, func(p string) bool { return within(path, p) })
}

// within reports whether a path is a folder's, or below it.
func within(folder, path string) bool {
	return folder == "." || folder == path || strings.HasPrefix(path, folder+"/")
}

// of returns the claim that covers an operation; nil: none.
func (c *claims) of(op history.Op) *claim {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, one := range c.list {
		if len(op.Edits) > 0 && one.covers(op.Edits[0].Path) { // changes found on disk are recorded file by file
			return one
		}
	}
	return nil
}

// other returns the turn that has claimed a file, unless it is the given one; 0: none.
func (c *claims) other(path string, turn history.TurnID) history.TurnID {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.find(turn, func(one *claim) bool { return one.covers(path) })
}

// find is a turn with such a claim, other than the one given; 0: none. mu is held.
func (c *claims) find(turn history.TurnID, is func(*claim) bool) history.TurnID {
	for _, one := range c.list {
		if one.hold.turn != turn && is(one) {
			return one.hold.turn
		}
	}
	return 0
}

// add adds a claim, unless another turn has claimed something of it.
func (c *claims) add(one *claim) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, path := range one.paths {
		if other := c.find(one.hold.turn, func(o *claim) bool { return o.meets(path) }); other != 0 {
			return &engine.Busy{Path: path, Turn: int64(other)}
		}
	}
	c.list = append(c.list, one)
	return nil
}

// drop ends a claim, and returns the edits that were recorded under it.
func (c *claims) drop(one *claim) []engine.Made {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.list = slices.DeleteFunc(c.list, func(o *claim) bool { return o == one })
	return one.made
}

// recorded notes an operation that was recorded under a claim.
func (c *claims) recorded(one *claim, op history.Op, r history.Receipt) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	var errs []error
	for i, e := range op.Edits {
		m, err := madeOf(e)
		m.Ack = nthReceipt{r, i}
		one.made, errs = append(one.made, m), append(errs, err)
	}
	return errors.Join(errs...)
}

// madeOf describes an edit for a turn's events.
func madeOf(e history.NewEdit) (engine.Made, error) {
	m := engine.Made{Path: e.Path, Line: 1}
	switch e.Kind {
	case history.Delete:
		m.Deleted = true
		return m, nil
	case history.Rename:
		m.To = e.To
		return m, nil
	case history.Create:
		m.Created = true
		cs, err := text.NewChangeSet(0, text.Change{Insert: string(e.Content)})
		if err != nil {
			return m, err
		}
		return m, m.Add(text.Text{}, cs)
	}
	return m, m.Add(e.Before, e.Changes)
}

// Claim implements engine.Project.
func (h *hold) Claim(_ context.Context, _ int64, paths []string) (engine.Claim, error) {
	c := &claim{hold: h}
	for _, name := range paths {
		clean, err := h.Path(name)
		if err == nil {
			err = ownSettings(name, clean)
		}
		if err != nil {
			return nil, err
		}
		e, err := h.folder.Stat(clean)
		c.folders = c.folders || err == nil && e.Kind == workspace.Directory
		c.paths = append(c.paths, clean)
	}
	err := h.table.ifNoneTaken(func(taken map[string]history.TurnID) error {
		for path, turn := range taken {
			if turn != h.turn && c.covers(path) {
				return &engine.Busy{Path: path, Turn: int64(turn)}
			}
		}
		return h.claims.add(c)
	})
	if err != nil {
		return nil, err
	}
	return c, nil
}

// Release implements engine.Claim. A last comparison finds what is on disk now.
func (c *claim) Release(ctx context.Context) ([]engine.Made, error) {
	var err error
	if c.folders {
		err = c.hold.look.ReconcileAll(ctx)
	} else {
		err = c.hold.look.ReconcilePaths(ctx, c.paths)
	}
	return c.hold.claims.drop(c), err
}
