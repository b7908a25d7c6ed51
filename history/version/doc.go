// Package version knows how the versions of files are stored, and rebuilds them.
//
// It owns the forms: a delta is what one edit changed, a content is a whole
// version, compressed in parts, a hash says whether what was rebuilt is what was
// recorded. It does not know where the rows are: whoever keeps them is a Reader.
//
// What callers may rely on:
//
//   - A version that was rebuilt has the hash recorded for it, or is an error.
//   - What was removed on purpose is an ErrPurged; what does not fit together,
//     ErrDamaged.
//   - Rebuilding costs what came since the last keyframe, not what ever was.
//
// The way to a version:
//
//	path, lineage -> Walk: newest row first, through renames and into parents,
//	                 until a whole content (a keyframe, or what was seen first)
//	              -> Stack: that content and the deltas since
//	              -> Rebuild: apply, compare the hash -> text
package version
