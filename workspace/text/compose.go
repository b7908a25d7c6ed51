package text

import "fmt"

// Compose returns the change set that does c and then d, which applies to the document
// after c.
func (c ChangeSet) Compose(d ChangeSet) (ChangeSet, error) {
	if c.NewLen() != d.Len() {
		return ChangeSet{}, fmt.Errorf("compose: %w (%d and %d bytes)", ErrLength, c.NewLen(), d.Len())
	}
	if c.Empty() {
		return d, nil
	}
	if d.Empty() {
		return c, nil
	}
	w := composer{a: newCursor(c), b: newCursor(d)}
	for !w.a.done || !w.b.done {
		w.step()
	}
	return w.out.done(), nil
}

// composer walks the document between two change sets: a makes it, b changes it. The output
// changes a's old document to b's new one.
type composer struct {
	a, b cursor
	out  builder
	// open means that the last output section belongs to a change that is not used up: the
	// rest of that change goes to the same section.
	open bool
}

func (w *composer) step() {
	switch {
	case w.a.deletes(): // b never sees these bytes
		w.add(w.a.old, "")
		w.a.next()
	case w.b.inserts(): // a does not know these bytes
		w.add(0, w.b.ins)
		w.b.next()
	default:
		w.both()
	}
}

// both handles as many bytes of the middle document as a and b treat alike.
func (w *composer) both() {
	n := min(w.a.newLen(), w.b.old)
	before := len(w.out.secs)
	if w.a.keep && w.b.keep {
		w.out.keep(n)
	} else {
		w.add(w.oldLen(n), w.newText(n))
	}
	left := w.a.changes() && w.a.newLen() > n || w.b.changes() && w.b.old > n
	w.open = left && (w.open || len(w.out.secs) > before)
	w.a.forwardNew(n)
	w.b.forwardOld(n)
}

// oldLen returns how many bytes of a's old document n middle bytes replace. The bytes that
// an insertion replaces count with its first part.
func (w *composer) oldLen(n Byte) Byte {
	switch {
	case w.a.keep:
		return n
	case w.a.off == 0:
		return w.a.old
	}
	return 0
}

// newText returns the text of b's new document for n middle bytes. The text that b inserts
// in place of a deletion comes with the deletion's first part.
func (w *composer) newText(n Byte) string {
	switch {
	case w.b.keep:
		return w.a.ins[:n]
	case w.b.off == 0:
		return w.b.ins
	}
	return ""
}

func (w *composer) add(old Byte, ins string) {
	if w.open {
		w.out.extend(old, ins)
	} else {
		w.out.replace(old, ins)
	}
}
