// Package changes says what changed in a project's files, as a language model reads it.
//
//	git diff --raw, ls-files ──> Git.Changed ──> entries: paths, object ids
//	                             Git.Contents ──> what the files held
//	before, after ─────────────> Render ───────> lines with the numbers of the new text
//
// git says which files changed; the lines are compared here, so that callers can mask secrets in
// whole files first: a part of a file does not show that it belongs to a key. A git command gets no
// name of the user's that it could take for an option, and starts no program that the
// repository's configuration names, other than the filters that git needs to compare files.
package changes
