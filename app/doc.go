// Package app joins the parts into the program: it opens a project (workspace
// over disk, history in the data folder), keeps the two in step, runs turns of
// the engine on it, and carries history's plans out. Only app and what is below it
// in its folder know all of engine, workspace and history; cli, server and window
// are thin layers over it.
//
//	keystroke / streamed token / outside save / revert
//	   -> live.Document  the live text of a file, and its layers
//	   -> history        recorded; acknowledged when durable
//	   -> disk           saved by the safe-write protocol        save.go
//
// A file has four states: what it is now (live), what history knows (head),
// what is on disk, and, between head and live, the hunk that a model is writing
// below what the user typed since (package live). Live runs ahead of head while a
// hunk streams in and while the user types; head runs ahead of disk until the
// next save. What is ahead of head is journaled. After a crash, head
// is the truth: what had been acknowledged is written to disk at the next
// start, and what was being written or typed is recorded then (package disk).
// While the history cannot be written, what is ahead of it is kept in a file
// elsewhere (package spare), and recorded when it can (stall.go).
//
// Pages see files through Show, Type and Since (show.go, typing.go): the buffer
// is the authority, and each page rebases what it has not confirmed. autosave.go
// journals, records and saves what is typed; a Listener is told of everything.
// What can be looked up is package query, which is handed what lookup.go says.
//
// A Project is its parts, each a type that owns what it is about and is handed only
// what it stands on, the lowest first:
//
//	core       the folder, the history, who is told          core.go
//	place, intake, recovery, watcher                         package disk
//	documents  the open files (package live), each under     document.go, table.go, opening.go,
//	           the lock of its file                          change.go, mergeexternal.go, typing.go, show.go
//	saver      brings them to disk                           saver.go, save.go
//	stall      while nothing can be recorded                 stall.go, unrecorded.go
//	autosaver  does all this in time                         autosaver.go, autosave.go
//	outsider   what other programs do to open files          outside.go, moved.go
//	carrier    several files at once, all or nothing         carry.go
//	turnFiles  the project as turns see it                   change.go, turn.go
//	hold       what one turn of many has of it               hold.go, exact.go
//
// What is done to one file waits for no work on another: each file has its lock, and
// locks.go says in which order locks are taken.
//
// Then there is one for each feature above them: turns (turn.go, itemlog.go), sessions (running.go), patcher
// (patch.go, approve.go), reverter (revert.go, resolve.go, threeway.go), forker, filer
// (files.go, remove.go), reviewer. project.go joins them, face.go is what callers see,
// open.go and ready.go open and close.
package app
