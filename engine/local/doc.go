// Package local answers with the models in GGUF files, on this computer.
//
//	gguf:FILE --Open--> Model --Generate--> Shelf.take --> weights, vocabulary, form of its chats
//	                      |                                    |
//	   prompt --chat.Render, token.Encode--> tokens            |
//	                      |                                    |
//	   infer/cache --longest common prefix, a fork--> prefill of the rest --> the answer's tokens
//	                                                               |
//	   deltas <--chat.Parser-- text <--token.Stream-- sample <-- logits of a pass <-- draft's guess
//
// A Shelf has the models that are loaded; a process has one. A model is loaded once, by its first
// answer, and stays as long as there is memory; the one that has not answered for longest leaves when
// another needs its place, or when its time is over, if the user set one (Settings). A file that was replaced is
// loaded again.
//
// A model keeps the keys and values of its last sequences (package infer/cache). A turn that continues an earlier
// one, and the rest of an answer behind a steer, have most of their prompt there already. So Cursor is
// never needed, and there is none. Conversations that begin alike, as forks and agents do, share that beginning,
// also while one of them is being answered. Of a conversation of 4077 tokens (0.5 B, Q8_0, two busy cores) with two
// forks of 700 more, taken in turns, the prompt was read in 0.18 s instead of 17 s, when each turn read its
// fork's own end again; of four at the same time in 0.2 to 0.9 s, where three of them had taken 83 to 139 s, each
// with the whole prompt for itself; in 670 MB of memory instead of 760.
//
// Each pass of an answer is told to whoever asks for it (model.WithPasses); Model.Wafer is what prices them
// for the emulated wafer, see package beside. Model.Memory says what a model takes, Model.Unload gives it back.
//
// # What a user may rely on
//
// A model is open as soon as its header is read; most of what is wrong with a file is said then, before
// a turn begins, and all of it by Check, which also reads the vocabulary. Loading and reading a prompt
// report progress and end with the context, at the next layer.
// An answer that is refused by yield is not continued in the background.
//
// # Beside answers
//
// Generate is raw decoding, Measure how fast it is here. Compare runs a text as answers are computed and by
// float32 weights, and says how far the two are apart.
package local
