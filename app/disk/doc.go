// Package disk brings the history up to date with the disk: at a start, after a crash and
// after other programs' changes since the last time; later, while the project is open.
//
//	Core      the folder, the history, and callbacks
//	Place     whether the project's folder is at its path     place.go
//	Intake    the last known state of files, and the          outside.go, listing.go,
//	          recording of their changes                      baseline.go
//	Recovery  the comparison and recovery at a start          reconcile.go, recover.go,
//	                                                          spare.go
//	Watcher   other programs' changes while it is open        watch.go
//	Journal   save intents, stored in the history             journal.go
//
// It reaches open files only through OpenFiles. Callers may rely on this: if Recovery.Run
// is interrupted, the next run records the rest, and nothing twice; and a file that it
// could not roll back (Intake.Owes) is not touched before the next start.
package disk
