// Package chat asks models of servers that speak OpenAI's chat completions over HTTP: the protocol
// that nearly every provider has.
//
//	model.Prompt -> body (messages, tools) -> POST, again with jitter until the first byte
//	                                            -> SSE -> chunks -> answer: Begin, Text, End
//
// A conversation is replayed in full with each request. A freeform tool is sent as a function with
// the one argument "input"; its text is decoded from the JSON as it streams, so that the patch of
// apply_patch lands line by line.
//
// Servers write the same answer in many ways: thought in tags or in fields of its own, calls with or
// without numbers and ids, arguments in pieces or as an object, errors in several places. All of them
// are read; what is not needed cannot make an answer unreadable.
//
// What callers may rely on:
//
//   - A Client is for all models of a provider, and for many goroutines. Its idle connections are used
//     again; Close closes them.
//   - A request is repeated only as long as no piece of its answer has arrived: also when its stream
//     breaks off before, or reports that the provider is busy. A stream that breaks later ends with its
//     error and StopCut; what was yielded stays.
//   - Predicted outputs are not sent: nearly all edits are patches, of which a file is no prediction, and
//     providers bill the tokens of a prediction that does not come true.
//   - Errors are *Error: what happened, to whom, and what to do. None has a key in it. Answers and lines
//     have bounds; a server cannot fill the memory.
package chat
