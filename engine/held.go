package engine

import (
	"fmt"
	"strings"

	"waferpair/engine/model"
)

// Busy means that another turn is editing a file, so the edit is held. The turn never waits
// for the other one.
type Busy struct {
	Path string
	Turn int64 // the turn that is editing the file
}

// BusyCode is the code of a turn that is Held only because of other turns.
const BusyCode model.Code = "busy"

// Error returns a message that is stored with the held edit, so it must stay true after
// that turn has ended.
func (e *Busy) Error() string {
	return fmt.Sprintf("%s: held: turn %d was editing it; this can be approved once that turn has ended", e.Path, e.Turn)
}

// Unmade is a stretch of the model's text with hunks that were held because another turn
// was editing their files.
type Unmade struct {
	From  int   `json:"from"`  // bytes of Outcome.Said
	To    int   `json:"to"`    // 0: the stretch goes on
	Hunks []int `json:"hunks"` // numbered from 1 in that stretch; see editstream.Numbering
}

// HeldError means that edits need the user's approval before they are made.
type HeldError struct {
	Paths  []string
	Reason string
	Next   string // what the user can do next; "" when they can approve
	Scope  bool   // they are outside the scope; a wider scope would allow them
	Whole  bool   // the rest of the request was not carried out either
}

func (e *HeldError) Error() string {
	paths := strings.Join(e.Paths, ", ")
	switch {
	case e.Scope && e.Whole:
		return fmt.Sprintf("needs edits in %s, %s. Nothing changed yet.", paths, e.why())
	case e.Scope:
		return fmt.Sprintf("needs edits in %s, %s", paths, e.why())
	case e.barred():
		return fmt.Sprintf("%s: not edited: %s", paths, e.why())
	}
	return fmt.Sprintf("%s: held for approval: %s", paths, e.why())
}

// barred reports whether the user cannot approve the edits either.
func (e *HeldError) barred() bool { return e.Next != "" }

func (e *HeldError) why() string {
	if e.Next == "" {
		return e.Reason
	}
	return e.Reason + "; " + e.Next
}

// outOfFence returns the error for edits of files that the fence does not allow.
func outOfFence(fence model.Fence, paths ...string) *HeldError {
	return &HeldError{Paths: paths, Reason: `outside "only ` + strings.Join(fence.Globs, ", ") + `"`, Scope: true}
}
