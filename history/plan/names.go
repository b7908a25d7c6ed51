package plan

import "waferpair/history/version"

// Names tell under which path files are today.
type Names struct{ Renames []Renaming }

// Renaming is an edit that gave a file another path.
type Renaming struct {
	ID       version.EditID
	From, To string
}

// Of follows the file that was at a path before an edit through the renames since.
func (n Names) Of(id version.EditID, path string) string {
	for _, r := range n.Renames {
		if r.ID >= id && r.From == path {
			path = r.To
		}
	}
	return path
}
