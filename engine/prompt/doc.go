// Package prompt assembles what a language model gets to read in a turn. It is pure: the project
// comes in through a model.Source, ordered parts come out, and the items of a prompt made of them.
//
//	request, open file ──> focus.go   which files they are about, which words they share with the project
//	                          │
//	instructions, rules.go, map.go, files.go, turns, request     the parts that are wanted
//	                          │
//	                       fit.go     what has to go when the model's context is too small, and why
//	                          │
//	                       place.go   where each part stands ──> Context.Items, From
//
// # Order
//
// Providers keep the beginning of a prompt in a cache, so what rarely changes comes first:
// instructions, project instructions (AGENTS.md), project map, files, conversation, request. In a
// conversation a part stays where the last prompt of the session had it (Memory), as long as its text
// is the same. A new part, or one whose text has changed, stands behind the conversation, right
// before the request. So the prompt of a turn begins with the bytes of the turn before, up to the
// first part that changed, and a file that is edited again and again moves behind the others. A map that
// is a little out of date stays; files that nobody asks for any more stay until they are many, and then
// several go at once; a file that is too long keeps the lines that it had. The tools are the same in every
// turn. Memory can be stored, so that the next run of the program goes on with the same prefix.
//
// # What callers may rely on
//
//   - Build is deterministic: equal requests give equal bytes.
//   - Context.Tokens never exceeds Context.Limit less Context.Reserve, and the request is always in;
//     if that is impossible, Build returns a *TooLargeError.
//   - A conversation that is too long loses old outputs of tools first; then a summary of its oldest turns
//     is due (Context.Due, summary.go), which then stands in their place; without one they are left out.
//   - Context.Out lists everything that was wanted and left out, with the reason.
//   - Only texts that the Source returns enter a prompt. A Source must list neither ignored files nor
//     files that hold secrets, and mask the secrets in others.
//   - The work is linear in the number of files and declarations, without an index that an edit would
//     make stale; only the files that enter the prompt are read.
package prompt
