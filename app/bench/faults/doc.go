// Package faults does to the real program what a bad day does: the disk fills
// up, becomes read-only, goes away and comes back; a folder is put in the place
// of the project; files become immutable; other programs write meanwhile; the
// program is killed; the power fails. It happens at random moments of typing,
// turns, patches, reverts, restores, deletions and renames, and nothing that
// was acknowledged may be lost. 'waferbench faults' runs it.
//
//	Inside      a mount namespace of its own            inside.go
//	 Run        rows, runs, seeds, the table            run.go, report.go
//	  world     a project and a history, each on a      world.go, volume.go
//	            file system of its own
//	  row       the fault, in and out                   rows.go
//	  owner     a process that the others attach to, in    owner.go
//	            half of all runs; killed in their place
//	  session   drives the program: commands.go as a script does, typing.go as
//	            a page does (page.go)
//	  judge     starts the program again and compares   judge.go
//	power.go    records writes and syncs (recording.go, with ptrace), rebuilds what
//	            a power cut may leave (crash.go), opens each
//
// The oracle is kept here and owes nothing to the program: what a step should
// make of the files is worked out beforehand from plain strings. What was
// acknowledged must be there, byte for byte. What failed has not happened. What
// was cut off by a kill is there or not, and if it is all-or-nothing, whole.
//
// A run is a function of its seed but for the moments, which depend on the
// computer: a seed that failed fails again soon, not always at once.
package faults
