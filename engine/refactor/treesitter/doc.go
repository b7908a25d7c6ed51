// Package treesitter carries refactorings out on Python, TypeScript, JavaScript and
// Java: it implements refactor.Language for each family of files.
//
// What callers may rely on:
//
//   - An operation is exact or declines. Every identifier that has the name in
//     question is resolved: to a binding, to a member of a class, to something
//     else, or to nothing that can be known. A rename changes those that mean the
//     symbol, and declines, with the places, when one of the last sort could.
//   - Only the bytes that must change do: identifiers are spliced, inserted code
//     takes the file's line endings, indentation, quotes and semicolons.
//   - Every changed file is parsed again. New syntax errors, or, after a rename,
//     a reference that is bound otherwise than before, make the operation decline.
//   - Strings and comments stay as they are, with one exception that is noted:
//     the entries of a Python module's __all__, which Python reads as names.
//
// The way through the code, bottom layer first:
//
//	cursor.c, tree.go     source -> flat syntax tree, in one crossing into C
//	scope.go, class.go    scopes, bindings, references, classes
//	python_bind.go        tree -> bindings, for Python
//	js_*.go               the same for JavaScript and TypeScript
//	java*.go              Java, whole: binder, types of expressions, its own operations
//	project.go            the files, searched and parsed concurrently, on demand
//	means.go, *_means.go  identifier -> meaning, across files
//	family.go             classes that must agree on a member's name
//	language.go           operations, the checks of their results
//	suggest.go            what to type when a name means several declarations
//	syntax.go, names.go   the same tree and scopes, as the common operations see them
//	rename.go, ...        one file for each operation that is not in package ops, or its hooks
//
// A name without a qualifier means a top-level declaration if there is one,
// else a member of a class, else a local of a function; Class.method,
// module.name and function.local say which. Several that fit are listed.
//
// Why a binder of our own, and not language servers: there may be none, they
// take seconds to start, and a project need not have its dependencies installed.
// What this costs is types: a receiver's class is known only where it is evident
// (self, this, annotations, a constructor call), so members decline more often.
//
// Java has types, and so its own operations (javaOps): java_types.go knows the type of an
// expression where declarations, imports and the collections of the library tell it, and
// java_rename.go proves a rename by looking up everything of either name in the project as it
// would be. What stays open (a lambda's parameter whose type is nowhere written, overloads
// with as many parameters, a base class from outside that may know the name) is asked about
// or declined. TestJavaStillCompiles has javac judge random operations.
//
// Why github.com/tree-sitter/go-tree-sitter and its grammars, and not
// smacker/go-tree-sitter, which was here before: smacker's last commit is of August
// 2024, and it holds thirty grammars in one module of 251 MB; these are kept by
// tree-sitter itself, 32 MB together, read today's syntax, and build from the module
// proxy with a plain go build. They are as quick (1.02 of the time for Python, 0.96 for
// JavaScript, on CPython's library and npm's sources) once their allocator, which goes
// through Go, is put back (cursor.c): before that they took 1.4 times as long. Binaries
// differ by 40 KB, memory by nothing. Both take minutes for a megabyte of errors, so
// cursor.c stops a parse that takes too long.
package treesitter
