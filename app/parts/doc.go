// Package parts makes what a conversation shows of a turn: its events go in, one
// by one, and a list of parts comes out. It does not touch anything else.
//
//	engine.Event -> List.Take -> List.Since -> pages: parts with their places
//	items        -> items.Fold, by List.Take -> the conversation
//
// This is the only place where events become parts: pages, the conversation and
// whoever else shows a turn take the parts as they are here. They are stored
// nowhere; what the history keeps of a turn is package items. A part begins where
// its first event came, later ones change it in place, and none goes away. A list
// that is Bounded stays small whatever a model says, and never forgets a hunk's end
// once its beginning is in it.
//
// A new thing that can happen in a turn is
//
//	the event     engine/events.go, its type with its kind, and its place in kinds
//	the fold      here: its part with its kind in JSON, and a case of List.Take
//	the page      frontend/src/views/conversation/TurnCard.svelte, how the part is
//	              shown; its type is generated (make generate)
//	command line  app/cli/turnview.go, how the event is printed
package parts
