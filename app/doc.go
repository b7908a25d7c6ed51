// Package app joins the parts into the program: it opens a project (workspace
// over disk, history in the data folder), keeps the two in step, runs turns of
// the engine on it, and carries history's plans out. Only app and what is below it
// in its folder know all of engine, workspace and history; cli, server and window
// are thin layers over it.
//
//	keystroke / streamed token / outside save / revert
//	   -> document   the live text of a file           document.go
//	   -> history    recorded; acknowledged when durable   record.go
//	   -> disk       saved by the safe-write protocol  save.go
//
// A file has four states: what it is now (live), what history knows (head),
// what is on disk, and, between head and live, the hunk that a model is writing
// below what the user typed since (package live). Live runs ahead of head while a
// hunk streams in and while the user types; head runs ahead of disk until the
// next save. What is ahead of head is journaled (draft.go). After a crash, head
// is the truth: what had been acknowledged is written to disk at the next
// start, and what was being written or typed is recorded then (recover.go).
// While the history cannot be written, what is ahead of it is kept in a file
// elsewhere (package spare), and recorded when it can (stall.go, spare.go).
//
// Pages see files through Show, Type and Since (show.go, typing.go): the buffer
// is the authority, and each page rebases what it has not confirmed. keep.go
// journals, records and saves what is typed; a Listener is told of everything.
// What can be looked up is package query, which is handed what lookup.go says.
//
// The files, in reading order. The state of a project and of an open file, below
// all that works on it: project.go, listener.go, readiness.go, saver.go, keeper.go,
// background.go, unrecorded.go; document.go with package live and burst.go.
// Then what works on it: open.go (open and close), place.go (whether it is the
// project's folder that is there), ready.go and reconcile.go with baseline.go,
// outside.go and recover.go (bring history up to what happened outside), opening.go
// with editable.go, change.go, record.go with pieces.go, draft.go, save.go,
// typing.go, keep.go, stall.go with spare.go, turn.go (what a turn may do) with
// exact.go, watch.go with moved.go. Then one file per feature: patch.go, revert.go
// with carry.go, fork.go, resolve.go, sessions.go, files.go with remove.go.
package app
