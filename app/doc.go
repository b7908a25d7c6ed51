// Package app joins the parts into the program: it opens a project (workspace
// over disk, history in the data folder), keeps the two in step, runs turns of
// the engine on it, and carries history's plans out. Only app imports all of
// engine, workspace and history; cli, and later the window, are thin layers
// over it.
//
//	keystroke / streamed token / outside save / revert
//	   -> document   the live text of a file           document.go
//	   -> history    recorded; acknowledged when durable   record.go
//	   -> disk       saved by the safe-write protocol  save.go
//
// A file has three states: what it is now (live), what history knows (head),
// and what is on disk. Live runs ahead of head while a hunk streams in; head
// runs ahead of disk until the next save. After a crash, head is the truth:
// what had been acknowledged is written to disk at the next start, and a hunk
// that was still streaming is recorded as a cut-off edit (recover.go).
//
// The files, in reading order: project.go (open and close), reconcile.go with
// baseline.go, outside.go and recover.go (bring history up to what happened
// outside), document.go, record.go, save.go, turn.go (what a turn may do),
// watch.go, then one file per feature: patch.go, revert.go, fork.go, sessions.go.
package app
