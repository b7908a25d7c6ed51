package app

import (
	"slices"

	"waferpair/workspace/text"
)

// layers are what a document has beyond its newest recorded version: the hunk
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
type layers struct {
	head  text.Text
	model composer       // head -> mid
	back  text.ChangeSet // live -> mid
	live  text.Text
}

// layersAt has nothing unrecorded.
func layersAt(t text.Text) layers {
	return layers{head: t, model: startingAt(t.Len()), back: text.Retain(t.Len()), live: t}
}

func (l *layers) mid() (text.Text, error) { return l.back.Apply(l.live) }

// typing reports whether the user typed something that is not recorded.
func (l *layers) typing() bool { return !l.back.Empty() }

// settled reports whether live is recorded.
func (l *layers) settled() bool { return l.model.empty() && !l.typing() }

// typed takes a change of the user, from live to after.
func (l *layers) typed(cs text.ChangeSet, after text.Text) error {
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

// touchesTyped reports whether a change of live changes what the user typed:
// then that is to be recorded before the change is taken.
func (l *layers) touchesTyped(cs text.ChangeSet) bool { return l.typing() && cs.Overlaps(l.back) }

// wrote takes a change of the model, from live to after, and moves it below
// what the user typed.
func (l *layers) wrote(cs text.ChangeSet, after text.Text) error {
	below, back := cs, text.Retain(after.Len())
	if l.typing() {
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

// commitModel gives the hunk as a change of head, and the layers once it is recorded.
func (l *layers) commitModel() (text.ChangeSet, layers, error) {
	cs, err := l.model.total()
	if err != nil {
		return cs, *l, err
	}
	mid, err := l.mid()
	return cs, layers{head: mid, model: startingAt(mid.Len()), back: l.back, live: l.live}, err
}

// commitTyped gives what the user typed as a change of head, and the layers
// once it is recorded. It is false when the user typed in the open hunk itself:
// then that has to be recorded first, as far as it is.
func (l *layers) commitTyped() (cs text.ChangeSet, after layers, ok bool, err error) {
	after = layersAt(l.live)
	if cs, err = l.back.Invert(l.live); err != nil || l.model.empty() {
		return cs, after, true, err
	}
	hunk, err := l.model.total()
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

// effective leaves the parts of a change out that put the same text back.
func effective(cs text.ChangeSet, t text.Text) (text.ChangeSet, error) {
	list := slices.Collect(cs.Changes)
	kept := slices.DeleteFunc(slices.Clone(list), func(c text.Change) bool {
		return int(c.To-c.From) == len(c.Insert) && t.Slice(c.From, c.To).String() == c.Insert
	})
	if len(kept) == len(list) {
		return cs, nil
	}
	return text.NewChangeSet(cs.Len(), kept...)
}
