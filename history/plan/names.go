package plan

import "waferpair/history/version"

// Names maps paths of earlier moments to present ones.
type Names struct{ Renames []Renaming }

// Renaming is an edit that gave a file another path.
type Renaming struct {
	ID       version.EditID
	From, To string
}

// Of returns the present path of the file that was at path just before edit id.
func (n Names) Of(id version.EditID, path string) string {
	for _, r := range n.Renames {
		if r.ID >= id && r.From == path {
			path = r.To
		}
	}
	return path
}
