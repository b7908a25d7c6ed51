// Package refactor carries edit programs out on source trees: it turns "rename parseConfig to
// loadConfig" into the exact byte changes of every file that is touched, or declines and says
// why. It never guesses.
//
// A Program is a short list of operations with named arguments. Who wrote the program does not
// matter here. The packages below, each knowing those to its right only:
//
//	languages -> golang, treesitter -> ops -> kit -> refactor
//
//	refactor    what callers see: Op, Program, Runner, Source, and Ops, the list of operations
//	kit         what an operation needs of any language: Job, Syntax, File, Decl, Node
//	ops         the operations, each written once
//	golang      Go, by its types
//	treesitter  the other languages, by their syntax trees
//	languages   the list of languages, which nothing else names
//
// Beside them typecheck asks TypeScript whether an edit that was made breaks types, and process ends
// the programs that operations start.
//
// # Adding an operation
//
// Three files:
//
//  1. ops.go: one Spec in Ops. It says all there is to say before the operation runs: its
//     parameters and what may fill them, what it is about when no symbol is named, the requests
//     that ask for it. Pointing ("this function"), choosing the language, help and `models show
//     spark` follow from it.
//  2. a file in ops, such as ops/todo.go: func todo(j *kit.Job) error, with a line in ops/ops.go.
//     It asks the job for what the request means (Arg, Subject, Selection), looks at files (File:
//     lines, and Root: a tree whose kinds and fields mean the same in every language), records
//     changes (Edits, Remark, CommentOut) and says what was done (Say, Note), or returns Declined
//     or Already. What it promises of its edits (Promise) is what the language then checks.
//  3. testdata/todo/*.txtar and its like: the corpus, one case a file with a section for each language, run by
//     TestCorpus. What a language does not have is stated there.
//
// How a language writes things (comments, empty blocks) is data: kit.Dialect. What only a
// language can prove is a hook: a small interface beside the operation, which the language's
// syntax type implements in a file of the same name, and which the entry in ops/ops.go demands:
//
//	type extractor interface {
//		Free(f *kit.File, from, to int) ([]kit.Decl, error) // what the lines use from around them
//	}
//
//	"extract-function": {Run: extractFunction, Needs: kit.Has[extractor]},
//
// Two hooks are there for everybody: kit.Binder (what each name of a file stands for, where it is
// written) and kit.Finder (where a symbol is used in the project, and called).
//
// A language without the hook does not have the operation, and everybody is told so. A hook is
// better asked for a fact (is it used? what type has it?) than for an edit.
//
// The request parser understands the Spec's Forms, and says programs back with them; the trained
// models hear everything else. Parameters bear the names that the slots have there
// (engine/spark/propose/slots.go).
//
// # Adding a language
//
// One folder, or one file of dialect and binder in treesitter, and a line in languages. It
// implements Language, Encloser and Outliner, and kit.Syntax for the common operations.
// treesitter does most of it for a language that has a grammar: nodes get their common kinds
// from the table in treesitter/syntax.go. Hooks are there for all of its languages; a dialect
// names those operations that it lacks all the same (lacks), so that it can begin with few. No
// file extension is looked at outside the language.
package refactor
