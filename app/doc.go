// Package app joins the parts into the program. It opens a project (workspace over
// disk, history in the data folder), keeps the two in step, runs the engine's turns on
// it, and carries out history's plans. Only app and the packages below it in its folder
// import all of engine, workspace and history; cli, server and window are thin layers
// over it.
//
//	keystroke / streamed token / outside save / revert
//	   -> live.Document  the live text of a file, and its layers
//	   -> history        recorded; acknowledged when durable
//	   -> disk           saved by the safe-write protocol        save.go
//
// A file has four layers: live (the text now), head (the newest recorded version), the
// content on disk, and, between head and live, the hunk that a model is writing below
// the user's typing (package live). Live is ahead of head while a hunk streams in and
// while the user types; head is ahead of disk until the next save. Text ahead of head is
// journaled. After a crash, head is the truth: the next start writes acknowledged edits
// to disk and records what was being written or typed (package disk). While the history
// cannot be written, package spare keeps the unrecorded text in a file elsewhere, and
// stall.go records it once the history can be written again.
//
// Pages see files through Show, Type and Since (show.go, typing.go): the buffer is the
// authority, and each page rebases its unconfirmed changes. autosave.go journals,
// records and saves what is typed; a Listener hears of every change. Package query
// answers lookups, with the data that lookup.go hands it.
//
// A Project consists of parts. Each part is a type that owns its state and gets only the
// parts it depends on, here the lowest first:
//
//	core       the folder, the history, the listeners        core.go
//	place, intake, recovery, watcher                         package disk
//	documents  the open files (package live), each under     document.go, table.go, opening.go,
//	           the lock of its file                          change.go, mergeexternal.go, typing.go, show.go
//	saver      writes them to disk                           saver.go, save.go
//	stall      keeps typing while nothing can be recorded    stall.go, unrecorded.go
//	autosaver  records and saves without being asked         autosaver.go, autosave.go
//	outsider   what other programs do to open files          outside.go, moved.go
//	carrier    changes several files, all or nothing         carry.go
//	turnFiles  the project as turns see it                   change.go, turn.go
//	hold       the files that one turn has claimed           hold.go, exact.go
//
// Work on one file never waits for work on another: each file has its own lock. locks.go
// gives the order in which locks are taken.
//
// Above them is one part for each feature: turns (turn.go, itemlog.go), sessions
// (running.go), patcher (patch.go, approve.go), reverter (revert.go, resolve.go,
// threeway.go), forker, filer (files.go, remove.go), reviewer. Package corrections keeps
// what users meant, if they want that (corrected.go). project.go joins them,
// face.go is the interface for callers, open.go and ready.go open and close a project.
package app
