package version

import (
	"context"
	"fmt"
	"slices"
)

// Lifeline is the sequence of edits of one file since its newest creation: through renames
// and from parent branches into their children, oldest first. A file that was deleted and
// created again has a new lifeline.
type Lifeline struct {
	Edits []Row
	Base  int64 // the content before the first edit; 0: the first edit creates it
}

// Life collects the lifeline of a path at the end of a lineage, back to edit since, which
// need not be the file's own. If since is set, the lifeline has no base.
func Life(ctx context.Context, r Reader, path int64, lin Lineage, since EditID) (Lifeline, error) {
	l := &lifeWalk{ctx: ctx, r: r, since: since}
	for len(lin) > 0 && !l.done && lin[0].Max >= since {
		from, at, err := r.Renamed(ctx, path, lin[0])
		if err != nil {
			return Lifeline{}, err
		}
		if err := l.segment(path, lin[0], at.ID); err != nil {
			return Lifeline{}, err
		}
		if l.done || from == 0 {
			lin = lin[1:]
			continue
		}
		l.Edits = append(l.Edits, at)
		path, lin = from, lin.UpTo(at.ID-1)
	}
	if !l.done && since == 0 {
		if err := l.first(path); err != nil {
			return Lifeline{}, err
		}
	}
	slices.Reverse(l.Edits)
	return l.Lifeline, nil
}

// lifeWalk collects a lifeline backwards.
type lifeWalk struct {
	Lifeline
	ctx   context.Context
	r     Reader
	since EditID
	done  bool // the file's creation was found
}

// segment visits the path's own edits of one branch, newest first.
func (l *lifeWalk) segment(path int64, seg Segment, after EditID) error {
	lost := false
	for e, err := range l.r.Edits(l.ctx, path, seg, max(after, l.since-1), true) {
		switch {
		case err != nil:
			return err
		case e.Kind == Delete || e.Kind == Rename: // they ended the file that was here before
			l.done = true
		case e.Lost != nil:
			l.done, lost = true, true
		default:
			l.Edits = append(l.Edits, e)
			l.done = e.Kind == Create || e.Kind == Symlink
		}
		if l.done {
			break
		}
	}
	if lost {
		return l.first(path)
	}
	return nil
}

// first ends the lifeline at the first content of the path.
func (l *lifeWalk) first(path int64) error {
	l.done = true
	f, err := l.r.First(l.ctx, path)
	switch {
	case err != nil:
		return err
	case f == nil && len(l.Edits) == 0:
		return nil // never existed
	case f == nil:
		return fmt.Errorf("%w: the first content of the file is missing", ErrDamaged)
	case f.Blob == 0:
		return ErrPurged
	}
	l.Base = f.Blob
	return nil
}
