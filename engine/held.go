package engine

import (
	"fmt"
	"strings"

	"waferpair/engine/model"
)

// Busy says that another turn has a file: what was to be done to it is held. It is
// never waited for.
type Busy struct {
	Path string
	Turn int64 // the one that has it
}

// BusyCode is why a turn ended as held that met nothing but other turns.
const BusyCode model.Code = "busy"

// Error is what is kept of a held edit: it is read also when that turn has ended.
func (e *Busy) Error() string {
	return fmt.Sprintf("%s: held: turn %d was editing it; this can be approved once that turn has ended", e.Path, e.Turn)
}

// Unmade is a stretch of what the model said, with hunks in it that were held
// because another turn had their files.
type Unmade struct {
	From  int   `json:"from"`  // bytes of Outcome.Said
	To    int   `json:"to"`    // 0: the stretch goes on
	Hunks []int `json:"hunks"` // numbered from 1 in that stretch, see editstream.Numbering
}

// HeldError says that edits need the user's approval before they are made.
type HeldError struct {
	Paths  []string
	Reason string
	Next   string // what the user can do, however they ask; "" when that is to approve
	Scope  bool   // they are outside the scope: a wider one would allow them
	Whole  bool   // and nothing else of the request was done
}

func (e *HeldError) Error() string {
	paths := strings.Join(e.Paths, ", ")
	switch {
	case e.Scope && e.Whole:
		return fmt.Sprintf("needs edits in %s, %s. Nothing changed yet.", paths, e.why())
	case e.Scope:
		return fmt.Sprintf("needs edits in %s, %s", paths, e.why())
	}
	return fmt.Sprintf("%s: held for approval: %s", paths, e.why())
}

func (e *HeldError) why() string {
	if e.Next == "" {
		return e.Reason
	}
	return e.Reason + "; " + e.Next
}

// outOfFence holds edits of files that a fence does not allow.
func outOfFence(fence model.Fence, paths ...string) *HeldError {
	return &HeldError{Paths: paths, Reason: `outside "only ` + strings.Join(fence.Globs, ", ") + `"`, Scope: true}
}
