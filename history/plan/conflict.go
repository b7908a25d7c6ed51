package plan

import (
	"fmt"
	"strings"

	"waferpair/history/version"
)

// Lines is a range of lines, counted from 1, both included. An empty range, which is a
// place between lines, has To == From-1.
type Lines struct{ From, To int }

func (l Lines) String() string {
	if l.To <= l.From {
		return fmt.Sprintf("line %d", l.From)
	}
	return fmt.Sprintf("lines %d-%d", l.From, l.To)
}

// Clash is one reason why an edit cannot be reverted.
type Clash struct {
	Path   string
	Edit   version.EditID   // the edit to revert
	Old    Lines            // the place in the version that Edit made
	New    Lines            // the place in the newest version
	By     []version.EditID // the later edits that conflict
	Reason string           // in words
}

func (c Clash) String() string {
	var b strings.Builder
	if c.Path != "" {
		fmt.Fprintf(&b, "%s: ", c.Path)
	}
	fmt.Fprintf(&b, "edit %d", c.Edit)
	if c.New != (Lines{}) {
		fmt.Fprintf(&b, " (%v)", c.New)
	}
	fmt.Fprintf(&b, " %s", c.Reason)
	return b.String()
}

// Conflict means that a revert would have to guess. Nothing was written.
type Conflict struct{ Clashes []Clash }

func (c *Conflict) Error() string {
	parts := make([]string, len(c.Clashes))
	for i, k := range c.Clashes {
		parts[i] = k.String()
	}
	return "revert: " + strings.Join(parts, "; ")
}
