package text

// cursor walks the sections of a ChangeSet, in parts of sections. section is the rest of
// the current one; off is how much of it was taken.
type cursor struct {
	rest []section // sections after the current one
	section
	off  Byte
	done bool
}

func newCursor(c ChangeSet) cursor {
	cur := cursor{rest: c.secs}
	cur.next()
	return cur
}

func (c *cursor) next() {
	c.off = 0
	if len(c.rest) == 0 {
		c.section, c.done = section{}, true
		return
	}
	c.section, c.rest = c.rest[0], c.rest[1:]
}

// changes reports whether the current section is a change.
func (c *cursor) changes() bool { return !c.done && !c.keep }

// inserts reports whether the current section only inserts.
func (c *cursor) inserts() bool { return c.changes() && c.old == 0 }

// deletes reports whether the current section only deletes.
func (c *cursor) deletes() bool { return c.changes() && c.ins == "" }

// forwardOld takes n bytes of the old document.
func (c *cursor) forwardOld(n Byte) {
	if n == c.old {
		c.next()
		return
	}
	c.old -= n
	c.off += n
}

// forwardNew takes n bytes of the new document.
func (c *cursor) forwardNew(n Byte) {
	switch {
	case c.keep:
		c.forwardOld(n)
	case n == Byte(len(c.ins)):
		c.next()
	default:
		c.ins = c.ins[n:]
		c.off += n
	}
}
