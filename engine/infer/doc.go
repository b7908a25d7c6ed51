// Package infer runs the transformers of model files on this computer, fast: llama, qwen2 and
// qwen3, dense, in the formats of engine/quant. What it computes is defined by the plain pass
// of wafer/transformer on the same file; it differs from that by the rounding of the inputs
// of integer matrices to eight bits, as llama.cpp does.
//
//	gguf.File --Load--> Model                weights, repacked; any number of states share it
//	                      |
//	                  NewState --> State     keys and values of one sequence of tokens
//	                      |          |
//	                    Forward(State, tokens, Last) --> logits of the next token
//
// A Model has one of two backends, which Options.Backend chooses and backend.go defines:
//
//	"avx512", "avx2"   engine/infer/kernel: C, threads of its own, one call from Go for each pass
//	"go"               plain.go: the same numbers in plain Go, without C, ten times slower
//
// # Sequences
//
// Forward appends tokens to a State. Truncate cuts it, so that another continuation reuses
// what came before; a draft of n tokens is one Forward with the logits of All, and a cut to
// those that were right. What failed has not happened: after an error or a cancelled context
// the State is as it was. A state grows by blocks of 256 positions and keeps them until Close. Fork returns another
// state with the same beginning, in the same blocks: the first that writes into one takes a copy. Package cache
// keeps states for prompts that begin alike.
//
// # Numbers
//
// The same calls give the same bits again, with any number of threads. Whether tokens come
// at once or one by one changes the order of no sum of a product, and gives the same logits
// but for the last bits of attention.
//
// Distance measures how far that is from the float run of the same file, and MostRMS and MostKL say how far it
// may be: tests hold the package to them, and local.Compare ('waferpair models check') a user's file.
//
// # What is checked
//
// Files are untrusted: Load reads them, and maps nothing, so that a file that becomes shorter
// is an error and no signal. It refuses by name what it would compute wrongly: other
// families and formats, tensors that nobody asked for, and what the memory has no room for.
package infer
