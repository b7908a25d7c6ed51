package history

import (
	"fmt"
	"slices"
)

// The numbers that stand for words in the database. Their order never changes;
// new words go to the end.
var (
	authors = []Author{Model, User, Outside, Revert, Recovery}
	kinds   = []Kind{Text, Create, Delete, Rename, Mode, Symlink, Blob}

	itemStates = []ItemStatus{ItemCompleted, ItemIncomplete, ItemInProgress}
)

// opKind says what an operation is about.
type opKind int

const (
	opEdits    opKind = iota
	opBaseline        // files seen for the first time
	opFork            // a branch was made
	opSwitch          // another branch became the current one
	opPurge           // content was removed
	opLoss            // operations were found missing
	opSaid            // the conversation went on, see said.go
)

// The bits of edit.state.
const (
	statePartial   = 1 // cut in mid-hunk
	stateNoDelta   = 2 // purged, the version it made is kept
	statePurged    = 4 // purged, nothing is kept
	stateReclaimed = 8 // with one of them: not purged, but given up for its space
	statePurgeMask = stateNoDelta | statePurged | stateReclaimed
)

func code[T ~string](words []T, w T) (int, error) {
	i := slices.Index(words, w)
	if i < 0 {
		return 0, fmt.Errorf("history: unknown %T %q", w, w)
	}
	return i, nil
}

// word is the inverse of code; a number from a damaged row gives a visible word.
func word[T ~string](words []T, n int) T {
	if n < 0 || n >= len(words) {
		return T(fmt.Sprintf("unknown-%d", n))
	}
	return words[n]
}
