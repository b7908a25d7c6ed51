// Package sample chooses the next token from a model's logits, and ends answers at stop texts.
//
//	logits -> floor -> top-k -> top-p -> min-p -> temperature -> draw      Sampler.Next
//	       '-> log-probabilities, over all tokens
//	text   -> what no stop text can begin with any more                     Stops
//
// The order is llama.cpp's (common/common.h): what is cut does not depend on the temperature.
// Each cut keeps a prefix of the tokens in the order of falling logits, equal ones by their ids, so
// the result does not depend on how they are found: by selection, never by sorting a vocabulary.
//
// The floor is ours: a token whose likelihood is under e^-16 of the best one's is never drawn
// (under a higher temperature the floor is as much lower). It makes sampling without top-k quick.
//
// The same logits, options and seed give the same tokens on every computer.
package sample
