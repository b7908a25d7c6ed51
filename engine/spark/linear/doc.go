// Package linear is the built-in model's second voice: a linear model that tells which
// operation a request asks for, and which of its parts fill the operation's slots.
//
//	units (package link) -> delexicalised words -> operation: softmax over hashed n-grams
//	                                            '-> slots: a label for each unit, best sequences
//
// The names of a project never reach the weights: a mention is only its kind, so the model
// knows sentences and no names. The weights are trained by build/train on generated requests
// and embedded; both tables are hashed, so collisions are part of the model.
//
// Operation: features of the whole request (n-grams of one to three words, pairs with a gap,
// letters within words), one weight for each feature and class, one of the classes being
// Decline: what no operation covers. Slots: given the operation, a first-order sequence model
// (weights for a unit's surroundings and its label, and for neighbouring labels), trained as
// an averaged structured perceptron, decoded by beam search, which gives the next best
// sequences, too. Collins, Discriminative Training Methods for Hidden Markov Models, 2002.
package linear
