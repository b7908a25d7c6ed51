// Package typecheck asks the project's own TypeScript whether an edit breaks its types.
//
//	edit made -> Checker -> worker: Node runs check.js with the project's typescript.js
//	                              <- errors that were not there before, or why it does not know
//
// What callers may rely on:
//
//   - An error counts only if it is new: the files that the edit may affect are checked as they
//     are after the edit, and where they have errors, also as they were before it.
//   - Check returns within Limit, and says what it has not checked by then.
//   - Projects without TypeScript or a configuration (tsconfig.json, jsconfig.json) that has the
//     files in it, and computers without a Node.js that can be confined, are left unchecked.
//   - Nothing is written, and nothing of the project is run but its typescript.js, which may come
//     from a stranger. Node's permissions let it read the project and itself, and nothing else: it
//     writes no file and starts no process, and has no module that reaches a network.
//   - A worker stays while it is used, because the second check takes a tenth of the first one's
//     time. It ends after a while without use, and with this program.
//
// Other files than the edited ones are read from disk.
package typecheck
