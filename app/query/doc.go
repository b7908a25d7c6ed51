// Package query answers what can be looked up in a project: which files a few
// letters mean, where a text stands, how it is coloured, what a file was, what
// differs, and when it came about. It changes nothing, and owns nothing but what
// it keeps to answer quickly, which can be thrown away at any time.
//
//	Core      what is looked at: the folder, the history, and the files as they are now
//	Reader    the answers; one for each open project
//
// A caller may rely on this: answers are about the files as they are at the moment
// of the question, with what is typed and not saved yet, and any number of questions
// may be asked at once, also while files change.
//
// Each kind of question has a file of its own and they do not know each other, so
// they can be read in any order after core.go: find.go, grep.go with grepfind.go
// and grepline.go, spans.go with spancache.go, past.go, diffs.go with diffhunks.go,
// timeline.go. query.go joins them.
package query
