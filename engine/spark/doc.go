// Package spark is the built-in model: a request is understood as a program of
// structural operations, and answered with exact edits.
//
//	request -> Parse -> refactor.Program -> refactor.Runner -> model.Edits, words
//	                '-> declined -> heard, offers: requests that work -> model.Refusal
//
// Three voices understand requests. The grammar (Parse) has rules, and what it understands
// completely is carried out. What it does not understand is heard by a linear model and by a
// decoder (hear.go), which know many more ways to ask, and may be wrong: their programs are said
// in the grammar's words and tried on the project. What both say alike, with no word left over,
// is carried out (act.go); everything else is offered. So every choice that is offered is a
// request that the grammar understands as exactly what was tried.
//
//	request -> link: what it mentions -> linear, decoder: operation, slots -> propose: programs
//
// What callers may rely on of Parse:
//
//   - A request is understood completely or declined. Every word is accounted
//     for by the grammar: as part of a phrase, as a name, type, value or text,
//     or as filler that is listed ("please", "the"). One word too many, such as
//     "only", "unless" or "not", and the answer is a *refactor.Declined.
//   - Two readings that give different programs are declined as well.
//   - Every argument is copied out of the request (or is one of the fixed words
//     that an operation lists, such as position "first"); nothing is invented.
//   - "this function", "it" and the like become a refactor.Pointer, and need a
//     selection; in a later clause "it" is what the clause before was about.
//   - Any word is a name where a noun or a frame announces one ("the function
//     other", "rename x to half"), and everywhere in backticks (nameable.go).
//   - A request that stops too early is told what it lacks (complete.go).
//   - Parsed.Understood says the program in words that parse to the same program.
//   - Parse reads nothing but its arguments, keeps no state, never panics, and
//     does a bounded amount of work.
//
// How it works, from the outside in:
//
//	Parse      guards (length, control characters), then the readings of the request
//	readings   clauses joined by "and", "then", ";": a dynamic program over positions
//	clause     courtesy, "in FILE,", one phrase of one operation, "in FILE", thanks
//	phrase     a pattern of the small language in pattern.go, matched with backtracking
//	slot       a scanner for names, types, values, paths, texts, straight on the bytes
//
// There is no tokenizer in front: what ends a type such as func(a int) error is
// a matter of types, so each slot's scanner offers the ends that it can have
// and the pattern decides which of them lets the whole request be understood.
//
// Adding an operation is one entry in a table (see ops_rename.go): its
// phrasings, and the sentence that says it back.
package spark
