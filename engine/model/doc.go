// Package model is what a turn and a model owe each other: the items of a
// conversation, the prompt that a model gets, the deltas that it answers with, and
// how it refuses. It is a leaf: turns, drivers, servers of models and the models
// themselves import it, and it imports none of them.
//
//	Model.Generate(Prompt, yield) -> Delta, Delta, ... Result
//	                                   '-> Output -> Items
//
// Items, and what counts their tokens, are stored and sent as JSON with the names
// of the Responses API. An answer's deltas are that API's events: Begin, Text and
// End are output_item.added, a delta, and output_item.done.
//
// A model is a package of its own (engine/spark, engine/script) and one line in
// the registry of drivers, which package app makes: engine/agent is what drives it.
package model
