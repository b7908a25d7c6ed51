package plan

import (
	"slices"

	"waferpair/history/version"
)

// Reverts is the relation between edits and their reverts, in a lineage.
type Reverts struct {
	Of map[version.EditID][]version.EditID // by -> edits
	By map[version.EditID][]version.EditID // edit -> the edits that revert it, oldest first
}

// Active returns the edit that reverts id and is not itself reverted, or 0.
func (r Reverts) Active(id version.EditID) version.EditID {
	for _, by := range r.By[id] {
		if r.Active(by) == 0 {
			return by
		}
	}
	return 0
}

// Without returns the relation as if the edits of a set reverted nothing.
func (r Reverts) Without(set map[version.EditID]bool) Reverts {
	by := make(map[version.EditID][]version.EditID, len(r.By))
	for id, list := range r.By {
		by[id] = slices.DeleteFunc(slices.Clone(list), func(x version.EditID) bool { return set[x] })
	}
	return Reverts{Of: r.Of, By: by}
}
