// Package live holds an open file: its text while a model and its user write in it,
// its newest version in the history, and its content on disk.
//
//	Document  the file: its buffer and layers; what is journaled, recorded and
//	          saved                              document.go, change.go, record.go,
//	                                             journal.go, burst.go, save.go
//	State     whether the file exists, and how far history and disk have it, with
//	          every event that changes this      state.go
//	Layers    head, the model's hunk, the user's typing, live
//	Disk      the content on disk, and the changes of head that are not saved
//	Host      what a document needs from its project
//
//	disk --unsaved--> head --hunk--> mid --typed--> live
//
// A document decides what to record, journal and write. Its Host records and
// journals; the caller of Saving writes and reports the result (Saved, Handle with
// SaveFailed). A document takes no lock: its callers hold the lock of its file, which
// exists before and after the document (package app, locks.go). ID, ReadOnlyReason,
// State and the buffer may be read without it.
//
// Callers may rely on two invariants. What the host refused to record stays in the
// layers, and is recorded with the next change. Live holds nothing but what callers
// put there.
package live
