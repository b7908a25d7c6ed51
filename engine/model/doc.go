// Package model is the interface between turns and models: the items of a conversation, the
// prompt of a model, the deltas of its answer, and its refusals. It is a leaf: turns,
// drivers, model servers and the models themselves import it, and it imports none of them.
//
//	Model.Generate(Prompt, yield) -> Delta, Delta, ... Result
//	                                   '-> Output -> Items
//
// Items and token counts are stored and sent as JSON with the names of the Responses API.
// The deltas of an answer are that API's events: Begin, Text and End are output_item.added,
// a delta, and output_item.done.
//
// Each model has a package of its own (engine/spark, engine/script) and one line in the
// registry of drivers, which package app builds. engine/agent drives it.
package model
