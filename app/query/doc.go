// Package query answers lookups in a project: folder listings, files by name, text
// search, declarations, syntax colours, past versions, diffs, blame, the timeline and
// conversations. It changes nothing. It owns only caches, in memory and in a table of the
// history, which can be discarded at any time.
//
//	Core      its inputs: the folder, the history, and the current files
//	Reader    the answers; one for each open project
//
// Callers may rely on this: answers are about the files at the moment of the question,
// including unsaved typing, and any number of questions may be asked at once, even while
// files change.
//
// Each kind of question has its own file. After core.go they can be read in any order,
// because they do not depend on each other. query.go joins them.
//
//	tree.go       a folder, with marks.go for the changes in it
//	find.go       files by a few letters of their names
//	grep.go       text, with grepfind.go and grepline.go
//	symbols.go    declarations, with outline.go for one file; the history caches
//	              outlines, packed by outlinepack.go
//	spans.go      syntax colours, cached by spancache.go
//	past.go       a file at a moment, and around it
//	diffs.go      what differs, with diffhunks.go for one file
//	timeline.go   all edits in columns
//	blame.go      the edit that each line comes from
//	review.go     the edits that wait for review
//	session.go    conversations, with conversation.go for the turns of one
package query
