// Package responses is the Responses API as a client sees it: prompts become request
// bodies, the events of a stream become the deltas of an answer. It is pure: bytes in,
// values out, no I/O. Package client sends and receives them; package chat does the same
// for servers that only know chat completions.
//
//	model.Prompt -> Settings (tools, options) --\
//	             -> Item, Item, ... -------------+-> Body -> a POST, or a frame of a WebSocket
//
//	bytes of a body -> SSE --\
//	text frame ---------------+-> Decoder.Event -> model.Begin, Text, End
//	                                          '--> Decoder.Result: stop, usage, response id
//
// Callers may rely on this:
//   - Equal prompts have equal bytes, so that servers find the beginning in their cache.
//   - A server needs to send only response.output_item.done and a terminal event. Deltas
//     are shown as they come; what `done` adds is shown then. Text that was shown is never
//     contradicted: a `done` that says otherwise is an error.
//   - Events and fields from the future are ignored.
//   - A decoder keeps a hash and a length of what it has emitted, never the text.
//   - Ids and names have no control characters.
package responses
