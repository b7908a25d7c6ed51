// Package decoder is the built-in model's third voice: a small causal transformer that writes
// the program of a request, with pointers into the request in the place of names.
//
//	units (package link) -> tokens of the request -> transformer -> tokens of the answer -> clauses
//
// The request is delexicalised: a mention is only its kind, a word that requests do not have
// is only its shape. Behind each unit stands its index, and a slot of the answer is filled by
// the index of the unit, or of the first and the last one, that fill it:
//
//	<s> rename #0 <func> #1 to #2 <new> #3 <answer> op:rename slot:symbol #1 slot:to #3 </s>
//
// So the model learns sentences and no names, and whatever it answers is copied out of the
// request. Rongali et al., Don't Parse, Generate! (pointers for task-oriented parsing), 2020.
package decoder
