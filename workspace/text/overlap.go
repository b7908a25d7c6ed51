package text

import "slices"

// Range is the bytes [From, To) of a document. It may be empty.
type Range struct {
	From, To Byte
}

// Overlaps reports whether c and over change the same bytes; see Conflicts.
func (c ChangeSet) Overlaps(over ChangeSet) bool { return len(c.Conflicts(over)) > 0 }

// Conflicts returns where c and over, which apply to the same document, change the same
// bytes: the bytes that both delete, and as an empty range each place inside a deletion of
// one where the other inserts. Changes that only touch, and insertions at the same place or
// at the edge of a deletion, do not conflict: Map gives them an order that loses nothing.
//
// The ranges refer to the shared old document and are in order.
func (c ChangeSet) Conflicts(over ChangeSet) []Range {
	a := slices.Collect(c.Changes)
	b := slices.Collect(over.Changes)
	var out []Range
	for len(a) > 0 && len(b) > 0 {
		if r, ok := overlap(a[0], b[0]); ok {
			out = append(out, r)
		}
		// The change that ends first cannot meet any later one.
		if a[0].To <= b[0].To {
			a = a[1:]
		} else {
			b = b[1:]
		}
	}
	return out
}

// overlap returns the bytes that two changes both change. The intersection of two ranges
// that only touch is empty, and so is that with an insertion, which counts if it is
// strictly inside.
func overlap(a, b Change) (Range, bool) {
	r := Range{max(a.From, b.From), min(a.To, b.To)}
	if r.From < r.To {
		return r, true
	}
	return r, insideOf(a, b) || insideOf(b, a)
}

// insideOf reports whether a is an insertion strictly inside what b deletes.
func insideOf(a, b Change) bool { return a.From == a.To && b.From < a.From && a.To < b.To }
