package app

import "time"

// While the history cannot be written (its disk is full, or fails), the store holds what it
// gave receipts for and refuses the rest (history/stall.go). In this package:
//
//	stalled  the user types on, and pages show a message: typing stays in the
//	         document's layers and in a spare file elsewhere; only untracked files
//	         are saved
//	resumed  the layers are recorded, the spare file is removed, pages are updated,
//	         files are saved, and other programs' changes are merged
//	closed   the spare file stays, and the user hears where it is
type unrecorded struct {
	why   error  // nil: recording works
	says  string // the message for pages
	stale bool   // the texts are newer than the spare file

	// Only the autosaver uses these:
	at   string    // the spare file
	next time.Time // the earliest time to write it again
}
