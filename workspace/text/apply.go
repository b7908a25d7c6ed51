package text

import (
	"fmt"
	"slices"
)

// Apply returns the document after c, or ErrLength. It shares the parts that c keeps with
// t.
func (c ChangeSet) Apply(t Text) (Text, error) {
	if c.Len() != t.Len() {
		return Text{}, fmt.Errorf("apply: %w (%d, not %d bytes)", ErrLength, c.Len(), t.Len())
	}
	// From the end, so that the earlier offsets stay valid.
	root, pos := t.root, t.Len()
	for _, s := range slices.Backward(c.secs) {
		pos -= s.old
		if !s.keep {
			root = root.replace(pos, pos+s.old, []byte(s.ins))
		}
	}
	return Text{root}, nil
}

// Invert returns the change set that undoes c, given the document that c applies to.
func (c ChangeSet) Invert(t Text) (ChangeSet, error) {
	if c.Len() != t.Len() {
		return ChangeSet{}, fmt.Errorf("invert: %w (%d, not %d bytes)", ErrLength, c.Len(), t.Len())
	}
	var b builder
	pos := Byte(0)
	for _, s := range c.secs {
		if s.keep {
			b.keep(s.old)
		} else {
			b.replace(Byte(len(s.ins)), string(t.root.appendTo(nil, pos, pos+s.old)))
		}
		pos += s.old
	}
	return b.done(), nil
}
