package text

import "fmt"

// Map returns c as it applies after over; both apply to the same document. At the same offset
// the text of over goes first or, with before, the text of c. c no longer deletes what over
// deleted; what c inserts inside a deletion of over is kept.
//
// The law that lets two sides edit at once and agree:
//
//	c.Compose(over.Map(c, false)) == over.Compose(c.Map(over, true))   (as documents)
func (c ChangeSet) Map(over ChangeSet, before bool) (ChangeSet, error) {
	if c.Len() != over.Len() {
		return ChangeSet{}, fmt.Errorf("map: %w (%d and %d bytes)", ErrLength, c.Len(), over.Len())
	}
	if over.Empty() {
		return c, nil
	}
	m := mapper{a: newCursor(c), b: newCursor(over), before: before}
	for !m.a.done || !m.b.done {
		m.step()
	}
	return m.out.done(), nil
}

// mapper walks the shared old document; a is being mapped over b.
type mapper struct {
	a, b   cursor
	before bool
	// written means that the text of a's current change is already in the output: a change
	// that b splits writes its text once, before the first part that remains.
	written bool
	out     builder
}

func (m *mapper) step() {
	switch {
	case m.b.changes() && m.bFirst():
		m.passB()
	case m.a.changes():
		m.writeA()
	default:
		m.keepBoth()
	}
}

func (m *mapper) keepBoth() {
	n := min(m.a.old, m.b.old)
	m.out.keep(n)
	m.forwardA(n)
	m.b.forwardOld(n)
}

// bFirst decides between two changes that start at the same byte: the one that covers less
// of the old document goes first, and between equal ones before decides.
func (m *mapper) bFirst() bool {
	if !m.a.changes() || m.written {
		return true
	}
	if m.a.off != 0 {
		return false
	}
	return m.b.old < m.a.old || m.b.old == m.a.old && !m.before
}

// passB steps over a change of b: a keeps its new text. Of a's changes that end in the
// bytes that b deleted, only the text remains.
func (m *mapper) passB() {
	m.out.keep(Byte(len(m.b.ins)))
	for left := m.b.old; left > 0; {
		n := min(m.a.old, left)
		if m.a.changes() && !m.written && m.a.old <= left {
			m.writeText()
		}
		m.forwardA(n)
		left -= n
	}
	m.b.next()
}

// writeA writes a change of a up to the next insertion of b, or up to a deletion of b that
// reaches beyond it. Deletions of b inside it are already made.
func (m *mapper) writeA() {
	left, deleted := m.a.old, Byte(0)
	for left > 0 {
		if !m.b.changes() {
			n := min(left, m.b.old)
			deleted += n
			left -= n
			m.b.forwardOld(n)
		} else if m.b.deletes() && m.b.old < left {
			left -= m.b.old
			m.b.next()
		} else {
			break
		}
	}
	ins := m.a.ins
	if m.written {
		ins = ""
	}
	m.out.replace(deleted, ins)
	m.written = true
	m.forwardA(m.a.old - left)
}

func (m *mapper) writeText() {
	m.out.replace(0, m.a.ins)
	m.written = true
}

// forwardA takes n bytes of a's section, and resets written at its end.
func (m *mapper) forwardA(n Byte) {
	if n == m.a.old {
		m.written = false
	}
	m.a.forwardOld(n)
}

// MapPos returns the position in the new document of pos in the old one. With assoc < 0 it
// stays with the byte before it, so it does not move for an insertion there; otherwise it
// stays with the byte after it. Inside a deletion it moves to the place of the deletion. It
// panics if pos is not in the document.
func (c ChangeSet) MapPos(pos Byte, assoc int) Byte {
	at, _ := c.MapPosTracked(pos, assoc)
	return at
}

// MapPosTracked is MapPos, and also reports whether the bytes on both sides of pos were
// deleted together.
func (c ChangeSet) MapPosTracked(pos Byte, assoc int) (at Byte, deleted bool) {
	if pos < 0 || pos > c.Len() {
		panic(fmt.Sprintf("text: position %d is outside the document of %d bytes", pos, c.Len()))
	}
	from, to := Byte(0), Byte(0) // start of the section, in the old and the new document
	for _, s := range c.secs {
		end := from + s.old
		switch {
		case s.keep && pos < end:
			return to + pos - from, false
		case !s.keep && (pos < end || pos == end && s.old == 0 && assoc < 0):
			if pos > from && assoc >= 0 {
				to += Byte(len(s.ins))
			}
			return to, from < pos
		}
		from = end
		to += s.newLen()
	}
	return to, false
}
