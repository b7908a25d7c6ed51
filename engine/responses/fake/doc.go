// Package fake is a model provider for tests and benchmarks: a scripted, deterministic server of
// the Responses API (JSON, SSE, WebSocket) and of chat completions. The product never contains it.
//
//	request -> auth, model, shape (check.go, checkchat.go: as strict as the real ones)
//	        -> conversation (chain.go: parent + new items)
//	        -> Script: Request -> Answer (items, chunks, delays, usage, Fault)
//	        -> events (events.go, chat.go) -> wire (wire.go: fault, bytes) -> SSE or WebSocket
//
// It is written from the protocol's documentation and has its own JSON, so that a mistake in
// package responses is not repeated here. Do not import package responses or its client.
//
// A Server is an http.Handler. Serve gives it an address of its own on 127.0.0.1, with faults
// below HTTP: connections that are refused, reset, slow, or of an unknown certificate.
// Proxy shapes the way there: delay, rate of the uplink, bytes counted.
//
// Every request is kept, also one that was refused: Server.Requests. Ids, chunks and usage
// depend on Server.Seed and on the requests alone, so a run can be repeated.
package fake
