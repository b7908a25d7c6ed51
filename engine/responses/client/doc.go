// Package client asks models over the Responses API: over a WebSocket, which carries one
// response after the other and sends only what is new, or over HTTP and SSE. A provider
// that has neither is asked over chat completions, by package engine/responses/chat.
//
//	model.Prompt -> responses.Encode -> chained to a response that a socket remembers?
//	                    |                  yes: previous_response_id and the new items
//	                    |                  no:  everything
//	                    v
//	   WebSocket: pool -> socket -> frames ---\
//	   HTTP:      POST -> SSE ----------------+-> responses.Decoder -> yield
//	   chat:      engine/responses/chat
//
// What callers may rely on:
//
//   - A Client is for all models of a provider, and for many goroutines.
//   - One socket carries one response at a time. A second one is kept connected: it serves
//     next when an answer is cut, because cutting means closing the socket.
//   - A turn chains to the one before, too: items are recognised by what they say, without ids. A
//     request that is refused when it is chained is sent once more with everything. Nothing is stored
//     at the provider (store: false): what a socket remembers ends with it.
//   - Connect has a socket (or, over HTTPS, a connection) ready when the request comes; the app calls it
//     when the user begins to type, and before it puts a prompt together.
//   - A socket whose upgrade is refused is not tried again; HTTP serves from then on.
//   - A request is repeated, with growing pauses that are announced, only before the first
//     delta of its answer. Later errors end the answer with StopCut; what was yielded stays.
//   - Errors are *chat.Error; none has a key in it. The client keeps hashes of what was
//     said, never the text.
package client
