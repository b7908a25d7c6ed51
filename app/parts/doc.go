// Package parts makes what a conversation shows of a turn: its events go in, one
// by one, and a short list of parts comes out. It does not touch anything else.
//
//	engine.Event -> List.Take -> List.All -> Record, as JSON in the history
//
// A List is bounded, whatever a model says, and never forgets a hunk's end once
// its beginning is in the list.
package parts
