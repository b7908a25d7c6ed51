// Package engine runs turns: a request goes to a model, the model's text comes
// back in chunks, and the edits in that text reach the project while it is
// still being written.
//
//	request + context -> Model -> text -> editstream -> placed edits -> Project
//	                       ^                                |
//	                       '------ steer / stop / pause ----'
//
// An Engine knows the models. A Session is a conversation in one project, and
// Session.Start makes a Turn: a stream of typed events with one ending. The
// turn's loop (turn.go) is the only writer of the turn's state; whoever watches
// or controls the turn talks to it through channels.
//
// The engine does not know buffers, disks or databases. It acts on a Project,
// which package app implements over the workspace and the history.
package engine
