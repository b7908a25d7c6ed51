package app

import "time"

// While the history cannot be written (its disk is full, or fails), the store
// holds what it gave receipts for and refuses the rest (history/stall.go). Here:
//
//	stalled  pages are told; the user types on: what is typed stays in the
//	         document's layers, and in a spare file elsewhere; nothing is saved
//	         but files that the history does not keep
//	resumed  the layers are recorded, the spare file is removed, pages are told,
//	         files are saved, and what other programs did meanwhile is taken in
//	closed   the spare file stays, and the user is told where it is
type unrecorded struct {
	why   error  // nil: everything is recorded as it comes
	says  string // what pages are told
	stale bool   // the texts are newer than the spare file

	// These are the autosaver's own:
	at   string    // the spare file
	next time.Time // when it may be written again
}
