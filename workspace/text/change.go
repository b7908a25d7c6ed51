package text

import (
	"errors"
	"fmt"
	"slices"
)

// Change replaces the bytes [From, To) of a document with Insert.
type Change struct {
	From, To Byte
	Insert   string
}

// section is one step over the old document: keep or drop old bytes, after
// which ins is inserted. A retained section has del == false and ins == "".
type section struct {
	n   Byte // bytes of the old document that this section covers
	del bool // whether they are deleted
	ins string
}

// ChangeSet is an edit of a document of a known length: retain, delete and
// insert sections from start to end. It is a value: applying, inverting,
// composing and mapping return new ones.
type ChangeSet struct {
	secs []section
}

// ErrLength says that a ChangeSet was given a document of another length.
var ErrLength = errors.New("text: the change set is for a document of another length")

// NewChangeSet makes a ChangeSet for a document of the given length. The
// changes all refer to the old document, may come in any order and must not
// overlap; insertions at the same offset keep their order.
func NewChangeSet(length Byte, changes ...Change) (ChangeSet, error) {
	cs := slices.Clone(changes)
	slices.SortStableFunc(cs, func(a, b Change) int { return int(a.From - b.From) })
	var out ChangeSet
	pos := Byte(0)
	for _, c := range cs {
		if c.From < pos || c.To < c.From || c.To > length {
			return ChangeSet{}, fmt.Errorf("text: change %d-%d overlaps another or leaves the document of %d bytes", c.From, c.To, length)
		}
		out.retain(c.From - pos)
		out.replace(c.To-c.From, c.Insert)
		pos = c.To
	}
	out.retain(length - pos)
	return out, nil
}

func (c *ChangeSet) retain(n Byte) {
	if n == 0 {
		return
	}
	if k := len(c.secs) - 1; k >= 0 && !c.secs[k].del && c.secs[k].ins == "" {
		c.secs[k].n += n
		return
	}
	c.secs = append(c.secs, section{n: n})
}

func (c *ChangeSet) replace(n Byte, ins string) {
	if n == 0 && ins == "" {
		return
	}
	if k := len(c.secs) - 1; k >= 0 && (c.secs[k].del || c.secs[k].ins != "") {
		c.secs[k].n += n
		c.secs[k].ins += ins
		return
	}
	c.secs = append(c.secs, section{n: n, del: true, ins: ins})
}

// Len is the length of the document that c applies to.
func (c ChangeSet) Len() Byte {
	n := Byte(0)
	for _, s := range c.secs {
		n += s.n
	}
	return n
}

// NewLen is the length of the document that c makes.
func (c ChangeSet) NewLen() Byte {
	n := Byte(0)
	for _, s := range c.secs {
		if !s.del {
			n += s.n
		}
		n += Byte(len(s.ins))
	}
	return n
}

// Empty reports whether c changes nothing.
func (c ChangeSet) Empty() bool { return len(c.secs) == 0 || len(c.secs) == 1 && !c.secs[0].del }

// Changes yields the replaced ranges in order, with offsets in the old document.
func (c ChangeSet) Changes(yield func(Change) bool) {
	pos := Byte(0)
	for _, s := range c.secs {
		if s.del && !yield(Change{pos, pos + s.n, s.ins}) {
			return
		}
		pos += s.n
	}
}

// Apply returns the document that c makes of t, or ErrLength.
func (c ChangeSet) Apply(t Text) (Text, error) {
	if c.Len() != t.Len() {
		return Text{}, ErrLength
	}
	var out []byte
	pos := Byte(0)
	for _, s := range c.secs {
		if !s.del {
			out = append(out, t.b[pos:pos+s.n]...)
		}
		out = append(out, s.ins...)
		pos += s.n
	}
	return Text{out}, nil
}

// Invert returns the change set that undoes c, given the document c applies to.
func (c ChangeSet) Invert(t Text) (ChangeSet, error) {
	if c.Len() != t.Len() {
		return ChangeSet{}, ErrLength
	}
	var out ChangeSet
	pos := Byte(0)
	for _, s := range c.secs {
		if s.del {
			out.replace(Byte(len(s.ins)), t.Slice(pos, pos+s.n).String())
		} else {
			out.retain(s.n)
		}
		pos += s.n
	}
	return out, nil
}
