// Package engine runs turns: a request goes to a Driver, its answer comes back by
// the one route of the Host, and the edits in it reach the project while the answer
// is still being made.
//
//	Request -> Turn -> Driver (engine/agent around a model.Model; others)
//	             ^        |
//	             |        +- text with edits -> Host.Stream -> editstream -> placed edits -> Project
//	             |        +- exact edits -----> Host.Apply  -> all or none ------------------^
//	             |        +- items -----------> Host.Record -> Request.OnItem -> history
//	             |        '- events ----------> Host.Emit   -> Turn.Events -> pages, command line
//	             '- steer / stop / pause: Host.Commands
//
// A Session is a conversation in one project, and
// Session.Start makes a Turn: a stream of typed events with one ending. The turn's
// state is its driver's goroutine's while that runs, and the turn's own before and
// after (host.go); whoever watches or controls the turn talks to it through channels.
// Drivers are found by name in a Registry, which package app makes.
//
// The engine does not know buffers, disks or databases. It acts on a Project,
// which package app implements over the workspace and the history.
package engine
