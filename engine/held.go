package engine

import (
	"fmt"
	"strings"
)

// HeldError says that edits need the user's approval before they are made.
type HeldError struct {
	Paths  []string
	Reason string
	Next   string // what the user can do, however they ask; "" when that is to approve
	Scope  bool   // they are outside the scope: a wider one would allow them
}

func (e *HeldError) Error() string {
	return fmt.Sprintf("%s: held for approval: %s", strings.Join(e.Paths, ", "), e.why())
}

func (e *HeldError) why() string {
	if e.Next == "" {
		return e.Reason
	}
	return e.Reason + "; " + e.Next
}
