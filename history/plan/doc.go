// Package plan works out what would bring about a revert, a restore or a switch of
// branches: the edits to make, and nothing is made. It is pure: all that it knows
// comes from a Reader, and the same rows give the same plan.
//
// What callers may rely on:
//
//   - A revert takes back the named edits and nothing else; what was edited later
//     stays. Where that would be a guess the error is a *Conflict that says where
//     and because of which edits, and there is no plan at all.
//   - What was taken back by lines, for its exact places cannot be told any more,
//     is marked Merged.
//   - A plan is for the very versions that it names: each edit says what its file
//     must hold (Before, Expect).
//   - The order of a plan's edits can be carried out: what frees a path comes
//     before what takes it.
//
// The way to a revert:
//
//	edits to revert -> gather: all edits since, of all paths that they lead to
//	                -> back, newest first: keep what stays in force, undo what does not
//	                   (map the inverse through what stays; else merge by lines; else clash)
//	                -> result: what each file is now, and what the plan makes of it
//
// A file that was deleted and brought back is one file; see revived.go.
package plan
