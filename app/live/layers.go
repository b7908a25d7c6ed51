package live

import "waferpair/workspace/text"

// Layers are what a document has beyond its newest recorded version: the hunk
// that the model is writing, and what the user typed since the last recording.
//
//	head --model--> mid --typed--> live
//
// Changes arrive in any order on live. A change of the model is moved below
// what the user typed, and when the user's burst ends while the hunk is still
// open, what was typed is moved below the hunk. Both moves keep live what it
// is: each maps the two sides over one another, and takes the upper layer as
// the way from the new mid to live.
//
// For that, typed is kept as the change that takes it back. It then has
// deletions where the user inserted, so that a large paste costs nothing.
type Layers struct {
	head  text.Text
	model composer       // head -> mid
	back  text.ChangeSet // live -> mid
	live  text.Text
}

// At is a text of which everything is recorded.
func At(t text.Text) Layers {
	return Layers{head: t, model: startingAt(t.Len()), back: text.Retain(t.Len()), live: t}
}

// Head is the newest recorded version.
func (l *Layers) Head() text.Text { return l.head }

// Mid is head with the hunk.
func (l *Layers) Mid() (text.Text, error) { return l.back.Apply(l.live) }

// Live is the text as it is now.
func (l *Layers) Live() text.Text { return l.live }

// Hunk leads from head to mid.
func (l *Layers) Hunk() (text.ChangeSet, error) { return l.model.total() }

// Typed leads from mid to live.
func (l *Layers) Typed() (text.ChangeSet, error) { return l.back.Invert(l.live) }

// Back leads from live to mid: it takes back what the user typed.
func (l *Layers) Back() text.ChangeSet { return l.back }

// Writing reports whether the hunk has something that is not recorded.
func (l *Layers) Writing() bool { return !l.model.empty() }

// Typing reports whether the user typed something that is not recorded.
func (l *Layers) Typing() bool { return !l.back.Empty() }

// Settled reports whether live is recorded.
func (l *Layers) Settled() bool { return !l.Writing() && !l.Typing() }

// Type takes a change of the user, from live to after.
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

// TouchesTyped reports whether a change of live changes what the user typed:
// then that is to be recorded before the change is taken.
func (l *Layers) TouchesTyped(cs text.ChangeSet) bool { return l.Typing() && cs.Overlaps(l.back) }

// Write takes a change of the model, from live to after, and moves it below
// what the user typed.
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

// CommitHunk gives the hunk as a change of head, and the layers once it is recorded.
func (l *Layers) CommitHunk() (text.ChangeSet, Layers, error) {
	cs, err := l.Hunk()
	if err != nil {
		return cs, *l, err
	}
	mid, err := l.Mid()
	return cs, Layers{head: mid, model: startingAt(mid.Len()), back: l.back, live: l.live}, err
}

// CommitTyped gives what the user typed as a change of head, and the layers
// once it is recorded. It is false when the user typed in the open hunk itself:
// then that has to be recorded first, as far as it is.
func (l *Layers) CommitTyped() (cs text.ChangeSet, after Layers, ok bool, err error) {
	after = At(l.live)
	if cs, err = l.Typed(); err != nil || !l.Writing() {
		return cs, after, true, err
	}
	hunk, err := l.Hunk()
	if err != nil {
		return cs, after, false, err
	}
	takeBack, err := hunk.Invert(l.head)
	if err != nil || cs.Overlaps(takeBack) {
		return cs, after, false, err
	}
	below, err := cs.Map(takeBack, true)
	if err != nil {
		return cs, after, false, err
	}
	if after.head, err = below.Apply(l.head); err != nil {
		return cs, after, false, err
	}
	after.model, err = above(takeBack, cs, l.live)
	return below, after, true, err
}

// above is the hunk on top of what the user typed: takeBack is mapped over that,
// and turned round again.
func above(takeBack, typed text.ChangeSet, live text.Text) (composer, error) {
	takeBack, err := takeBack.Map(typed, false)
	if err != nil {
		return composer{}, err
	}
	hunk, err := takeBack.Invert(live)
	return composer{[]composed{{cs: hunk}}}, err
}
