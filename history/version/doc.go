// Package version defines how the versions of files are stored, and rebuilds them.
//
// It owns the stored forms: a delta is the change of one edit, a content is a whole version,
// compressed in parts, and a hash verifies that a rebuilt version is the recorded one. It
// does not know where the rows are: it reads them through a Reader.
//
// What callers may rely on:
//
//   - A rebuilt version has the hash recorded for it, or is an error.
//   - Content that was removed on purpose is an ErrPurged; inconsistent content is
//     ErrDamaged.
//   - The cost of rebuilding grows with the edits since the last keyframe, not with
//     all edits.
//
// The flow of reading a version:
//
//	path, lineage -> Walk: newest row first, through renames and into parents,
//	                 until a whole content (a keyframe, or the first content)
//	              -> Stack: that content and the deltas since
//	              -> Rebuild: apply, compare the hash -> text
package version
