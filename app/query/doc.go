// Package query answers what can be looked up in a project: what is in its folders,
// which files a few letters mean, where a text stands, what is declared, how a text
// is coloured, what a file was, what differs, who made it what it is, when, and what
// was said. It changes nothing, and owns nothing but what it keeps to answer quickly,
// in memory and in a table of the history, which can be thrown away at any time.
//
//	Core      what is looked at: the folder, the history, and the files as they are now
//	Reader    the answers; one for each open project
//
// A caller may rely on this: answers are about the files as they are at the moment
// of the question, with what is typed and not saved yet, and any number of questions
// may be asked at once, also while files change.
//
// Each kind of question has a file of its own, and they do not know each other:
// after core.go they can be read in any order. query.go joins them.
//
//	tree.go       a folder, with marks.go for what changed in it
//	find.go       files by a few letters of their names
//	grep.go       text, with grepfind.go and grepline.go
//	symbols.go    declarations, with outline.go for one file; the history keeps
//	              what files declare, packed by outlinepack.go
//	spans.go      colours, kept by spancache.go
//	past.go       a file at a moment, and around it
//	diffs.go      what differs, with diffhunks.go for one file
//	timeline.go   all edits in columns
//	blame.go      whose edit a line is
//	review.go     what waits to be looked through
//	session.go    conversations, with conversation.go for what was said in one
package query
