// Package token turns text into the tokens of a language model and back, by the vocabulary in
// the model's GGUF file.
//
//	text -> cut at special tokens -> pieces -> merges -> ids       Vocabulary.Encode
//	ids  -> bytes -> whole characters                              Stream
//
// Two kinds of vocabularies are read (tokenizer.ggml.model): "gpt2", pairs of tokens that merge
// in a fixed order inside the pieces that a pattern cuts (tokenizer.ggml.pre), and "llama",
// SentencePiece's, where the join with the highest score merges. Others are refused by name: a
// text in wrong tokens makes a model that answers, badly. llama.cpp (src/llama-vocab.cpp and
// src/unicode.cpp) is the reference; ids are equal to its ids, with these intended differences:
//
//   - Text never produces a control token, an unknown token or a byte token by merging, only by
//     being cut where the caller allows it (Options.Special) or byte by byte. llama.cpp looks
//     up every name.
//   - An id of a special token that is out of range, a merge of tokens that do not exist, and
//     bytes that no token stands for are errors here. llama.cpp logs them, and loses text.
//   - A name that ends an answer or fills in a text, such as </s>, makes no control token of a token that
//     merges make: there it is a word, of HTML for instance.
//   - A file that names no pattern is refused. llama.cpp guesses one.
//   - The habit of Phi-3's special tokens, to swallow the spaces behind them, is not known here.
//
// Vocabularies are untrusted input: New checks all lengths and ids. Tokens are at most
// maxToken bytes long, and no step is quadratic in the length of a text.
//
// A Vocabulary does not change, so goroutines may share it. Its texts are in two strings, its
// merges in one table: a vocabulary of 152,000 tokens takes few allocations and loads in about
// 0.1 s.
package token
