// Package engine runs turns: a request goes to a model (package model), its answer
// comes back in deltas, and the edits in them reach the project while the answer
// is still being made.
//
//	request + context -> Model -> text -> editstream -> placed edits -> Project
//	                       ^    '-> exact edits, all or none ----------^
//	                       '------ steer / stop / pause ----'
//
// A Session is a conversation in one project, and
// Session.Start makes a Turn: a stream of typed events with one ending. The
// turn's loop (turn.go) is the only writer of the turn's state; whoever watches
// or controls the turn talks to it through channels.
//
// The engine does not know buffers, disks or databases. It acts on a Project,
// which package app implements over the workspace and the history.
package engine
