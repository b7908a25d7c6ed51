// Package server is the page's transport: one loopback HTTP server with the
// built page, a WebSocket for commands and events, and /api for reads. The
// desktop window and a browser use the same.
//
//	page --Call--> reader --> command --> app.Project
//	                                         | Listener: something is new
//	page <--Frame-- pump <---- pulls what this page has not seen yet
//	  '----Ack----> pump: the next frame may go
//
// The pump of a page keeps no queue. When the last frame was acknowledged it
// looks at what there is (the buffers' logs, the turn's log, the history) and
// sends all of it that the page does not have. So a slow page gets fewer and
// larger frames, and memory in Go does not grow with it.
//
// What crosses the line is said once, by the Go types of protocol*.go and the tables
// commands and reads with what they take and answer: frontend/src/protocol.ts is
// generated from them, comments and all (go generate ./app/server, or make generate).
//
// Whoever can reach the port of this server can change the user's files, so
// every request is checked: the Host, the Origin, and, for everything but the
// built page itself, a token that changes with every start. See guard.go.
package server
