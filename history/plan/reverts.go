package plan

import (
	"slices"

	"waferpair/history/version"
)

// Reverts is the relation between edits and what takes them back, in a lineage.
type Reverts struct {
	Of map[version.EditID][]version.EditID // by -> edits
	By map[version.EditID][]version.EditID // edit -> those that take it back, oldest first
}

// Active returns the edit that takes id back and is not itself taken back, or 0.
func (r Reverts) Active(id version.EditID) version.EditID {
	for _, by := range r.By[id] {
		if r.Active(by) == 0 {
			return by
		}
	}
	return 0
}

// Without is as if the edits of a set had not taken anything back.
func (r Reverts) Without(set map[version.EditID]bool) Reverts {
	by := make(map[version.EditID][]version.EditID, len(r.By))
	for id, list := range r.By {
		by[id] = slices.DeleteFunc(slices.Clone(list), func(x version.EditID) bool { return set[x] })
	}
	return Reverts{Of: r.Of, By: by}
}
