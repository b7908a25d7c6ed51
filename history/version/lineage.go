package version

// Segment is a part of a lineage: the edits of one branch up to an ID.
type Segment struct {
	Branch int64
	Max    EditID
}

// Lineage is the edits that lead to a moment: those of its branch, and those of each
// ancestor up to where the next branch left it.
type Lineage []Segment

// UpTo ends a lineage after an edit.
func (l Lineage) UpTo(id EditID) Lineage {
	out := make(Lineage, len(l))
	for i, seg := range l {
		out[i] = Segment{seg.Branch, min(seg.Max, id)}
	}
	return out
}

// Has reports whether an edit of a branch is part of the lineage.
func (l Lineage) Has(branch int64, id EditID) bool {
	for _, seg := range l {
		if seg.Branch == branch && id <= seg.Max {
			return true
		}
	}
	return false
}
