package history

import (
	"context"
	"fmt"
	"slices"
	"sync"
)

// An edit of the model waits for review until it is accepted or reverted. Few edits wait,
// and pages ask for them after each edit of a stream; so they are cached, and only what was
// recorded since is read.

// reviewIndex caches the model's edits in a lineage that are not accepted, reverted or not,
// because a revert can itself be reverted.
type reviewIndex struct {
	mu     sync.Mutex
	stamp  Stamp
	loaded bool
	open   []Edit // oldest first
}

// Unreviewed returns the model's edits on the current branch that are neither accepted nor
// reverted, oldest first.
func (s *Store) Unreviewed(ctx context.Context) ([]Edit, error) {
	open, err := s.openEdits(ctx)
	if err != nil {
		return nil, fmt.Errorf("list unreviewed edits: %w", err)
	}
	if err := s.addReverts(ctx, open); err != nil {
		return nil, fmt.Errorf("list unreviewed edits: %w", err)
	}
	return slices.DeleteFunc(open, func(e Edit) bool { return e.RevertedBy != 0 || e.Purged }), nil
}

// openEdits returns a copy of the index, brought up to date.
func (s *Store) openEdits(ctx context.Context) ([]Edit, error) {
	now, err := s.Stamp(ctx) // first: edits recorded later may or may not be included
	if err != nil {
		return nil, err
	}
	if err := s.settled(ctx); err != nil {
		return nil, err
	}
	r := &s.review
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.loaded && r.stamp == now {
		return slices.Clone(r.open), nil
	}
	after := EditID(0)
	if r.loaded && r.stamp.since(now) {
		after = r.lastSeen()
	} else {
		r.open = nil
	}
	fresh, err := s.notReviewed(ctx, after)
	if err != nil {
		return nil, err
	}
	r.open, r.stamp, r.loaded = append(r.open, fresh...), now, true
	return slices.Clone(r.open), nil
}

// lastSeen returns the newest edit that the index has seen. The stamp of a writable store
// has the ID of the next edit, that of a read-only store the ID of the last one.
func (r *reviewIndex) lastSeen() EditID {
	last := EditID(0)
	if len(r.open) > 0 {
		last = r.open[len(r.open)-1].ID
	}
	return max(last, r.stamp.edit-1)
}

func (s *Store) notReviewed(ctx context.Context, after EditID) ([]Edit, error) {
	where, args, err := s.where(ctx, Filter{Author: Model, After: after})
	if err != nil {
		return nil, err
	}
	return s.scanEdits(ctx, "SELECT "+editColumns+editTables+where+
		" AND NOT EXISTS (SELECT 1 FROM reviewed WHERE edit = e.id) AND "+takenBack+" IS NULL ORDER BY e.id", args)
}

// SetReviewed marks edits as accepted, or as not accepted. It returns when the change is
// durable.
func (s *Store) SetReviewed(ctx context.Context, ids []EditID, accepted bool) error {
	for _, id := range ids {
		if _, err := s.moment(ctx, id); err != nil || id <= 0 {
			return fmt.Errorf("review edit %d: %w", id, orNoEdit(err))
		}
	}
	ids, at := slices.Clone(ids), s.now()
	job, err := s.submitAnd(ctx, 16*len(ids), func(g *group) error {
		for _, id := range ids {
			if err := g.setReviewed(id, accepted, at); err != nil {
				return err
			}
		}
		return g.count(reviewCount)
	}, func() { s.accepted++ })
	if err == nil {
		err = job.wait(ctx)
	}
	if err != nil {
		return fmt.Errorf("review: %w", err)
	}
	return nil
}

func (g *group) setReviewed(id EditID, accepted bool, at int64) error {
	if accepted {
		return g.exec("INSERT OR IGNORE INTO reviewed (edit, at) VALUES (?, ?)", int64(id), at)
	}
	return g.exec("DELETE FROM reviewed WHERE edit = ?", int64(id))
}
