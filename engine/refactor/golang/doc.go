// Package golang carries edit programs out on Go source, with go/ast and go/types.
//
// It owns the operations of refactor.Ops for Go. A caller may rely on this:
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
// Speed comes from parsing only files that mention the name and from leaving
// imports empty until somebody needs them: renaming a function needs the types
// of its own package only. Methods and fields need more (levelProject), and
// exported methods, which may satisfy anybody's interface, the dependencies'
// types too (levelAll), read from the go command's build cache.
//
// Declarations are identified by the place of their name in the project's
// bytes. That is the same thing in every unit, with tests or without, on
// Windows or on Linux, so surveys of several builds can be merged.
package golang
