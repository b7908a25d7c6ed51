// Package plan computes the edits of a revert, a restore or a switch of branches, and makes
// none of them. It is pure: it reads everything from a Reader, and the same rows give the
// same plan.
//
// What callers may rely on:
//
//   - A revert takes back the named edits and nothing else; later edits stay. If that
//     would need a guess, the error is a *Conflict that names the places and the edits in
//     the way, and there is no plan at all.
//   - An edit whose exact place is lost is reverted by lines, and marked Merged.
//   - A plan applies to the very versions that it names: each edit says what its file
//     must contain (Before, Expect).
//   - The edits of a plan can be carried out in order: one that frees a path comes before
//     one that takes it.
//
// The flow of a revert:
//
//	edits to revert -> gather: all edits since, of all paths that they lead to
//	                -> back, newest first: keep the edits that stay in force, undo the others
//	                   (map the inverse through later edits; else merge by lines; else clash)
//	                -> result: the edits from each file's present to its planned state
//
// A file that was deleted and brought back is one file; see revived.go.
package plan
