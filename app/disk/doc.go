// Package disk brings the history up to what is on disk: at a start, what a crash
// left and what other programs did since the last time; later, what they do meanwhile.
//
//	Core      what it works on, and whom it tells
//	Place     whether the project's folder is at its path     place.go
//	Intake    the files as they were seen last, and what is   outside.go, listing.go,
//	          found of them since                             baseline.go
//	Recovery  what a start does                               reconcile.go, recover.go,
//	                                                          spare.go
//	Watcher   what other programs do while it is open         watch.go
//	Journal   the intents of saves, kept in the history       journal.go
//
// It knows nothing of open files but that there are some (OpenFiles). A caller may rely on this: what Recovery.Run has
// not recorded when it is cut off, the next one records; what it has recorded is
// not recorded again; and a file that it could not put back (Intake.Owes) is not
// looked at before the next start.
package disk
