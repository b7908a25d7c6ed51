// Package live holds an open file: what it is while a model and its user write in it,
// what history has of it, and what is on disk.
//
//	Document  the file: its buffer, its layers, what of it is journaled, recorded
//	          and saved                          document.go, change.go, record.go,
//	                                             journal.go, burst.go, save.go
//	State     what it is to the history and to the disk, and all that can happen to
//	          it                                 state.go
//	Layers    head, the hunk that the model is writing, what the user typed, live
//	Disk      what is on disk, and what of head is not
//	Host      what a document needs of its project
//
//	disk --unsaved--> head --hunk--> mid --typed--> live
//
// A document works out what is to be recorded, journaled and written; its Host does
// the first two, and whoever asks for Saving the third, and says how it went (Saved,
// SaveFailed). It takes no lock: its callers hold that of its file, which is there before
// and after it (package app, locks.go). What pages are shown at any moment, its ID, Fixed,
// its State and what its buffer holds, needs none.
//
// A caller may rely on this: what the host refused to record stays in the layers, and
// is recorded with what comes next; live is never anything but what was put there.
package live
