// Package golang carries edit programs out on Go source, with go/ast and go/types.
//
// It owns what is particular to Go in the operations of refactor.Ops: those that it still carries
// out itself (lang.go) and, for those of package ops, what the types prove (syntax.go and the files
// that bear an operation's name). A caller may rely on this:
//
//   - An operation is exact or it declines. What an identifier means is what
//     the type checker says, never what it looks like. Where the checker cannot
//     say (a dependency that does not load, a file that does not parse, builds
//     that disagree), the operation declines and names the places.
//   - The changes are the smallest there are: identifiers are spliced, files are
//     never reprinted, line endings and byte order marks stay as they are.
//   - Before a result is returned, the changed files are parsed and type-checked
//     again and compared with the check of the old ones. A new complaint turns
//     the result into a Declined with the compiler's message.
//
// The flow of an operation:
//
//	Source -> project (project.go): every Go file's bytes, found names by byte search
//	       -> goFile (file.go): parsed on demand, once
//	       -> unit (universe.go): files type-checked as one package, under a
//	          buildConfig (build.go) and a level: how much of the surroundings is real
//	       -> edits (edits.go) -> overlay -> the same units again -> refactor.Result
//
// Speed comes from parsing only files that mention the name, from leaving
// imports empty until somebody needs them, and from not checking bodies that
// hold none of the names in question. Renaming a function needs the types of its
// own package only. A rename climbs a ladder (rename.go): it loads more when a
// mention stays uncertain, and everything when packages that do not mention the
// name may break with it, through interfaces or struct conversions. Types from
// outside the project come from the go command's build cache (external.go) or,
// for another system than this computer's and where the cache lacks some, from
// source (external_source.go). The go command runs no code of the project, no C
// compiler and nothing from the network (external_cgo.go, gocommand.go). No
// operation waits for it to compile: it does so when the project is opened
// (prepare.go).
//
// The check after an operation takes what the edits cannot reach from the check
// before (universe.after). Operations that write comments alone are proved by
// comparing tokens (comments.go). Where a dependency does not load, missing.go
// says what that leaves uncertain.
//
// The other operations care less for speed: they check the packages they touch
// in full, before and after, with all types.
//
// Known limits: names in templates, in reflection and in other modules that
// import this one are not seen (the first two are noted). A conversion between
// a struct of the project and one of a dependency with the same fields is seen
// only where a file mentions the field. Renames do not realign columns.
//
// Declarations are identified by the place of their name in the project's
// bytes. That is the same thing in every unit, with tests or without, on
// Windows or on Linux, so surveys of several builds can be merged.
package golang
