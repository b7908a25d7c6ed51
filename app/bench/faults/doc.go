// Package faults exposes the real program to what goes wrong on a bad day: the disk fills up,
// becomes read-only, goes away and comes back; another folder replaces the project's; files
// become immutable; other programs write meanwhile; the program is killed; the power fails.
// Faults happen at random moments of typing, turns, patches, reverts, restores, deletions and
// renames, and nothing acknowledged may be lost. 'waferbench faults' runs it.
//
//	Inside      a mount namespace of its own            inside.go
//	 Run        rows, runs, seeds, the table            run.go, report.go
//	  world     a project and a history, each on a      world.go, volume.go
//	            file system of its own
//	  row       the fault, with its beginning and end     rows.go
//	  owner     a process that the others attach to, in    owner.go
//	            half of all runs; killed in their place
//	  session   drives the program: commands.go as a script does, typing.go as
//	            a page does (page.go)
//	  judge     starts the program again and compares   judge.go
//	power.go    records writes and syncs (recording.go, with ptrace), rebuilds what
//	            a power cut may leave (crash.go), opens each
//
// The oracle is independent of the program: the expected result of a step is computed in
// advance from plain strings. Acknowledged edits must be there, byte for byte. A failed step
// must not have happened. A step that a kill interrupted is there or not; if it is
// all-or-nothing, completely.
//
// A run is a function of its seed except for timing, which depends on the computer: a seed
// that failed fails again soon, but not always at once.
package faults
