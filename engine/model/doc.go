// Package model is what a turn and a model owe each other: the prompt that a
// model gets, the deltas that it answers with, how it refuses, and the registry
// in which it is found by name. It is a leaf: turns, drivers, servers of models
// and the models themselves import it, and it imports none of them.
//
//	Registry.Open(name) -> Model.Generate(Prompt, yield) -> Delta, Delta, ...
//
// A model is a package of its own (engine/spark, engine/script) and one line in
// the registry, which package app makes.
package model
