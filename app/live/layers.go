package live

import "waferpair/workspace/text"

// Layers hold the changes of a document that are not recorded: the hunk that the model
// is writing, and what the user typed since the last recording.
//
//	head --model--> mid --typed--> live
//
// Changes arrive at live in any order. A change by the model is moved below the user's
// typing; when the user's burst ends while the hunk is still open, the typing is moved
// below the hunk. A move maps the two changes over each other and leaves live as it is.
//
// The typing is kept as its inverse, from live to mid. The inverse has deletions where
// the user inserted, so that a large paste costs nothing.
type Layers struct {
	head  text.Text
	model composer       // head -> mid
	back  text.ChangeSet // live -> mid
	live  text.Text
}

// At returns the layers of a text without unrecorded changes.
func At(t text.Text) Layers {
	return Layers{head: t, model: startingAt(t.Len()), back: text.Retain(t.Len()), live: t}
}

// Head is the newest recorded version.
func (l *Layers) Head() text.Text { return l.head }

// Mid is head with the open hunk applied.
func (l *Layers) Mid() (text.Text, error) { return l.back.Apply(l.live) }

// Live is the current text.
func (l *Layers) Live() text.Text { return l.live }

// Hunk is the change from head to mid.
func (l *Layers) Hunk() (text.ChangeSet, error) { return l.model.total() }

// Typed is the change from mid to live.
func (l *Layers) Typed() (text.ChangeSet, error) { return l.back.Invert(l.live) }

// Back is the change from live to mid, which undoes the user's typing.
func (l *Layers) Back() text.ChangeSet { return l.back }

// Writing reports whether the hunk has unrecorded text.
func (l *Layers) Writing() bool { return !l.model.empty() }

// Typing reports whether the user's typing is unrecorded.
func (l *Layers) Typing() bool { return !l.back.Empty() }

// Settled reports whether live is recorded.
func (l *Layers) Settled() bool { return !l.Writing() && !l.Typing() }

// Type applies a change by the user; after is the resulting live text.
func (l *Layers) Type(cs text.ChangeSet, after text.Text) error {
	inverse, err := cs.Invert(l.live)
	if err != nil {
		return err
	}
	if l.back, err = inverse.Compose(l.back); err != nil {
		return err
	}
	l.live = after
	return nil
}

// TouchesTyped reports whether a change of live overlaps the user's unrecorded typing,
// which must then be recorded first.
func (l *Layers) TouchesTyped(cs text.ChangeSet) bool { return l.Typing() && cs.Overlaps(l.back) }

// Write applies a change by the model, whose result is after, and moves it below the
// user's typing.
func (l *Layers) Write(cs text.ChangeSet, after text.Text) error {
	below, back := cs, text.Retain(after.Len())
	if l.Typing() {
		var err error
		if below, err = cs.Map(l.back, false); err != nil {
			return err
		}
		if back, err = l.back.Map(cs, true); err != nil {
			return err
		}
	}
	l.live, l.back = after, back
	return l.model.add(below)
}

// CommitHunk returns the hunk as a change of head, and the layers once it is recorded.
func (l *Layers) CommitHunk() (text.ChangeSet, Layers, error) {
	cs, err := l.Hunk()
	if err != nil {
		return cs, *l, err
	}
	mid, err := l.Mid()
	return cs, Layers{head: mid, model: startingAt(mid.Len()), back: l.back, live: l.live}, err
}

// CommitTyped returns the user's typing as a change of head, and the layers once it is
// recorded. ok is false when the user typed inside the open hunk: then the hunk must be
// recorded first, as far as it is written.
func (l *Layers) CommitTyped() (cs text.ChangeSet, after Layers, ok bool, err error) {
	after = At(l.live)
	if cs, err = l.Typed(); err != nil || !l.Writing() {
		return cs, after, true, err
	}
	hunk, err := l.Hunk()
	if err != nil {
		return cs, after, false, err
	}
	inverse, err := hunk.Invert(l.head)
	if err != nil || cs.Overlaps(inverse) {
		return cs, after, false, err
	}
	below, err := cs.Map(inverse, true)
	if err != nil {
		return cs, after, false, err
	}
	if after.head, err = below.Apply(l.head); err != nil {
		return cs, after, false, err
	}
	after.model, err = above(inverse, cs, l.live)
	return below, after, true, err
}

// above returns the hunk on top of the user's typing: inverse, the inverse of the hunk,
// is mapped over the typing and inverted again.
func above(inverse, typed text.ChangeSet, live text.Text) (composer, error) {
	inverse, err := inverse.Map(typed, false)
	if err != nil {
		return composer{}, err
	}
	hunk, err := inverse.Invert(live)
	return composer{[]composed{{cs: hunk}}}, err
}
