package text

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
)

// Change replaces the bytes [From, To) of a document with Insert.
type Change struct {
	From, To Byte
	Insert   string
}

// ErrLength means that a ChangeSet was used with a document, or another ChangeSet, of the
// wrong length.
var ErrLength = errors.New("text: the change set is for a document of another length")

// ChangeSet is an edit of a document of a known length, as a list of sections from start to
// end. It is a value: every operation returns a new one. The zero value is the identity of
// the empty document.
//
// Adjacent sections stay separate if that matters to positions: an insertion before a
// deletion, after it, or in its place are three different edits with the same result. Equal
// neighbours are joined (see builder), so that two ways of making the same edit compare
// equal.
type ChangeSet struct {
	secs []section
}

// section covers old bytes of the old document. It either keeps them, or replaces them by
// ins; old or len(ins) may be zero, but not both.
type section struct {
	old  Byte
	keep bool
	ins  string
}

func (s section) len() Byte { return s.old }

func (s section) newLen() Byte {
	if s.keep {
		return s.old
	}
	return Byte(len(s.ins))
}

// Retain returns the identity for a document of the given length.
func Retain(length Byte) ChangeSet {
	var b builder
	b.keep(length)
	return b.done()
}

// NewChangeSet returns a ChangeSet for a document of the given length. The changes all
// refer to the old document, may be in any order and must not overlap. At the same offset,
// insertions keep their order and go before a change that deletes.
func NewChangeSet(length Byte, changes ...Change) (ChangeSet, error) {
	changes = slices.Clone(changes)
	slices.SortStableFunc(changes, func(a, b Change) int {
		return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To))
	})
	var b builder
	pos := Byte(0)
	for _, c := range changes {
		if c.From < pos || c.To < c.From || c.To > length {
			return ChangeSet{}, fmt.Errorf("text: change %d-%d overlaps another or leaves the document of %d bytes",
				c.From, c.To, length)
		}
		b.keep(c.From - pos)
		b.replace(c.To-c.From, c.Insert)
		pos = c.To
	}
	b.keep(length - pos)
	return b.done(), nil
}

// Len returns the length of the document that c applies to.
func (c ChangeSet) Len() Byte {
	n := Byte(0)
	for _, s := range c.secs {
		n += s.len()
	}
	return n
}

// NewLen returns the length of the document after c.
func (c ChangeSet) NewLen() Byte {
	n := Byte(0)
	for _, s := range c.secs {
		n += s.newLen()
	}
	return n
}

// Empty reports whether c changes nothing.
func (c ChangeSet) Empty() bool {
	return len(c.secs) == 0 || len(c.secs) == 1 && c.secs[0].keep
}

// Equal reports whether both make the same edit in the same sections.
func (c ChangeSet) Equal(d ChangeSet) bool { return slices.Equal(c.secs, d.secs) }

// Changes yields the replaced ranges in order, with offsets in the old document. Adjacent
// ranges are joined: between two of them at least one byte is kept. Use this form to show,
// store and apply a change.
func (c ChangeSet) Changes(yield func(Change) bool) {
	open, pending := false, Change{}
	pos := Byte(0)
	for _, s := range c.secs {
		if s.keep {
			if open && !yield(pending) {
				return
			}
			open = false
		} else if open {
			pending.To += s.old
			pending.Insert += s.ins
		} else {
			open, pending = true, Change{pos, pos + s.old, s.ins}
		}
		pos += s.old
	}
	if open {
		yield(pending)
	}
}

// Pieces yields the replaced ranges like Changes, but without joining adjacent ones:
// NewChangeSet(c.Len(), pieces...) is exactly c.
func (c ChangeSet) Pieces(yield func(Change) bool) {
	pos := Byte(0)
	for _, s := range c.secs {
		if !s.keep && !yield(Change{pos, pos + s.old, s.ins}) {
			return
		}
		pos += s.old
	}
}

// Touched returns the smallest range of the old document that contains every change: bytes
// outside it are kept. It is empty (0, 0) if c changes nothing. In the new document the
// same range ends at to + c.NewLen() - c.Len().
func (c ChangeSet) Touched() (from, to Byte) {
	if c.Empty() {
		return 0, 0
	}
	to = c.Len()
	if s := c.secs[0]; s.keep {
		from = s.old
	}
	if s := c.secs[len(c.secs)-1]; s.keep {
		to -= s.old
	}
	return from, to
}
