package text

import "fmt"

// Apply returns the document that c makes of t, or ErrLength. What c keeps is
// shared with t.
func (c ChangeSet) Apply(t Text) (Text, error) {
	if c.Len() != t.Len() {
		return Text{}, fmt.Errorf("apply: %w (%d, not %d bytes)", ErrLength, c.Len(), t.Len())
	}
	var out []byte
	pos := Byte(0)
	for _, s := range c.secs {
		if s.keep {
			out = append(out, t.b[pos:pos+s.old]...)
		}
		out = append(out, s.ins...)
		pos += s.old
	}
	return Text{out}, nil
}

// Invert returns the change set that undoes c, given the document c applies to.
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
			b.replace(Byte(len(s.ins)), t.Slice(pos, pos+s.old).String())
		}
		pos += s.old
	}
	return b.done(), nil
}
