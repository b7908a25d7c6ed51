// Package editstream turns the text that a model streams into located edits: text chunks
// in, changes of files out. It is pure: it reads and writes no files, depends on no clock
// and starts no goroutines.
//
//	chunks -> Parser -> Event -> Placer -> Edit
//	          (what)             (where)   (ChangeSet against the placer's view)
//
// A Parser is a push parser of one format and reports what the model wants to change. A
// Placer locates that in the files that a Files provides and emits each change as soon as
// its place is certain: after every old line it knows which places of the file still match,
// and once exactly one is left, '-' lines delete and '+' lines insert as they arrive. If
// later lines of the hunk contradict the place, the placer reverts the hunk and reports it
// as Failed. A hunk whose place is missing or ambiguous is Failed too; the placer never
// guesses.
//
// Callers may rely on this:
//
//   - The boundaries of chunks do not change the result.
//   - Every Changed is based on the file as the Changed before it (and the Rebase
//     calls) left it. A hunk that fails leaves the file as it was before it.
//   - Bytes that no '-' line deletes and no '+' line inserts stay identical: line
//     endings, byte order mark, white space that matched only loosely.
//   - A new line ends like the line that it replaces, or else like the line above
//     it (ends.go), so a file with mixed line ends stays as it is.
//   - Time and memory are linear in the stream and in the files that it names.
//     A line of an edit longer than LineLimit is Bad.
//
// # apply_patch (V4A)
//
// The parser reads the format as the apply_patch tool of the Codex CLI 0.169 does,
// according to measurements, and reports its messages (see TestV4A). It differs where the
// tool would guess or lose data:
//
//   - Old lines that occur more than once after the cursor are ambiguous; the tool
//     takes the first place. With an @@ header that occurs once, the first place
//     after it counts; a header that occurs more than once is ambiguous if it leads
//     to different places.
//   - A place is certain as soon as it is the only one, so the placer reports a
//     later line that does not match as a contradiction at that line; the tool
//     reports the whole hunk as missing.
//   - A missing final newline stays missing unless the hunk replaces or follows
//     the last line; the tool always adds one.
//   - Adding a file that exists is refused unless its lines are the same; moving a
//     file onto another one or onto itself is refused. The tool overwrites, and
//     deletes a file that is moved onto itself. A file is not moved when one of
//     its hunks failed.
//   - A byte order mark does not hide the first line. Files in UTF-16 and Latin-1
//     are compared and written in characters.
//   - Lines that are nowhere after the cursor may be above it. A header may be a part of
//     its line, and several follow each other; new lines alone below a header are inserted
//     there; the tool refuses these, and appends the lines. "*** End of File" only chooses
//     between several places.
//   - New lines get the indentation of the file's lines, where the old lines matched but for theirs.
//   - A path that no file has, but for "a/", "b/" or a leading "/", is that file's.
//   - A patch cannot say how a line ends. Like the tool, the parser refuses the
//     notation of unified diffs ("\ No newline at end of file").
//   - One "\r" at the end of a patch line belongs to the patch, not to the line. A
//     "\r" alone ends no line of a file; for the tool it does.
//
// NewV4A is for a model's stream: it also accepts text around patches, several patches, any
// heredoc word, a fence around the patch, and empty lines between sections and, without
// their '+', inside an added file. NewStrictV4A accepts one patch and nothing else.
//
// NewV4A takes an "@@ -1,3 +1,4 @@" for an "@@": line numbers place nothing. It takes a patch without
// its End, a move without hunks, context lines without their ' ', and an indented patch; see sloppy.go.
//
// # Thought
//
// What stands between <think> and </think> is prose, whatever it looks like. An end without a beginning is a
// Thought: whoever made the edits before it takes them back (thought.go).
//
// # Unified diffs
//
//	--- a/PATH
//	+++ b/PATH
//	@@ -1,3 +1,4 @@
//	 a line
//	-an old line
//	+a new line
//
// A diff is read in a fence or in none, as diff -u and git write it, with new, deleted and renamed
// files. In a diff's fence after a line that is a path, the header may be missing. The numbers are
// not used: a hunk is placed by its lines, as in a patch. See unified.go for what models leave out.
//
// # Search/replace blocks
//
//	path/to/file.go
//	```go
//	<<<<<<< SEARCH
//	old lines
//	=======
//	new lines
//	>>>>>>> REPLACE
//	```
//
// The fence is optional; it may also come before the path. A block without a path edits the
// file of the block before it. The old lines must occur exactly once in the file, compared
// as above; lines that are in both parts are not touched. An empty SEARCH creates the file,
// which must not exist or be empty.
//
// # Whole files
//
//	path/to/file.go
//	```go
//	the whole new content
//	```
//
// The path is a line of its own right before the fence, plain or as `path`, **path**, "#
// path", "File: path", with or without a colon at the end; or in a sentence that says that all of the
// file follows; or it is in the fence line, as
// "```go path/to/file.go", "```go:path/to/file.go" or "```go file=path/to/file.go" (also
// path=, title=, filename=). A fence that is indented, as in a list, has its indentation taken
// off its lines. A comment with the path in the first line of a block names a file that exists.
// A block with no path, or below words that only look like one, is prose (names.go). An excerpt of a
// file, what is called an example, or what has nothing of a small file that only a bare name above it means, is
// not made and goes back to the model (excerpt.go). Lines of an existing file
// that stay are not touched, and the file ends with a line break.
//
// Content may have fences itself: those shorter than the outer one, and those that begin with an
// info string and end without. Where a bare fence may be the end of a document or the beginning of
// code in it, the block is Bad and the rest of the stream is Prose; see wholefile.go.
package editstream
