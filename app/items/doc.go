// Package items makes the items that the history keeps of a turn, and what the
// conversation shows of them. It does not touch anything else.
//
//	what the model says -> Log.Record \
//	engine.Event        -> Log.Take  > Log.Changed -> items, as JSON in the history
//	                                                      '-> Fold -> parts
//
// The items of a turn are in the order in which they began:
//
//	message (user)       the request; or an instruction that cut in, with its receipt
//	message (assistant)  what the model said in one round, to the byte; or its refusal
//	waferpair:edits      what of that text is prose, what became of its edits, and
//	                     what else happened meanwhile, such as a note
//
// Where the model says something to the user and edits files in one text, the item
// after it is what a tool's output is to a call: it goes through the text in order,
// so that the text itself is kept once and untouched. The edits of a model that
// works them out are in such an item without a text.
//
// A new kind of event that parts can show is kept as it is (engine.MarshalEvent),
// without a word here.
//
// Fold of what Log handed out is what parts.List makes of the same events; and what a
// crash leaves is what List made of the first of them. Secrets are masked before
// anything is handed out, by filler of the same length, so that the places in a
// text stay what they are.
package items
