package history

import (
	"fmt"
	"slices"
)

// The numbers that stand for words in the database. Their order never changes; new words go
// to the end.
var (
	authors = []Author{Model, User, Outside, Revert, Recovery}
	kinds   = []Kind{Text, Create, Delete, Rename, Mode, Symlink, Blob}

	itemStates = []ItemStatus{ItemCompleted, ItemIncomplete, ItemInProgress}
)

// opKind is the kind of an operation.
type opKind int

const (
	opEdits        opKind = iota
	opBaseline            // first contents of files
	opFork                // a branch was created
	opSwitch              // another branch became current
	opPurge               // content was removed
	opLoss                // operations are missing
	opConversation        // the conversation changed, see conversationhash.go
)

// The bits of edit.state.
const (
	statePartial   = 1 // cut in mid-hunk
	stateNoDelta   = 2 // purged, except the version that it made
	statePurged    = 4 // purged completely
	stateReclaimed = 8 // with one of the two above: removed to free space, not purged
	statePurgeMask = stateNoDelta | statePurged | stateReclaimed
)

func code[T ~string](words []T, w T) (int, error) {
	i := slices.Index(words, w)
	if i < 0 {
		return 0, fmt.Errorf("history: unknown %T %q", w, w)
	}
	return i, nil
}

// word is the inverse of code; a number from a damaged row becomes a visible word.
func word[T ~string](words []T, n int) T {
	if n < 0 || n >= len(words) {
		return T(fmt.Sprintf("unknown-%d", n))
	}
	return words[n]
}
