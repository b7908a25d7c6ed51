// Package items converts a turn into the items that the history stores, and items into what
// the conversation shows. It has no side effects.
//
//	what the model says -> Log.Record \
//	engine.Event        -> Log.Take  > Log.Changed -> items, as JSON in the history
//	                                                      '-> Fold -> parts
//
// The items of a turn are in the order in which they began:
//
//	message (user)       the request, or a steer with its receipt
//	message (assistant)  the model's answer of one round, byte by byte, or its refusal
//	waferpair:edits      which part of that text is prose, the results of its edits, and
//	                     other events, such as a note
//	waferpair:summary    what the model wrote to stand for earlier turns, and which; why it wrote
//	                     nothing; or that the user took it back
//
// If one text of the model contains both prose and edits, the edits item after it is what a
// tool's output is to a call: it covers the text in order, so that the text itself is stored
// once and unchanged. Exact edits have an edits item without a text.
//
// A new kind of event that parts can show is stored as it is (engine.MarshalEvent); this
// package needs no change.
//
// Fold of the items of a Log equals what parts.List makes of the same events; after a crash,
// it equals that of the events until then. Secrets are masked before items leave the Log, by
// filler of the same length, so that offsets in a text stay valid.
package items
