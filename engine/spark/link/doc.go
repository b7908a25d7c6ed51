// Package link finds what a request mentions: the project's symbols and files, new names,
// literals, types, quoted text, line numbers, and words that point at the selection.
//
// A request becomes a list of units, in order and without gaps but for white space. A unit is
// a word, a sign, or a mention. A symbol is mentioned letter for letter, in other case, in
// words ("batch size" for BATCH_SIZE), or with one letter wrong. A symbol that is spelled like
// a word of requests ("run") is a word with Symbols, unless a noun beside it announces a name:
// whoever reads the units decides.
//
// The package reads nothing but its arguments. It looks once at each word, with at most
// longestName words a name; only mostNear words are compared with every name of their length.
package link
