// Package engine runs turns. A turn passes a request to a Driver, the driver's answer comes
// back through the Host, and the edits in the answer reach the project while the model
// still writes.
//
//	Request -> Turn -> Driver (engine/agent around a model.Model; others)
//	             ^        |
//	             |        +- text with edits -> Host.Stream -> editstream -> placed edits -> Project
//	             |        +- exact edits -----> Host.Apply  -> all or none ------------------^
//	             |        +- items -----------> Host.Record -> Request.OnItem -> history
//	             |        '- events ----------> Host.Emit   -> Turn.Events -> pages, command line
//	             '- steer / stop / pause: Host.Commands
//
// A Session is a conversation in one project. Session.Start returns a Turn: a stream of
// typed events that ends with one Ended. While the driver runs, whoever calls the Host owns the
// turn's state; before and after, the turn's own goroutine does (host.go). Everybody else
// watches and controls the turn through channels. Package app builds a Registry, which
// finds drivers by name.
//
// The engine does not know buffers, disks or databases. It edits a Project, which package
// app implements with the workspace and the history.
package engine
