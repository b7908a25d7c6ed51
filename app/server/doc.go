// Package server connects pages: one loopback HTTP server with the built page, a WebSocket for
// commands and events, and /api for reads. The desktop window and browsers use the same
// server.
//
//	page --Call--> reader --> command --> app.Project
//	                                         | Listener: something changed
//	page <--Frame-- pump <---- collects what this page has not seen
//	  '----Ack----> pump: the next frame may go
//
// The pump of a page keeps no queue. After the last frame was acknowledged it compares what
// there is (the buffers' logs, the turn's log, the history) with what the page has, and sends
// the difference. So a slow page gets fewer and larger frames, and costs no memory in Go.
//
// The protocol is defined once, by the Go types of protocol*.go and by the tables commands and
// reads. frontend/src/protocol.ts is generated from them, including comments (go generate
// ./app/server, or make generate).
//
// Whoever can reach this server's port could change the user's files. So every request is
// checked: the Host, the Origin, and, except for the built page itself, a token that is new at
// every start. See guard.go.
package server
