// Package parts converts a turn's events, one by one, into the list of parts that a conversation
// shows. It has no side effects.
//
//	engine.Event -> List.Take -> List.Since -> pages: parts with their places
//	items        -> items.Fold, by List.Take -> the conversation
//
// This is the only place where events become parts: pages, the conversation and everything else
// that shows a turn use these parts. They are not stored; package items stores a turn. A part is
// created by its first event; later events change it in place, and no part is removed. A Bounded
// list stays small whatever a model says, and always gets a hunk's end if it has its beginning.
//
// A new kind of event in a turn needs
//
//	the event     engine/events.go: its type with its kind, and an entry in kinds
//	the fold      here: a part with its kind in JSON, and a case in List.Take
//	the page      frontend/src/views/conversation/TurnCard.svelte shows the part; its
//	              type is generated (make generate)
//	command line  app/cli/turnview.go prints the event
package parts
